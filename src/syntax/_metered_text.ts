/** A text that a parser may read only so often: some try readings of what they read before, without end. */

/** Steps for a character and for any text. Ordinary sources take 1.2 steps a character; nested arrow functions some more. */
const STEPS_A_CHARACTER = 32;
const STEPS_AT_LEAST = 100_000;

/** Thrown out of the parser. Of no class that a parser catches. */
export class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

/** A string in all but its type. `charCodeAt` throws {@linkcode TooManySteps} when the steps are used up. */
export class MeteredText extends String {
  #left: number;
  /** What parsers ask for most is asked of the string itself: of a `String` it takes V8 twice as long to read a text. */
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
    this.#left = STEPS_AT_LEAST + STEPS_A_CHARACTER * text.length;
  }

  override charCodeAt(index: number): number {
    if (this.#left-- <= 0) throw new TooManySteps("the steps are used up");
    return this.#text.charCodeAt(index);
  }

  override slice(start?: number, end?: number): string {
    return this.#text.slice(start, end);
  }
}
