/** The names of backups: `x.bak` is the oldest, then `x.bak.1` and up. Pure. */

/** A number without leading zeros, small enough that there is always a next one. */
const SUFFIX = /^\.bak(?:\.([1-9]\d{0,14}))?$/;

/** The place of a backup in the row: 0 for `x.bak`, N for `x.bak.N`. Null for what is no backup of this file. */
export function backupNumber(file: string, name: string): number | null {
  if (!name.startsWith(file)) return null;
  const match = SUFFIX.exec(name.slice(file.length));
  return match === null ? null : Number(match[1] ?? 0);
}

/** The name with that number. */
export function backupName(file: string, number: number): string {
  return number === 0 ? `${file}.bak` : `${file}.bak.${number}`;
}

/** After what is there comes the next number; the first has none. */
export function nextNumber(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
}

/** What limits on backups are asked about: `made` in ms since 1970. */
export interface KeptBackup {
  readonly number: number;
  readonly made: number;
}

/**
 * Those that the limits have no room for: of all but the newest `keep`, and of those made before `now - ageMs`,
 * the oldest first. The newest always stays.
 */
export function expired<T extends KeptBackup>(
  backups: readonly T[],
  { keep, ageMs, now }: {
    readonly keep: number | null;
    readonly ageMs: number | null;
    readonly now: number;
  },
): readonly T[] {
  const sorted = [...backups].sort((a, b) => a.number - b.number);
  const surplus = keep === null ? 0 : Math.max(sorted.length - Math.max(keep, 1), 0);
  return sorted.slice(0, -1).filter(({ made }, index) =>
    index < surplus || ageMs !== null && made < now - ageMs
  );
}
