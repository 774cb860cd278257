/** The words of `umask` (bash(1), SHELL BUILTIN COMMANDS), for whoever judges a line and whoever runs it. */

/** What `umask` is to do. `set`: the mask that comes of the one that holds. */
export type MaskWish =
  | { readonly kind: "tell"; readonly symbolic: boolean; readonly asCommand: boolean }
  | { readonly kind: "set"; readonly from: (mask: number) => number };

/** All that a mask can take away (umask(2)). */
const ALL = 0o777;
/** The bits of who may, in the place of the others'; and where each of those stands. */
const BITS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1 };
const PLACES: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 };

/** Null for a form that is not done. */
export function readMaskWish(words: readonly string[]): MaskWish | null {
  const [first = "", ...more] = words[0] === "--" ? words.slice(1) : words;
  if (words.length === 0) return { kind: "tell", symbolic: false, asCommand: false };
  if (more.length > 0) return null;
  if (/^-(?:S|p|pS|Sp)$/.test(first) && words[0] !== "--") {
    return { kind: "tell", symbolic: first.includes("S"), asCommand: first.includes("p") };
  }
  if (/^0{0,8}[0-7]{1,3}$/.test(first)) {
    const mask = Number.parseInt(first, 8);
    return { kind: "set", from: () => mask };
  }
  const clauses = first.split(",").map(clauseOf);
  if (first.startsWith("-") || clauses.includes(null)) return null;
  return {
    kind: "set",
    from: (mask) =>
      clauses.reduce((left, clause) => clause === null ? left : masked(left, clause), mask),
  };
}

interface Clause {
  readonly who: string;
  readonly how: string;
  readonly what: string;
}

function clauseOf(text: string): Clause | null {
  const [whole, who = "", how = "", what = ""] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(text) ?? [];
  return whole === undefined ? null : { who, how, what };
}

/** `u=rw`, `go-w`, `+x`: what may be done, which is what the mask leaves. */
function masked(mask: number, { who, how, what }: Clause): number {
  const places = who === "" || who.includes("a") ? Object.keys(PLACES) : [...who];
  const bits = [...what].reduce((all, letter) => all | (BITS[letter] ?? 0), 0);
  const named = places.reduce((all, place) => all | (bits << (PLACES[place] ?? 0)), 0);
  const whole = places.reduce((all, place) => all | (7 << (PLACES[place] ?? 0)), 0);
  const may = ALL & ~mask;
  if (how === "=") return ALL & ~((may & ~whole) | named);
  return ALL & ~(how === "+" ? may | named : may & ~named);
}

/** As `umask -S` says it. */
export function maskText(mask: number): string {
  return Object.entries(PLACES).map(([who, place]) => {
    const may = (ALL & ~mask) >> place;
    const letters = Object.entries(BITS).filter(([, bit]) => (may & bit) !== 0);
    return `${who}=${letters.map(([letter]) => letter).join("")}`;
  }).join(",");
}
