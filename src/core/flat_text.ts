/** Texts as V8 keeps them. */

/**
 * The same text, not as a part of another, nor as two put together: where `JSON.stringify` meets such a text in a value it
 * leaves its quick way for all of it (an answer of 100 KB: 46 µs, and 70 with one header that is a part of the head). And what
 * it was a part of is not kept with it.
 */
export function flatText(text: string): string {
  // Joining copies, where there is more than one piece.
  return [text.slice(0, 1), text.slice(1)].join("");
}
