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

  constructor(text: string) {
    super(text);
    this.#left = STEPS_AT_LEAST + STEPS_A_CHARACTER * text.length;
  }

  override charCodeAt(index: number): number {
    if (this.#left-- <= 0) throw new TooManySteps("the steps are used up");
    return super.charCodeAt(index);
  }
}
