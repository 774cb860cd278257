/** `seal`: this binary once more, with one policy and no more permissions than that policy's. Needs no toolchain. */

import { EXIT } from "../../core/errors.ts";
import type { PermissionLists } from "../../sandbox/permission_flags.ts";
import type { Embedded } from "../embedded.ts";
import type { Invocation } from "../invocation.ts";
import { agentOf } from "../session.ts";
import { complain } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";
import { type BakedPermissions, rebaked } from "./compiled_binary.ts";
import { EMBEDDED_FILE, sealedWith } from "./embedding.ts";
import { sealedPermissions } from "./sealed_permissions.ts";

/** `seal --policy FILE -o FILE [--agent ID]`; gives the exit status. */
export async function seal(invocation: Invocation): Promise<number> {
  const { embedded, values, words, switches } = invocation;
  const [policy, ...further] = values["policy"] ?? [];
  const [output] = values["output"] ?? [];
  if (words.length > 0 || policy === undefined || output === undefined) {
    throw new UsageError("seal takes --policy FILE and -o FILE, and --agent ID if it likes");
  }
  if (further.length > 0) {
    throw new UsageError(
      "seal takes one policy; further ones, which can only tighten it, are for the sealed binary's --policy",
    );
  }
  if (embedded.sealed) {
    throw new UsageError("this binary is sealed already: seal with the one that it was made from");
  }
  const agent = agentOf(invocation);
  const sealing = { ...embedded, ...(agent === null ? {} : { agent }) };
  const carried = await sealedWith(policy, sealing);
  write(
    output,
    sealedSelf({
      name: EMBEDDED_FILE,
      text: JSON.stringify(carried),
      permissions: bakedOf(permissionsOf(carried)),
    }),
  );
  if (!switches.has("quiet")) {
    complain(`${output}: sealed with ${policy}; its doctor tries what it can and cannot do`);
  }
  return EXIT.success;
}

function permissionsOf({ policy }: Embedded): PermissionLists {
  try {
    return sealedPermissions(policy);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/** As the metadata of a compiled binary have it: null for nothing, an empty list for all. */
function bakedOf(lists: PermissionLists): BakedPermissions {
  const some = (list: readonly string[] | "any") =>
    list === "any" ? [] : list.length === 0 ? null : list;
  return {
    allow_env: some(lists.env),
    allow_net: some(lists.net),
    allow_ffi: some(lists.ffi),
    allow_read: some(lists.read),
    deny_read: some(lists.denyRead),
    allow_run: some(lists.run),
    allow_write: some(lists.write),
    deny_write: some(lists.denyWrite),
  };
}

function sealedSelf(seal: Parameters<typeof rebaked>[1]): readonly Uint8Array[] {
  try {
    return rebaked(Deno.readFileSync(Deno.execPath()), seal);
  } catch (error) {
    throw new UsageError(
      `this program cannot be sealed, only a binary for Linux can: ${reasonOf(error)}; ` +
        "from a checkout, deno task build --policy FILE makes one",
    );
  }
}

/** Whole or not at all, also where the binary that is replaced runs. */
function write(output: string, pieces: readonly Uint8Array[]): void {
  const beside = `${output}.${crypto.randomUUID()}.tmp`;
  try {
    {
      using file = Deno.openSync(beside, { write: true, createNew: true, mode: 0o755 });
      for (const piece of pieces) {
        for (let at = 0; at < piece.length;) at += file.writeSync(piece.subarray(at));
      }
      file.syncSync();
    }
    Deno.renameSync(beside, output);
  } catch (error) {
    removeQuietly(beside);
    throw new UsageError(`${output} cannot be written (${nameOf(error)})`);
  }
}

function removeQuietly(file: string): void {
  try {
    Deno.removeSync(file);
  } catch {
    // It was not made.
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "?";
}
