import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { createLazySyntax } from "../../../../src/engine/pool/thread_parts.ts";
import { SYSTEM_PATHS } from "../../../../src/sandbox/system_paths.ts";
import { ABI } from "../../sandbox/_libc.ts";
import { entering } from "./_entering.ts";

Deno.test("a thread that has entered its boundary sees nothing beyond it, and keeps what it opened before", async () => {
  const { layers, before, after, inside, programs, libc, syntax } = await entering("parts");
  assertEquals([before, after, inside], [true, ABI === 0, true]);
  assertEquals([layers.includes("landlock"), libc, programs], [ABI > 0, true, false]);
  assertStringIncludes(syntax, "x.json");
});

Deno.test("a thread that starts programs has what that takes", async () => {
  const spawn = {
    programs: ["/usr/bin/cat"],
    system: SYSTEM_PATHS,
    read: [],
    write: [],
    list: [],
    network: false,
  };
  const { programs, isOfBegun } = await entering("parts", { spawn });
  assertEquals([programs, isOfBegun], [true, false]);
  // Opened before it was known what would hold it: it is held as any.
  const ahead = await entering("begun", { spawn });
  assertEquals([ahead.programs, ahead.isOfBegun, ahead.after], [true, true, ABI === 0]);
});

Deno.test("texts are judged by what is loaded with the first of them", async () => {
  const syntax = createLazySyntax({ modules: () => Promise.reject(new Error("not for JSON")) });
  await syntax.check("a.json", "{}");
  await syntax.check("a.unknown", "{");
  const error = await assertRejects(() => syntax.check("a.json", "{"), ToolError);
  assertEquals(error.code, "SYNTAX_INVALID");
});
