import { assertEquals } from "@std/assert";
import { isLook } from "../../../../src/serve/listener/look.ts";
import { readRequest } from "../../../../src/serve/_read_request.ts";
import { createRegistry, TOOLS } from "../../../../src/tools/registry.ts";

const registry = createRegistry();

const CASES: readonly (readonly [line: string, pinned: boolean, look: boolean])[] = [
  ['{"tool":"read_file","args":{"path":"a"}}', false, true],
  ['{"tool":"fs.list","args":{"path":"a"}}', false, true],
  ['{"tool":"get_file_info","args":{}}', true, true],
  ['{"tool":"list_backups","agent":"other"}', false, true],
  ['{"tool":"list_backups","agent":"other"}', true, false],
  ['{"tool":"list_backups","agent":"root"}', true, true],
  ['{"tool":"read_file","words":["path=a"]}', false, false],
  ['{"tool":"read_file","args":{"path":"a"},"stream":true}', false, false],
  ['{"tool":"read_file","args":{"path":"a"},"preview":true}', false, false],
  ['{"tool":"read_file","args":{"path":"a"},"timeout_ms":10}', false, false],
  ['{"tool":"read_file","args":{"path":"a"},"tokens":0}', false, false],
  ['{"op":"explain","tool":"read_file","args":{"path":"a"}}', false, false],
  ['{"op":"ping"}', false, false],
  ['{"op":"cancel","target":1}', false, false],
  ['{"tool":"write_file","args":{"path":"a"}}', false, false],
  ['{"tool":"run_command","args":{"command":"ls"}}', false, false],
  ['{"tool":"search_files","args":{"pattern":"a"}}', false, false],
  ['{"tool":"get_help"}', false, false],
  ['{"tool":"no_such"}', false, false],
  ['{"tool":"file","args":{"action":"read"}}', false, false],
  ["[1]", false, false],
  ["{", false, false],
];

Deno.test("nothing is a look but a plain call of a tool that only looks", () => {
  for (const [line, pinned, expected] of CASES) {
    const request = readRequest(new TextEncoder().encode(line), "root");
    const found = request !== null &&
      isLook(request, { name: "root", pinned }, (tool) => registry.looks(tool));
    assertEquals(found, expected, line);
  }
});

Deno.test("tools that only look read files and nothing else, and none takes long", async () => {
  const looks = TOOLS.filter(({ looks }) => looks === true).map(({ name }) => name);
  assertEquals(looks.length, 4);
  for (const name of looks) {
    const tool = await registry.get(name);
    assertEquals(
      [tool.permission, tool.risk, tool.long, tool.riskOfPrograms, tool.tellsOutput],
      ["file_read", "safe", undefined, undefined, undefined],
      name,
    );
  }
});
