/** What files hold and how they look, through `Deno.*`. */

/** set-user-ID and set-group-ID go with a change of contents. */
const KEPT_MODE_BITS = 0o1777;
const PRIVATE_MODE = 0o600;
const BUFFER_BYTES = 1024 * 1024;

export function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

/** Bytes copied to an empty file; what is nothing but zeros becomes a hole. Memory is bounded. */
export function copyContents(
  from: Deno.FsFile,
  to: Deno.FsFile,
  checkpoint: () => void,
): number {
  const buffer = new Uint8Array(BUFFER_BYTES);
  let length = 0;
  for (;;) {
    const count = from.readSync(buffer);
    if (count === null || count === 0) break;
    if (length > 0) checkpoint();
    length += count;
    if (count === buffer.length && isZero(buffer)) to.seekSync(length, Deno.SeekMode.Start);
    else writeAll(to, buffer.subarray(0, count));
  }
  if (to.statSync().size < length) to.truncateSync(length);
  to.seekSync(length, Deno.SeekMode.Start);
  return length;
}

function isZero(buffer: Uint8Array): boolean {
  const words = new Uint32Array(buffer.buffer);
  for (let index = 0; index < words.length; index++) {
    if (words[index] !== 0) return false;
  }
  return true;
}

export function keepOwnerAndMode(path: string, own: Deno.FileInfo, old: Deno.FileInfo): void {
  if (Deno.build.os === "windows") return;
  if (own.uid !== old.uid || own.gid !== old.gid) Deno.chownSync(path, old.uid, old.gid);
  if (old.mode !== null) Deno.chmodSync(path, old.mode & KEPT_MODE_BITS);
}

/** Mode and times of a copy; with `owner` that, too, as far as this user may. */
export function resemble(
  path: string,
  original: Deno.FileInfo,
  { owner }: { readonly owner: boolean },
): void {
  if (Deno.build.os === "windows") return;
  let mode = (original.mode ?? PRIVATE_MODE) & KEPT_MODE_BITS;
  if (owner) {
    try {
      Deno.chownSync(path, original.uid, original.gid);
    } catch {
      // What the mode lets the group do would be another group's.
      if (Deno.lstatSync(path).gid !== original.gid) mode &= ~0o070;
    }
  }
  Deno.chmodSync(path, mode);
  const { atime, mtime } = original;
  if (atime !== null && mtime !== null) Deno.utimeSync(path, atime, mtime);
}
