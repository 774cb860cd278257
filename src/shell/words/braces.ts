/** Brace expansion (bash(1), Brace Expansion), on the text of a word: what is quoted or expanded in it stays whole. */

/** Words that one becomes; more is no list that somebody wrote. */
const MOST_WORDS = 1000;

/** Each group is looked for in what is left: longer words are no list that somebody wrote either. */
const LONGEST = 4096;

/** What a brace is no brace in: quotes, escapes, parameters. What is run in it is left to the caller's refusal. */
const ATOM =
  /'[^']*'|"(?:[^"`$\\]|\\[^]|\$(?!\())*"|\\[^]|\$\{[\w#!][^{}`]*\}|\$[A-Za-z_]\w*|\$[0-9@*#?!$]|[\w./:@%+=,*?~{}^[\]!-]/y;

/**
 * The words that a word with braces stands for, as source text; null where it is no brace expansion, or none of
 * the plain kind.
 */
export function expandBraceWord(text: string): readonly string[] | null {
  if (text.length > LONGEST || !text.includes("{")) return null;
  const atoms = atomsOf(text);
  if (atoms === null || !atoms.includes("{")) return null;
  const found = expand(atoms);
  if (found === null || found.words.length > MOST_WORDS || !found.expanded) return null;
  // The empty ones among them are no words.
  return found.words.map((word) => word.join("")).filter((word) => word !== "");
}

function atomsOf(text: string): readonly string[] | null {
  const atoms: string[] = [];
  for (let at = 0; at < text.length; at = ATOM.lastIndex) {
    ATOM.lastIndex = at;
    const [atom] = ATOM.exec(text) ?? [];
    if (atom === undefined) return null;
    atoms.push(atom);
  }
  return atoms;
}

type Atoms = readonly string[];

interface Expanded {
  readonly words: readonly Atoms[];
  readonly expanded: boolean;
}

/** Null for braces of which bash's own reading hangs on more than is looked at here. */
function expand(atoms: Atoms): Expanded | null {
  const open = atoms.indexOf("{");
  if (open === -1) return atoms.includes("}") ? null : { words: [atoms], expanded: false };
  const before = atoms.slice(0, open);
  if (before.includes("}")) return null;
  const close = closing(atoms, open);
  if (close === -1) return null;
  const inner = atoms.slice(open + 1, close);
  const rest = expand(atoms.slice(close + 1));
  const alternatives = rest === null ? null : alternativesOf(inner);
  if (rest === null || alternatives === null) return null;
  if (alternatives.length * rest.words.length > MOST_WORDS) return null;
  const words = alternatives.flatMap((one) => rest.words.map((end) => [...before, ...one, ...end]));
  return { words, expanded: true };
}

function closing(atoms: Atoms, open: number): number {
  let depth = 0;
  for (let at = open; at < atoms.length; at++) {
    if (atoms[at] === "{") depth++;
    if (atoms[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

/** Of a list or a sequence; null for neither. */
function alternativesOf(inner: Atoms): readonly Atoms[] | null {
  const items: string[][] = [[]];
  let depth = 0;
  for (const atom of inner) {
    if (atom === "{") depth++;
    if (atom === "}") depth--;
    if (atom === "," && depth === 0) items.push([]);
    else items.at(-1)?.push(atom);
  }
  if (items.length === 1) return sequence(inner.join(""))?.map((one) => [one]) ?? null;
  const found: Atoms[] = [];
  for (const item of items) {
    const expanded = expand(item);
    if (expanded === null) return null;
    found.push(...expanded.words);
  }
  return found;
}

/** `1..5`, `05..1`, `a..e`, each with a step. */
function sequence(inner: string): readonly string[] | null {
  const found = /^(-?[0-9]{1,9}|[a-z]|[A-Z])\.\.(-?[0-9]{1,9}|[a-z]|[A-Z])(?:\.\.(-?[0-9]{1,6}))?$/
    .exec(inner);
  if (found === null) return null;
  const [, first = "", last = "", by] = found;
  const letters = /^[a-zA-Z]$/.test(first);
  // From capitals to small letters it goes by what lies between.
  if (letters ? !sameCase(first, last) : /[a-zA-Z]/.test(last)) return null;
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [
    Number(first),
    Number(last),
  ];
  const step = Math.abs(Number(by ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MOST_WORDS) return null;
  const padded = [first, last].some((one) => /^-?0[0-9]/.test(one));
  const width = padded ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * (to < from ? -step : step);
    if (letters) return String.fromCharCode(value);
    const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, "0");
    return value < 0 ? `-${digits}` : digits;
  });
}

function sameCase(first: string, last: string): boolean {
  return [/^[a-z]$/, /^[A-Z]$/].some((letters) => letters.test(first) && letters.test(last));
}
