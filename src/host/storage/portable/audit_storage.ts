/** The audit log's files over the runtime, where there are no system calls to make: other systems than Linux. */

import type { LogFile, LogStorage } from "../../../audit/storage.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";

/** As `createAuditStorage`; a link that is swapped in between a look and an opening is noticed after it. */
export function createPortableAuditStorage(path: CanonicalPath): LogStorage {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const folder = path.slice(0, cut) || "/";
  const name = path.slice(cut + 1);

  function open(file: string, create: boolean): LogFile {
    const opened = Deno.openSync(file, { read: true, append: true, create, mode: 0o600 });
    const held = opened.statSync();
    const named = Deno.lstatSync(file);
    if (!held.isFile || named.isSymlink || held.ino !== named.ino) {
      opened.close();
      throw new ToolError("NATIVE_DENIED", "the audit log is no regular file");
    }
    return fileOf(opened, () => isThere(file, held.ino));
  }

  return {
    open() {
      Deno.mkdirSync(folder, { recursive: true });
      return open(path, true);
    },
    openExisting(number) {
      const file = number === "current" ? path : `${path}.${number}`;
      return isThere(file, null) ? open(file, false) : null;
    },
    rotated: () =>
      [...Deno.readDirSync(folder)]
        .filter((entry) => entry.name.startsWith(`${name}.`))
        .map((entry) => entry.name.slice(name.length + 1))
        .filter((ending) => /^[1-9]\d{0,8}$/.test(ending))
        .map(Number)
        .sort((a, b) => a - b),
    rotate: (number) => Deno.renameSync(path, `${path}.${number}`),
  };
}

/** `inode` null: whatever it is. */
function isThere(file: string, inode: number | null): boolean {
  try {
    const info = Deno.lstatSync(file);
    return inode === null || info.ino === inode;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function fileOf(file: Deno.FsFile, isNamed: () => boolean): LogFile {
  return {
    lock: () => file.lockSync(true),
    unlock: () => file.unlockSync(),
    size: () => file.statSync().size,
    isNamed,
    read(offset, count) {
      file.seekSync(offset, Deno.SeekMode.Start);
      const bytes = new Uint8Array(count);
      let length = 0;
      while (length < count) {
        const got = file.readSync(bytes.subarray(length));
        if (got === null || got === 0) break;
        length += got;
      }
      return bytes.subarray(0, length);
    },
    append(bytes) {
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    },
    sync: () => file.syncDataSync(),
    close: () => file.close(),
  };
}
