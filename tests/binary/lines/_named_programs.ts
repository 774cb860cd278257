/** What an honest day's work starts: programs by name, what they are given, and what they say when nothing holds them. */

/** One of them. */
export interface NamedProgram {
  readonly name: string;
  /** Programs of the machine, and packages as `npm:NAME`, without which it is left out. */
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  /** All that it writes to standard output, without colours and blank lines, or a part of it that tells. */
  readonly said: string | RegExp;
}

const TEST_BODY = `
test("adds", () => { expect(1 + 1).toBe(2); });
test("has a folder for files that do not stay", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "t-"));
  fs.writeFileSync(path.join(folder, "a"), "1");
  expect(fs.readFileSync(path.join(folder, "a"), "utf8")).toBe("1");
});
test("is as it was", () => { expect({ a: 1 }).toMatchSnapshot(); });
`;
const MODULES =
  'import fs from "node:fs"; import os from "node:os"; import path from "node:path";\n';
const SERVING = `
const server = http.createServer((_, response) => response.end("served"));
await new Promise((resolve) => server.listen(0, resolve));
const answer = await fetch("http://localhost:" + server.address().port);
assert.equal(await answer.text(), "served");
server.close();
`;
const CALC = {
  "src/main.ts": 'import { a } from "./a";\nconsole.log(a as string);\n',
  "src/a.ts": 'export const a: string = "built";\n',
};

/** Those of npm. */
export const NODE_PROGRAMS: readonly NamedProgram[] = [
  {
    name: "vitest",
    needs: ["npm:vitest"],
    files: {
      "a.test.ts": `import { expect, test } from "vitest";\n${MODULES}${TEST_BODY}`,
      "package.json": '{ "scripts": { "test": "vitest run" } }',
    },
    command: "npm test && ls __snapshots__",
    said: /Snapshots {2}1 written[^]*Tests {2}3 passed \(3\)[^]*a\.test\.ts\.snap/,
  },
  {
    name: "jest, two workers, with coverage",
    needs: ["npm:jest"],
    files: {
      "a.test.js":
        `const fs = require("fs"), os = require("os"), path = require("path");${TEST_BODY}`,
      "b.test.js": 'test("b", () => { expect(require("./b")).toBe(1); });',
      "b.js": "module.exports = 1;",
      "package.json": "{}",
    },
    command: "npx jest -w 2 --coverage --coverageReporters=json 2>&1 && ls coverage",
    said:
      /Tests: {7}4 passed, 4 total\nSnapshots: {3}1 passed|Tests: {7}4 passed[^]*coverage-final/,
  },
  {
    name: "mocha, side by side and one after the other",
    needs: ["npm:mocha"],
    files: {
      "test/a.mjs":
        `import assert from "node:assert"; import http from "node:http";\nit("serves", async () => {${SERVING}});\n`,
      "test/b.mjs": 'it("passes", () => {});\n',
      "package.json": "{}",
    },
    command: "npx mocha --parallel 'test/*.mjs' && npx mocha 'test/*.mjs'",
    said: /2 passing[^]*2 passing/,
  },
  {
    name: "tsx",
    needs: ["npm:tsx"],
    files: CALC,
    command: "npx tsx src/main.ts",
    said: "built",
  },
  {
    name: "esbuild's service: a change, a watch, a server",
    needs: ["npm:tsx"],
    files: {
      ...CALC,
      "build.cjs": `const esbuild = require("esbuild");
(async () => {
  console.log((await esbuild.transform("let a: number = 1", { loader: "ts" })).code.trim());
  const context = await esbuild.context({ entryPoints: ["src/main.ts"], bundle: true, outdir: "out" });
  await context.watch();
  const { port } = await context.serve({ port: 0, host: "127.0.0.1" });
  console.log((await (await fetch("http://127.0.0.1:" + port + "/main.js")).text()).includes("built"));
  await context.dispose();
})();
`,
    },
    command: "node build.cjs",
    said: "let a = 1;\ntrue",
  },
  {
    name: "vite build, with rollup's native addon",
    needs: ["npm:vite"],
    files: { ...CALC, "index.html": '<script type="module" src="/src/main.ts"></script>\n' },
    command: "npx vite build --logLevel error && grep -l built dist/assets/*.js | wc -l",
    said: "1",
  },
  {
    name: "vite's dev server over the loopback",
    needs: ["npm:vite"],
    files: {
      ...CALC,
      "index.html": '<script type="module" src="/src/main.ts"></script>\n',
      "probe.mjs": `import { createServer } from "vite";
const server = await createServer({ logLevel: "error", server: { port: 0 } });
await server.listen();
const { port } = server.httpServer.address();
const get = async (path) => (await fetch("http://localhost:" + port + path)).text();
console.log((await get("/")).includes("/@vite/client"), (await get("/src/main.ts")).includes("/src/a.ts"));
const changed = new Promise((resolve) => server.watcher.once("change", resolve));
(await import("node:fs")).appendFileSync("src/a.ts", "// more\\n");
console.log((await changed).endsWith("src/a.ts"));
await server.close();
`,
    },
    command: "node probe.mjs",
    said: "true true\ntrue",
  },
  {
    name: "chokidar",
    needs: ["npm:chokidar"],
    files: {
      "d/a": "1",
      "watch.cjs": `const fs = require("fs"), { watch } = require("chokidar");
const steps = [
  ["add d/b", () => fs.writeFileSync("d/b", "1")],
  ["change d/a", () => fs.appendFileSync("d/a", "2")],
  ["unlink d/a", () => fs.unlinkSync("d/a")],
  ["addDir d/n", () => fs.mkdirSync("d/n")],
  ["add d/n/x", () => fs.writeFileSync("d/n/x", "1")],
];
const watcher = watch("d", { ignoreInitial: true });
const next = () => steps.length === 0 ? process.exit() : steps[0][1]();
watcher.on("ready", next).on("all", (event, path) => {
  if (event + " " + path !== steps[0]?.[0]) return;
  console.log(steps.shift()[0]);
  next();
});
`,
    },
    command: "node watch.cjs",
    said: "add d/b\nchange d/a\nunlink d/a\naddDir d/n\nadd d/n/x",
  },
];

