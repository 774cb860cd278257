/** What the tests of the README read it and its Dockerfile with: strict, so that nothing there goes untested. */

import { assertEquals, assertThrows } from "@std/assert";
import { parseDockerfile } from "../_dockerfile.ts";
import { blocksOf } from "../_readme.ts";

const GOOD = `FROM example/base:nonroot
# A comment.
COPY --chmod=755 toolgate /usr/bin/toolgate
WORKDIR /workspace
USER 65532:65532
ENTRYPOINT ["/usr/bin/toolgate"]
CMD ["serve"]
`;

Deno.test("parseDockerfile() reads what it knows", () => {
  assertEquals(parseDockerfile(GOOD), {
    base: "example/base:nonroot",
    copies: [{ from: "toolgate", to: "/usr/bin/toolgate", mode: 0o755 }],
    workdir: "/workspace",
    user: { uid: 65532, gid: 65532 },
    entrypoint: ["/usr/bin/toolgate"],
    command: ["serve"],
  });
});

const dockerfiles: readonly (readonly [string, string, string])[] = [
  ["an instruction that needs a shell", `${GOOD}RUN true\n`, "not understood: RUN true"],
  ["an instruction twice", `${GOOD}USER 1:1\n`, "USER is there twice"],
  ["no base", GOOD.replace(/FROM.*\n/, ""), "does not start with FROM"],
  ["root", GOOD.replace("65532:65532", "0:0"), "USER is missing"],
  ["a user by name", GOOD.replace("65532:65532", "nonroot"), "USER is missing"],
  ["no user", GOOD.replace(/USER.*\n/, ""), "USER is missing"],
  ["a command for a shell", GOOD.replace('["serve"]', "serve"), "CMD is missing"],
  ["a copy without a mode", GOOD.replace("--chmod=755 ", ""), "not understood: COPY"],
  ["a relative destination", GOOD.replace(" /usr/bin/toolgate\n", " bin\n"), "not understood"],
  ["words that are none", GOOD.replace('["serve"]', "[1]"), "no word"],
];

for (const [name, text, message] of dockerfiles) {
  Deno.test(`parseDockerfile() refuses ${name}`, () => {
    assertThrows(() => parseDockerfile(text), Error, message);
  });
}

Deno.test("blocksOf() finds the fenced blocks with their lines", () => {
  assertEquals(blocksOf("# T\n\n```sh\na\n\nb\n```\n\n```go\n```\n"), [
    { language: "sh", text: "a\n\nb\n", line: 3 },
    { language: "go", text: "\n", line: 9 },
  ]);
});

for (
  const [name, text, message] of [
    ["no language", "```\na\n```\n", "line 1: a block of no language"],
    ["no end", "\n```sh\na\n", "line 2: this block is not closed"],
    ["another within", "```sh\n```go\n```\n", "line 2: a block within a block"],
  ] as const
) {
  Deno.test(`blocksOf() refuses a block with ${name}`, () => {
    assertThrows(() => blocksOf(text), Error, message);
  });
}
