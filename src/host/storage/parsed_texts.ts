/**
 * What texts were parsed to, so that the next start need not parse them again: a folder of the user's own with one small
 * file a text. An entry holds the whole text, so it is never taken for another's, and the number and birth of the folder
 * that it was put into, so it is none that came with somebody's files; one that others could have written, that another
 * build made or that cannot be read is as good as none.
 */

/** Parsed texts that outlive a process. Neither function throws: what cannot be kept is parsed again. */
export interface ParsedTexts {
  /** What was put for this text; null where there is nothing, or nothing to be trusted. */
  get(text: string): unknown;
  /** `value`: as JSON holds it. */
  put(text: string, value: unknown): void;
}

interface Entry {
  readonly maker: string;
  /** See `birthOf`. */
  readonly born: string;
  readonly text: string;
  readonly value: unknown;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Entries that stay; one is some kilobytes. */
const MOST = 32;
/** Bytes. */
const MOST_BYTES = 32 * 1024 * 1024;

/** `maker`: what parses; an entry of another one is not taken. */
export function openParsedTexts(folder: string, maker: string): ParsedTexts {
  const pathOf = (text: string) => `${folder}/${nameOf(text)}.json`;
  return {
    get(text) {
      try {
        const path = pathOf(text);
        const born = birthOf(folder);
        if (born === null) return null;
        const file = Deno.lstatSync(path);
        if (!isOurs(file, "isFile") || file.size > MOST_BYTES) return null;
        const entry = JSON.parse(Deno.readTextFileSync(path)) as Entry;
        const fits = entry.maker === maker && entry.born === born && entry.text === text;
        return fits ? entry.value ?? null : null;
      } catch {
        return null;
      }
    },
    put(text, value) {
      try {
        Deno.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
        const born = birthOf(folder);
        if (born === null) return;
        makeRoom(folder);
        const path = pathOf(text);
        const temporary = `${path}.${crypto.randomUUID()}`;
        const entry: Entry = { maker, born, text, value };
        Deno.writeTextFileSync(temporary, JSON.stringify(entry), {
          createNew: true,
          mode: FILE_MODE,
        });
        Deno.renameSync(temporary, path);
      } catch {
        // A read-only home, a full disk: the next start parses again.
      }
    },
  };
}

/** FNV-1a (draft-eastlake-fnv) in two lanes: only a name. What lies there is compared with the whole text. */
function nameOf(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x01000193;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b) + at | 0;
  }
  return [one, other].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}

/** What no other folder has, nor had before it was made; null where it is not to be trusted, or cannot be told apart. */
function birthOf(folder: string): string | null {
  const info = Deno.lstatSync(folder);
  const { dev, ino, birthtime } = info;
  if (!isOurs(info, "isDirectory") || ino === null || birthtime === null) return null;
  return [dev, ino, birthtime.getTime()].join(" ");
}

/** Whether it is of that kind, this user's own, and nobody else's to write. */
function isOurs(info: Deno.FileInfo, kind: "isFile" | "isDirectory"): boolean {
  if (!info[kind] || info.isSymlink) return false;
  if (Deno.build.os === "windows") return true;
  if (((info.mode ?? 0o777) & 0o022) !== 0) return false;
  // proc(5): /proc/self is the process's own. Elsewhere nobody can tell.
  return Deno.build.os !== "linux" || info.uid === Deno.statSync("/proc/self").uid;
}

/** Removes the oldest, what a killed process left half-written among them, until one more may come. */
function makeRoom(folder: string): void {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  if (names.length < MOST) return;
  const aged = names.map((path) => ({ path, time: Deno.lstatSync(path).mtime?.getTime() ?? 0 }));
  aged.sort((a, b) => a.time - b.time);
  for (const { path } of aged.slice(0, names.length - MOST + 1)) Deno.removeSync(path);
}
