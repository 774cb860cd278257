/** The end of a line before its end. */

/** The one that stopped it is told by whoever stopped it. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}
