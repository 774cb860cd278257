/** Following the output of programs while they run. */

/** Who follows the output as it comes. */
export interface OutputListener {
  /** Whole characters. False: it wants no more until it has called `onRoom`. */
  tell(stream: OutputName, text: string): boolean;
  /** Sets what is called when there is room again. */
  whenRoom(onRoom: () => void): void;
}

/** A stream that a program writes to. */
export type OutputName = "stdout" | "stderr";
