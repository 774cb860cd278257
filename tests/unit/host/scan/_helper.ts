/** A thread that helps a scan of a directory, in one of several ways, until the scan is closed. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { ScanTaker } from "../../../../src/host/scan/scan_sharing.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { grantOf, rulebookOf } from "../_rulebook.ts";
import { createRoom } from "./_scan.ts";

/** From the third run on: `hangs` says nothing any more, `throws` breaks off, `shouts` answers more than there is room for. */
export type Way = "helps" | "hangs" | "throws" | "shouts";

export interface Helping {
  readonly memory: SharedArrayBuffer;
  readonly ticket: number;
  readonly root: CanonicalPath;
  readonly way: Way;
}

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Helping>) => void) | null;
};
scope.onmessage = ({ data: { memory, ticket, root, way } }) => {
  const libc = openLibc({ quickFiles: true });
  if (libc === null) throw new Error("no C library");
  const files = createFiles(
    grantOf(root, { read: [{ requested: ".", path: root, tree: true }] }),
    rulebookOf(root, { paths: [pathRule("allow", ["**"])] }),
    createLinuxFiles(libc),
    () => {},
    { scanShare: new ScanTaker(memory, ticket) },
  );
  const room = createRoom();
  let runs = 0;
  try {
    files.help(".", { room, limit: 1000 }, (wanted, scan) => {
      const strange = ++runs > 2;
      if (strange && way === "hangs") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      if (strange && way === "throws") throw new Error("no more");
      if (strange && way === "shouts") return "x".repeat(100_000);
      const found: string[] = [];
      scan(({ path, length }) => {
        const contents = length === null
          ? ""
          : `=${new TextDecoder().decode(room.bytes.slice(0, length))}`;
        found.push(path + contents);
      });
      return JSON.stringify({ wanted, found });
    });
  } catch (error) {
    if (way !== "throws") throw error;
  }
  self.close();
};