/** Those of the machine. */
export const MACHINE_PROGRAMS: readonly NamedProgram[] = [
  {
    name: "node:test, with a server of its own",
    needs: ["node"],
    files: {
      "a.test.mjs":
        `import test from "node:test"; import assert from "node:assert"; import http from "node:http";\ntest("serves", async () => {${SERVING}});\n`,
      "b.test.mjs": 'import test from "node:test"; test("passes", () => {});\n',
    },
    command: "node --test",
    said: /(?:#|ℹ) pass 2\n(?:#|ℹ) fail 0/,
  },
  {
    name: "fs.watch, by folders, and node --watch",
    needs: ["node"],
    files: {
      "d/s/a": "1",
      "a.mjs": 'console.log("one");\n',
      "watch.mjs": `import fs from "node:fs"; import { spawn } from "node:child_process";
const seen = new Promise((resolve) => {
  const watcher = fs.watch("d", { recursive: true }, (_, name) => {
    if (name !== "s/b") return;
    watcher.close();
    resolve(name);
  });
});
setTimeout(() => fs.writeFileSync("d/s/b", "1"), 100);
console.log(await seen);
const again = spawn(process.execPath, ["--watch", "a.mjs"], { stdio: ["ignore", "pipe", "inherit"] });
let said = "", wrote = false;
for await (const part of again.stdout) {
  said += part;
  if (said.includes("two")) break;
  if (!wrote && said.includes("one")) {
    wrote = true;
    setTimeout(() => fs.writeFileSync("a.mjs", 'console.log("two");'), 200);
  }
}
again.kill();
console.log("started again");
`,
    },
    command: "node watch.mjs",
    said: "s/b\nstarted again",
  },
  {
    name: "a native addon that was just compiled",
    needs: ["node", "gcc", "/usr/include/node/node_api.h"],
    files: {
      "a.c": `#include <node_api.h>
static napi_value Tell(napi_env env, napi_callback_info info) {
  napi_value value;
  napi_create_int32(env, 42, &value);
  return value;
}
NAPI_MODULE_INIT() {
  napi_value tell;
  napi_create_function(env, "tell", NAPI_AUTO_LENGTH, Tell, NULL, &tell);
  return tell;
}
`,
    },
    command:
      "gcc -shared -fPIC -I/usr/include/node -o a.node a.c && node -p 'require(\"./a.node\")()'",
    said: "42",
  },
  {
    name: "pytest with multiprocessing: forks, spawns, a server of forks, a manager, shared memory",
    needs: ["pytest"],
    files: {
      "test_a.py": `import multiprocessing as mp
from multiprocessing import shared_memory
import pytest

def square(x): return x * x

@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_pool(way):
    with mp.get_context(way).Pool(2) as pool: assert pool.map(square, [2, 3]) == [4, 9]

def test_manager():
    with mp.Manager() as manager:
        shared = manager.dict(a=1)
        assert shared["a"] == 1

def test_shared_memory():
    made = shared_memory.SharedMemory(create=True, size=4096)
    made.buf[0] = 7
    seen = shared_memory.SharedMemory(made.name)
    assert seen.buf[0] == 7
    seen.close(); made.close(); made.unlink()

def test_queue(tmp_path):
    queue, lock, semaphore = mp.Queue(), mp.Lock(), mp.Semaphore(2)
    process = mp.Process(target=queue.put, args=(1,))
    process.start()
    assert queue.get(timeout=20) == 1
    process.join()
`,
    },
    command: "pytest -q",
    said: /6 passed/,
  },
  {
    name: "sqlite: a log that several processes write, by shared memory and locks",
    needs: ["python3"],
    files: {
      "write.py": `import multiprocessing, os, sqlite3
def write(n):
    with sqlite3.connect("a.db", timeout=30) as base:
        for i in range(20):
            base.execute("insert into t values (?)", (i,))
            base.commit()
base = sqlite3.connect("a.db")
print(base.execute("pragma journal_mode = wal").fetchone()[0])
base.execute("create table t (x)")
base.commit()
with multiprocessing.Pool(3) as pool: pool.map(write, range(3))
print(base.execute("select count(*) from t").fetchone()[0], os.path.exists("a.db-shm"), os.path.exists("a.db-wal"))
base.close()
print(sorted(name for name in os.listdir(".") if name.startswith("a.db")))
`,
    },
    command: "python3 write.py",
    said: "wal\n60 True True\n['a.db']",
  },
  {
    name: "make -j with a jobserver",
    needs: ["make", "gcc"],
    files: {
      "Makefile": "all: a b c\n\t$(MAKE) -C s x y\n%: %.c\n\t$(CC) -o $@ $<\n.PHONY: all\n",
      "a.c": "int main(void) { return 0; }\n",
      "b.c": "int main(void) { return 0; }\n",
      "c.c": "int main(void) { return 0; }\n",
      "s/Makefile": "x y:\n\techo $@ > $@\n",
    },
    command: "make -s -j4 && ./a && ./b && ./c && cat s/x s/y",
    said: "x\ny",
  },
  {
    name: "cmake and ctest",
    needs: ["cmake", "gcc", "make"],
    files: {
      "CMakeLists.txt":
        "cmake_minimum_required(VERSION 3.10)\nproject(a C)\nenable_testing()\nadd_library(l l.c)\nadd_executable(m m.c)\ntarget_link_libraries(m l)\nadd_test(NAME m COMMAND m)\n",
      "l.c": "int l(void) { return 0; }\n",
      "m.c": "int l(void);\nint main(void) { return l(); }\n",
    },
    command: "cmake -B build && cmake --build build -j2 && ctest --test-dir build",
    said: /100% tests passed/,
  },
  {
    name: "go test",
    needs: ["go"],
    files: {
      "go.mod": "module example.org/a\n\ngo 1.19\n",
      "a.go": "package a\n\nfunc Add(a, b int) int { return a + b }\n",
      "a_test.go":
        'package a\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 || os.WriteFile(t.TempDir()+"/x", nil, 0o600) != nil {\n\t\tt.Fatal()\n\t}\n}\n',
    },
    command: "go test ./...",
    said: /^ok\s+example\.org\/a/,
  },
  {
    name: "cargo test",
    needs: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs":
        "/// ```\n/// assert_eq!(a::add(1, 2), 3);\n/// ```\npub fn add(a: i32, b: i32) -> i32 { a + b }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::add(1, 2), 3) }\n}\n",
    },
    command: "cargo test --offline",
    said: /test tests::adds \.\.\. ok[^]*test src\/lib\.rs - add \(line 1\) \.\.\. ok/,
  },
  {
    name: "cargo new, a build script, and a test that starts the program",
    needs: ["cargo"],
    files: {
      "build.rs": `fn main() {
    let out = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("a.rs");
    std::fs::write(out, "const WORD: &str = \\"built\\";").unwrap();
}
`,
      "main.rs": 'include!(concat!(env!("OUT_DIR"), "/a.rs"));\nfn main() { println!("{WORD}") }\n',
      "program.rs": `#[test]
fn says() {
    let said = std::process::Command::new(env!("CARGO_BIN_EXE_n")).output().unwrap().stdout;
    assert_eq!(said, b"built\\n");
}
`,
    },
    command: "cargo new --vcs none -q n && mv build.rs n && mv main.rs n/src && mkdir n/tests && " +
      "mv program.rs n/tests && cd n && CARGO_TARGET_DIR=out cargo run -q && " +
      "CARGO_TARGET_DIR=out cargo test -q && ls",
    said: /^built\n[^]*1 passed[^]*Cargo\.toml\nbuild\.rs\nout\nsrc\ntests$/m,
  },
  {
    name: "git with a worktree",
    needs: [],
    files: { "a.txt": "1\n" },
    command: "git init -q && git config user.name me && git config user.email me@example.org && " +
      "git add a.txt && git commit -qm one && git worktree add -q wt -b two && " +
      "(cd wt && echo 2 > a.txt && git commit -qam two) && git worktree remove wt && " +
      "git merge -q two && cat a.txt && git log --oneline | wc -l",
    said: "2\n2",
  },
];
