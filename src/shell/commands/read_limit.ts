/** The words of `ulimit` (bash(1), SHELL BUILTIN COMMANDS), for whoever judges a line and whoever runs it. */

/** What one letter of it is about. */
export interface LimitedResource {
  /** include/uapi/asm-generic/resource.h */
  readonly resource: number;
  /** What bash calls it. */
  readonly name: string;
  /** What a number of it stands for: bytes, seconds, descriptors. */
  readonly unit: bigint;
  /** The least that is set here, as it is written: a shell with less is one that fails itself. */
  readonly least: number;
  /** The policy's own limit stands whatever is set: nothing is to be done. */
  readonly held?: true;
}

/** By letter. */
const RESOURCES: Readonly<Record<string, LimitedResource>> = {
  c: { resource: 4, name: "core file size", unit: 1024n, least: 0, held: true },
  f: { resource: 1, name: "file size", unit: 1024n, least: Infinity, held: true },
  n: { resource: 7, name: "open files", unit: 1n, least: 32 },
  s: { resource: 3, name: "stack size", unit: 1024n, least: 128 },
  t: { resource: 0, name: "cpu time", unit: 1n, least: 1 },
  v: { resource: 9, name: "virtual memory", unit: 1024n, least: 65_536 },
};
/** Those that are told: what programs have of the others is the policy's. */
const TOLD = "nsv";

/** What `ulimit` is to do. */
export interface LimitWish {
  readonly of: LimitedResource;
  readonly soft: boolean;
  readonly hard: boolean;
  /** Null where the limit is asked for; a number as it is written. */
  readonly value: bigint | "unlimited" | "hard" | "soft" | null;
}

/** Null for a form that is not done; words that are not known yet are null. */
export function readLimit(words: readonly (string | null)[]): LimitWish | null {
  const at = words.findIndex((word) => !word?.startsWith("-"));
  const options = words.slice(0, at === -1 ? words.length : at).map((word) => word?.slice(1));
  const [value = null, ...more] = at === -1 ? [] : words.slice(at);
  const letters = [...options.join("")];
  const named = letters.filter((letter) => letter !== "S" && letter !== "H");
  const of = RESOURCES[named[0] ?? "f"];
  const known = of !== undefined && named.length < 2 && more.length === 0 && !options.includes("");
  // A word that is known only later would be taken for none.
  if (!known || (at !== -1 && value === null)) return null;
  const [soft, hard] = [letters.includes("S"), letters.includes("H")];
  if (value === null) {
    const told = TOLD.includes(named[0] ?? "f") && !(soft && hard);
    return told ? { of, soft: !hard, hard, value } : null;
  }
  const both = !soft && !hard;
  const wish = { of, soft: soft || both, hard: hard || both };
  if (value === "unlimited" || value === "hard" || value === "soft") return { ...wish, value };
  const written = /^[0-9]{1,12}$/.test(value) ? Number(value) : -1;
  return written >= of.least ? { ...wish, value: BigInt(written) } : null;
}
