/** Lines of a text, one after the other, without a list of them all. */

/** Hands over every line without its end; CR LF counts as one end. */
export function eachLine(text: string, visit: (line: string) => void): void {
  for (let from = 0; from < text.length;) {
    const found = text.indexOf("\n", from);
    const to = found === -1 ? text.length : found;
    visit(text.slice(from, to > from && text[to - 1] === "\r" ? to - 1 : to));
    from = to + 1;
  }
}
