/** What lies outside the workspace is not told, not even whether it is there. Judged by comparing answers to pairs of paths. */

import { assert, assertEquals } from "@std/assert";
import { lchownSync } from "node:fs";
import { call, serveAll, type StartOptions, Workspace } from "../binary/toolgate.ts";
import { Session } from "../binary/_mcp_session.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, cp, ls, python3, uv] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** Below the folder outside: a file, a folder, links, a circle, what nobody may enter; and beside each nothing. */
const THERE = [
  "file",
  "file/x",
  "file/x/y",
  "file/../file",
  "folder",
  "folder/",
  "folder/x",
  "folder/deep/file/x",
  "link",
  "link/x",
  "dangling",
  "dangling/x",
  "circle",
  "circle/x",
  "shut",
  "shut/x",
  "shut/x/y",
  "socket/x",
] as const;

function lay(): Workspace {
  const workspace = new Workspace({ "inside.txt": "x" });
  const at = (name: string) => `${workspace.outside}/${name}`;
  Deno.writeTextFileSync(at("file"), "secret");
  Deno.mkdirSync(at("folder/deep"), { recursive: true });
  Deno.writeTextFileSync(at("folder/x"), "secret");
  Deno.writeTextFileSync(at("folder/deep/file"), "secret");
  Deno.symlinkSync("folder", at("link"));
  Deno.symlinkSync("nowhere", at("dangling"));
  Deno.symlinkSync("circle", at("circle"));
  Deno.mkdirSync(at("shut"), { mode: 0o000 });
  Deno.writeTextFileSync(at("socket"), "");
  Deno.symlinkSync(workspace.outside, workspace.path("way"));
  return workspace;
}

/** Each tool that takes a path, with it; what else it is given lies inside. */
const TOOLS: readonly (readonly [string, (path: string) => Record<string, unknown>])[] = [
  ["read_file", (path) => ({ path })],
  ["write_file", (path) => ({ path, content: "x" })],
  ["create_file", (path) => ({ path, content: "x" })],
  ["edit_file", (path) => ({ path, content: "x" })],
  ["append_file", (path) => ({ path, content: "x" })],
  ["delete_file", (path) => ({ path, recursive: true })],
  ["copy_file", (path) => ({ src: path, dst: "copy" })],
  ["copy_file", (path) => ({ src: "inside.txt", dst: path })],
  ["move_file", (path) => ({ src: path, dst: "moved" })],
  ["move_file", (path) => ({ src: "inside.txt", dst: path })],
  ["create_directory", (path) => ({ path })],
  ["list_directory", (path) => ({ path })],
  ["get_file_info", (path) => ({ path })],
  ["search_files", (path) => ({ pattern: "x", path })],
  ["find_files", (path) => ({ glob: "*", path })],
  ["list_backups", (path) => ({ path })],
  ["restore_file", (path) => ({ path })],
  ["run_command", (path) => ({ argv: ["ls"], cwd: path })],
  ["run_command", (path) => ({ argv: ["python3", "-c", "1"], cwd: path })],
  ["create_virtual_environment", (path) => ({ path })],
  ["run_command", (path) => ({ argv: ["cat", path] })],
  ["run_command", (path) => ({ argv: ["cp", "inside.txt", path] })],
  ["run_command", (path) => ({ command: `cat <${path}` })],
];

const USERS: readonly (readonly [string, Pick<StartOptions, "user">])[] = Deno.uid() === 0
  ? [["root", {}], ["an ordinary user", { user: { uid: 65532, gid: 65532 } }]]
  : [["this user", {}]];

/** The same path with nothing there: of equal length, so that nothing else differs. */
function absent(path: string): string {
  const [first = "", ...rest] = path.split("/");
  return ["z".repeat(first.length), ...rest].join("/");
}

for (const [who, user] of USERS) {
  Deno.test(`outside is outside, whatever is there: serve, ${who}`, async () => {
    await using workspace = lay();
    if (user.user !== undefined) {
      const { uid, gid } = user.user;
      for (const path of [workspace.base, workspace.root, workspace.path("inside.txt")]) {
        lchownSync(path, uid, gid);
      }
    }
    const places = (
      path: string,
    ) => [`${workspace.outside}/${path}`, `../outside/${path}`, `way/${path}`];
    const requests: Record<string, unknown>[] = [];
    const pairs: [string, string, number][] = [];
    for (const [tool, args] of TOOLS) {
      for (const there of THERE) {
        const found = places(there);
        for (const [at, missing] of places(absent(there)).entries()) {
          const path = found[at] ?? "";
          pairs.push([path, missing, requests.length]);
          requests.push({ id: requests.length, tool, args: args(path) });
          requests.push({ id: requests.length, tool, args: args(missing) });
        }
      }
    }
    const { answers } = await serveAll(requests, ["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...user,
    });
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    for (const [path, missing, id] of pairs) {
      const told = (answer: typeof answers[number] | undefined, own: string) =>
        JSON.stringify([answer?.success, answer?.error, answer?.output])
          .replaceAll(own.split("/").slice(0, -1).join("/"), "…").replaceAll(own, "PATH");
      const [one, other] = [byId.get(id), byId.get(id + 1)];
      const first = absentIn(told(one, path));
      assertEquals(first, absentIn(told(other, missing)), JSON.stringify(requests[id]));
      assertEquals(one?.success, false, JSON.stringify([requests[id], one]));
    }
    assert(pairs.length > 1000);
    assertEquals(Deno.readTextFileSync(`${workspace.outside}/file`), "secret");
    Deno.chmodSync(`${workspace.outside}/shut`, 0o700);
  });
}

/** Names of what is there made those of what is not. */
function absentIn(text: string): string {
  const names = [...new Set(THERE.map((path) => path.split("/")[0] ?? ""))];
  return names.reduce(
    (before, name) =>
      before.replaceAll(
        new RegExp(`(?<=outside/|way/|/)${name}(?![a-z_])`, "g"),
        "z".repeat(name.length),
      ),
    text,
  );
}

for (const [who, user] of USERS) {
  Deno.test(`outside is outside, whatever is there: call and mcp, ${who}`, async () => {
    await using workspace = lay();
    if (user.user !== undefined) {
      const { uid, gid } = user.user;
      for (const path of [workspace.base, workspace.root]) lchownSync(path, uid, gid);
    }
    const policy = ["--policy", workspace.policy(POLICY)];
    const session = new Session(workspace, POLICY, user);
    await session.initialize("2025-06-18");
    for (const path of ["file/x", "shut/x", "circle/x", "folder"]) {
      const codes = [];
      for (const one of [path, absent(path)]) {
        const whole = `../outside/${one}`;
        const called = await call(["read_file", `path=${whole}`, ...policy], {
          cwd: workspace.root,
          ...user,
        });
        const asked = await session.ask("tools/call", {
          name: "read_file",
          arguments: { path: whole },
        });
        codes.push([
          called.answer.error?.code,
          /[A-Z_]{6,}/.exec(JSON.stringify(asked.result))?.[0],
        ]);
      }
      assertEquals(codes[0], codes[1], path);
      assertEquals(codes[0]?.[0], "PATH_OUTSIDE_WORKSPACE");
    }
    await session.close();
    Deno.chmodSync(`${workspace.outside}/shut`, 0o700);
  });
}
