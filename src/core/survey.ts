/** What a tool may look at before it is judged, so that what it then asks for is exact. */

/** A project as a survey sees it: what the agent may not read is not there. */
export interface Project {
  /** Text of a file that the survey named; null where there is none, or none that is text of a sane size. */
  text(path: string): string | null;
  /** Names in the folder that the survey named. */
  readonly names: ReadonlySet<string>;
  /** Whether a program of this name or path is there to be started, allowed or not. */
  program(name: string): boolean;
}

/**
 * The look before the judgement, for tools that do what fits the project. Paths in the words of a request. Of
 * the ways the engine takes the first that is allowed and whose programs are there, else the first that needs
 * an approval, else it refuses the first.
 */
export interface Survey<I> {
  /** The project's folder. */
  folder(input: I): string;
  /** Files whose text decides. */
  files(input: I): readonly string[];
  /**
   * The ways to do it, best first, each as the input with the choice written into it: that is what is then
   * described, judged, approved and run. Pure. Throws COMMAND_NOT_FOUND where nothing fits.
   */
  ways(input: I, project: Project): readonly [I, ...I[]];
}
