/** Brace expansion (bash(1), Brace Expansion), where the word holds nothing that it could touch: plain characters. */

/** Words that one becomes; more is no list that somebody wrote. */
const MOST_WORDS = 100;

/** Each group is looked for in what is left: longer words are no list that somebody wrote either. */
const LONGEST = 4096;

/** Letters, digits and punctuation that mean themselves, patterns, and braces. */
const PLAIN = /^[\w./:@%+=,*?~{}-]*$/;
/** One group without another inside it. */
const GROUP = /^(.*?)\{([^{}]*)\}(.*)$/;

/**
 * The words that a word with braces stands for, as source text; null where it is no brace expansion, or none of
 * the plain kind.
 */
export function expandBraceWord(text: string): readonly string[] | null {
  if (text.length > LONGEST || !PLAIN.test(text) || !holdsList(text)) return null;
  const words = expand(text);
  return words === null || words.length > MOST_WORDS ? null : words.filter((word) => word !== "");
}

/** Whether it has an opening brace, and a list or a sequence behind it. */
function holdsList(text: string): boolean {
  const open = text.indexOf("{");
  return open !== -1 && (text.includes(",", open) || text.includes("..", open));
}

function expand(text: string): readonly string[] | null {
  const group = GROUP.exec(text);
  if (group === null) return /[{}]/.test(text) ? null : [text];
  const [, before = "", inner = "", after = ""] = group;
  // A brace before this group would hold it: nested ones are left to the caller's refusal.
  if (/[{}]/.test(before)) return null;
  const alternatives = inner.includes(",") ? inner.split(",") : sequence(inner);
  const rest = alternatives === null ? null : expand(after);
  if (alternatives === null || rest === null) return null;
  if (alternatives.length * rest.length > MOST_WORDS) return null;
  return alternatives.flatMap((one) => rest.map((end) => before + one + end));
}

/** `1..5` and `5..1`, without leading zeros and steps; null for all else. */
function sequence(inner: string): readonly string[] | null {
  const found = /^(-?(?:0|[1-9][0-9]{0,5}))\.\.(-?(?:0|[1-9][0-9]{0,5}))$/.exec(inner);
  if (found === null) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  const count = Math.abs(to - from) + 1;
  if (count > MOST_WORDS || [found[1], found[2]].includes("-0")) return null;
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => String(from + index * step));
}
