import { assert, assertEquals, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { AuditLog } from "../../../../../src/audit/log.ts";
import type { CanonicalPath } from "../../../../../src/core/capability.ts";
import { ToolError } from "../../../../../src/core/errors.ts";
import { createAuditStorage } from "../../../../../src/host/storage/linux/audit_storage.ts";
import { verifyChain } from "../../../../../src/audit/verify.ts";
import { openLibc } from "../../../../../src/sandbox/kernel/libc.ts";
import { withDirectory } from "../../files/_temporary.ts";

const LIBC = openLibc();
assert(LIBC !== null);
const storageOf = (path: string) => createAuditStorage(LIBC, path as CanonicalPath);
const OPTIONS = { maxSize: 1 << 20, now: () => new Date(0) };
const ENTRY = {
  kind: "outcome",
  time: "",
  call: "c",
  agent: "a",
  tool: "t",
  success: true,
  code: null,
  message: null,
  latency_ms: 0,
  layers: [],
} as const;

function textsOf(path: string, numbers: readonly number[]) {
  return [...numbers.map((number) => `${path}.${number}`), path].map((file) => {
    const text = Deno.readTextFileSync(file);
    return {
      file,
      lines: text.split("\n").slice(0, -1),
      ended: text === "" || text.endsWith("\n"),
    };
  });
}

Deno.test("many processes append to one log, which is put aside now and then: one chain, all there", async () => {
  await withDirectory(async (root) => {
    const path = `${root}/deep/audit.ndjson`;
    const script = fromFileUrl(new URL("_appender.ts", import.meta.url));
    const children = Array.from({ length: 8 }, (_, i) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--no-check", "-A", script, path, "250", "60000", `w${i}`],
      }).output());
    for (const { code, stderr } of await Promise.all(children)) {
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    }
    const rotated = storageOf(path).rotated();
    assert(rotated.length >= 5, `${rotated}`);
    const texts = textsOf(path, rotated);
    assertEquals(verifyChain(texts).problems, []);
    const calls = texts.flatMap(({ lines }) => lines).flatMap((line) =>
      /"call":"(w\d+-\d+)"/.exec(line)?.[1] ?? []
    );
    assertEquals(new Set(calls).size, 2_000);
    assertEquals(calls.length, 2_000);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("a log is never written through a link, nor into what is no file", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/sentinel`, "untouched");
    Deno.symlinkSync(`${root}/sentinel`, `${root}/log`);
    Deno.mkdirSync(`${root}/real`);
    Deno.symlinkSync(`${root}/real`, `${root}/folder`);
    Deno.mkdirSync(`${root}/dir`);
    for (const path of ["log", "folder/log", "dir"]) {
      assertThrows(() => storageOf(`${root}/${path}`).open(), ToolError);
    }
    assertEquals(Deno.readTextFileSync(`${root}/sentinel`), "untouched");
    assertEquals([...Deno.readDirSync(`${root}/real`)], []);
  });
});

/** Opened outside of the test, which would take it for a leak. */
const QUICK = openLibc({ quickLogs: true });

Deno.test("writers with quick calls and with others go on after each other", async () => {
  assert(QUICK !== null);
  await withDirectory((root) => {
    const path = `${root}/log` as CanonicalPath;
    const writers = [LIBC, QUICK].map((libc) =>
      new AuditLog(createAuditStorage(libc, path), { ...OPTIONS, maxSize: 4_000 })
    );
    for (let i = 0; i < 60; i++) writers[(i >> 1) % 2]?.append([ENTRY, ENTRY], i % 7 === 0);
    const rotated = storageOf(path).rotated();
    assert(rotated.length > 5, `${rotated}`);
    assertEquals(verifyChain(textsOf(path, rotated)).problems, []);
  });
});

Deno.test("a chain goes on after the file that was put aside", async () => {
  await withDirectory((root) => {
    const path = `${root}/log`;
    new AuditLog(storageOf(path), OPTIONS).append([ENTRY], true);
    Deno.renameSync(path, `${path}.1`);
    new AuditLog(storageOf(path), OPTIONS).append([ENTRY], true);
    assertEquals(verifyChain(textsOf(path, [1])).problems, []);
  });
});
