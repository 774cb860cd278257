/** Toolgate as who works on it runs it: from source, without a build. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

Deno.test("a call works from source, too", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "main.ts", "call", "read_file", "path=LICENSE", "end_line=1"],
    cwd: ROOT,
    stdin: "null",
  }).output();
  const answer = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals([answer.error, answer.output?.content], [null, "MIT License\n"]);
});
