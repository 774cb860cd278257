/** Patches against GNU patch: the same are accepted, and with the same bytes; and every diff leads where it says. */

import { assert, assertEquals } from "@std/assert";
import { sha256 } from "../../../../../src/core/sha256.ts";
import { type Applied, applyHunks } from "../../../../../src/tools/fs/patch/apply.ts";
import { parsePatch } from "../../../../../src/tools/fs/patch/parse.ts";
import { unifiedDiff } from "../../../../../src/toolkit/unified_diff.ts";
import { Random } from "../../../../random.ts";
import { type PatchCase, patchCases } from "./_patch_cases.ts";
import { RECORDED } from "./_patch_recorded.ts";

const SEED = 20;
const CASES = 1500;
/** How many of them are asked of the `patch` of this machine, too. */
const LIVE = 120;

/** GNU patch of the line that the record is of; null where there is none: other programs of the name do otherwise. */
function gnuPatch(): string | null {
  try {
    const { stdout } = new Deno.Command("patch", { args: ["--version"] }).outputSync();
    return new TextDecoder().decode(stdout).startsWith("GNU patch 2.7") ? "patch" : null;
  } catch {
    return null;
  }
}

/** What GNU patch makes of a case; null where it rejects any hunk. */
function patchedBy(program: string, folder: string, { target, patch }: PatchCase): string | null {
  Deno.writeTextFileSync(`${folder}/file`, target);
  Deno.writeTextFileSync(`${folder}/patch`, patch);
  const { code } = new Deno.Command(program, {
    args: ["--force", "--binary", "--reject-file=-", "--output=result", "--input=patch", "file"],
    cwd: folder,
    stdout: "null",
    stderr: "null",
  }).outputSync();
  return code === 0 ? Deno.readTextFileSync(`${folder}/result`) : null;
}

/**
 * The result in a few characters. Where lines without end are in play, line ends are left out of account: `patch`
 * joins a line to one that has no end, or ends it with LF in a file of CR LF, and this tool does not.
 */
function digestOf({ target, patch }: PatchCase, result: string | null): string {
  if (result === null) return "-";
  const isPlain = target.endsWith("\n") && !patch.includes("\\ No newline");
  const text = isPlain ? result : result.replaceAll(/\r?\n/g, "");
  return sha256(new TextEncoder().encode(text)).slice(0, 6);
}

function apply(text: string, patch: string): Applied {
  const [file] = parsePatch(patch);
  return applyHunks("file", new TextEncoder().encode(text), file?.hunks ?? [], () => {});
}

function textOf(applied: Applied): string | null {
  return "bytes" in applied ? new TextDecoder().decode(applied.bytes) : null;
}

/** Lines to be added behind the end of the file, where `patch` adds them at it: those say that something is wrong. */
function isBehindTheEnd(applied: Applied): boolean {
  return "misfits" in applied &&
    applied.misfits.some(({ hunk }) => hunk.lines.every(({ sign }) => sign === "+"));
}

Deno.test("hunks go where GNU patch puts them, or nowhere where it rejects them", () => {
  const tally = { accepted: 0, moved: 0, fuzzy: 0, rejected: 0 };
  let behind = 0;
  let index = 0;
  for (const one of patchCases(SEED, CASES)) {
    const applied = apply(one.target, one.patch);
    const digest = digestOf(one, textOf(applied));
    if (isBehindTheEnd(applied)) behind++;
    else {
      assertEquals(digest, RECORDED[index], `${index}: ${JSON.stringify(one)}`);
    }
    if ("bytes" in applied) {
      tally.accepted++;
      if (applied.notes.some(({ offset }) => offset !== 0)) tally.moved++;
      if (applied.notes.some(({ fuzz }) => fuzz > 0)) tally.fuzzy++;
    } else tally.rejected++;
    index++;
  }
  assert(behind < CASES / 50, String(behind));
  assert(Object.values(tally).every((count) => count > 100), JSON.stringify(tally));
});

Deno.test("what was recorded is what the patch of this machine does", () => {
  const program = gnuPatch();
  // Without one the record stands alone.
  if (program === null) return;
  const folder = Deno.makeTempDirSync();
  try {
    let index = 0;
    for (const one of patchCases(SEED, LIVE)) {
      const digest = digestOf(one, patchedBy(program, folder, one));
      assertEquals(digest, RECORDED[index], `${index}: ${JSON.stringify(one)}`);
      index++;
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a patch leads from the file that it was made for to the other, and is known when it is there", () => {
  for (const { base, patch, changed } of patchCases(7, 1500)) {
    const applied = apply(base, patch);
    assertEquals(textOf(applied), changed, patch);
    if ("bytes" in applied) assertEquals(applied.notes, []);
    const again = apply(changed, patch);
    const hunks = parsePatch(patch).flatMap((file) => file.hunks);
    const isTelling = hunks.every(({ lines }) =>
      lines.filter(({ sign }) => sign === " ").length >= 2 * lines.length / 3
    );
    if ("misfits" in again && isTelling) assert(again.reversed, `${changed} ${patch}`);
  }
});

Deno.test("the diffs that tools show can be applied", async () => {
  const random = new Random(31);
  for (let round = 0; round < 300; round++) {
    const end = random.once(3) ? "\r\n" : "\n";
    const pieces = ["a", "b", "größe", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ z"];
    const text = () =>
      random.text(30, pieces.map((piece) => piece + end)) + (random.once(3) ? "end" : "");
    const [before, after] = [text(), text()];
    if (before === after) continue;
    const diff = await unifiedDiff("file", before, after);
    const applied = apply(before, diff);
    assertEquals(textOf(applied), after, diff);
  }
});
