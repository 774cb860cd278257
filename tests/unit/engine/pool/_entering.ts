/** Binds a thread of its own to a boundary, and gives what it tells. */

import { Workspace } from "../../../binary/toolgate.ts";
import type { Boundary } from "../../../../src/sandbox/boundary.ts";
import { canonical } from "../../policy/_fixtures.ts";
import type { Entering } from "./_entering_worker.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

/** In a workspace with `a.txt`, which the boundary lets be read; `parts` adds to the boundary. */
export async function entering(
  how: Entering["how"],
  { wide = null, ...parts }: Partial<Boundary> & Partial<Pick<Entering, "wide">> = {},
): Promise<Loose> {
  await using workspace = new Workspace({ "a.txt": "inside\n" });
  // A set of its own: what a thread gives up of one that it shares is gone for all.
  const permissions = { read: true, write: true, run: true, env: true, ffi: true, sys: true };
  const worker = new Worker(import.meta.resolve("./_entering_worker.ts"), {
    type: "module",
    deno: { permissions },
  });
  try {
    const told = Promise.withResolvers<Loose>();
    worker.onmessage = ({ data }) => told.resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      told.reject(new Error(event.message));
    };
    const boundary: Boundary = {
      read: [canonical(workspace.root)],
      write: [],
      connect: [],
      spawn: null,
      ...parts,
    };
    const outside = `${workspace.outside}/sentinel.txt`;
    const task: Entering = { how, root: workspace.root, outside, boundary, wide };
    worker.postMessage(task);
    return await told.promise;
  } finally {
    worker.terminate();
  }
}
