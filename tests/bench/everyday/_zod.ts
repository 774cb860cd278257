/** A TypeScript library with its tests, by vitest: zod's own sources. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

const PACKAGE = {
  name: "everyday-zod",
  version: "1.0.0",
  private: true,
  scripts: {
    test: "vitest run",
    typecheck: "tsc --noEmit",
    build: "tsc -p tsconfig.build.json",
    lint: "eslint scripts",
  },
  devDependencies: {
    esbuild: "0.25.9",
    eslint: "9.39.5",
    prettier: "3.6.2",
    tsx: "4.20.5",
    typescript: "5.9.3",
    vite: "6.3.5",
    vitest: "3.2.4",
    zod: "3.25.76",
  },
};

const TSCONFIG = {
  compilerOptions: {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    skipLibCheck: true,
    types: [],
  },
  include: ["src"],
  exclude: ["src/tests", "src/**/tests", "src/__tests__", "src/benchmarks"],
};

export const ZOD: EverydayProject = {
  name: "zod",
  npm: PACKAGE.devDependencies,
  debian: {},
  sources: [["zod/src/v3", "src"]],
  files: {
    "package.json": `${JSON.stringify(PACKAGE, null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    "tsconfig.build.json": `${
      JSON.stringify(
        {
          extends: "./tsconfig.json",
          compilerOptions: { outDir: "dist", declaration: true },
        },
        null,
        2,
      )
    }\n`,
    ".gitignore": "node_modules\ndist\n.env\n",
    "NOTES": "An agent works here.\n",
    "vitest.config.mjs": `export default {
  envDir: "config",
  resolve: { alias: { "zod/v3": new URL("./src/index.ts", import.meta.url).pathname } },
  test: { include: ["src/tests/{array,enum,object,string}.test.ts"] },
};
`,
    "vite.config.mjs": `export default {
  envDir: "config",
  build: { lib: { entry: "src/index.ts", formats: ["es"], fileName: "zod" }, outDir: "dist" },
};
`,
    "index.html":
      `<!doctype html><title>z</title><script type="module" src="/src/index.ts"></script>\n`,
    "eslint.config.mjs":
      `export default [{ files: ["**/*.mjs"], rules: { "no-dupe-keys": "error" } }];\n`,
    "scripts/hello.mjs": `console.log("hello");\n`,
    "scripts/demo.ts":
      `import { z } from "../src/index";\nconst shape: unknown = z.object({ a: z.number() });\nconsole.log(typeof shape);\n`,
    "scripts/hello.test.mjs":
      `import test from "node:test";\nimport assert from "node:assert";\ntest("one", () => assert.equal(1, 1));\n`,
    "scripts/service.mjs": `import * as esbuild from "esbuild";
const context = await esbuild.context({ entryPoints: ["src/index.ts"], bundle: true, write: false });
const { outputFiles } = await context.rebuild();
await context.rebuild();
console.log(outputFiles.length);
await context.dispose();
`,
    "scripts/dev_server.mjs": `import { createServer } from "vite";
const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
const { port } = server.httpServer.address();
const answer = await fetch(\`http://127.0.0.1:\${port}/\`);
console.log(answer.status, (await answer.text()).includes("<title>z</title>"));
await server.close();
`,
    "scripts/watch.mjs": `import { watch, writeFileSync } from "node:fs";
const watcher = watch("src", (_kind, name) => {
  if (name !== "seen.txt") return;
  console.log(name);
  watcher.close();
});
setTimeout(() => writeFileSync("src/seen.txt", "x"), 50);
`,
    "scripts/workers.mjs": `import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url));
  worker.on("message", (text) => console.log(text));
} else parentPort.postMessage("from a thread");
`,
    "scripts/children.mjs": `import { execFileSync, fork, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
if (process.send !== undefined) process.send("from a child", () => process.exit());
else {
  console.log(execFileSync("git", ["rev-parse", "--is-inside-work-tree"], { encoding: "utf8" }).trim());
  console.log(spawnSync("sh", ["-c", "echo $((1 + 2))"], { encoding: "utf8" }).stdout.trim());
  fork(fileURLToPath(import.meta.url)).on("message", (text) => console.log(text));
}
`,
    "scripts/unix_socket.mjs": `import net from "node:net";
const path = process.cwd() + "/s.sock";
const server = net.createServer((socket) => socket.end("over a socket"));
server.listen(path, () => {
  net.connect(path).on("data", (data) => console.log(String(data))).on("close", () => server.close());
});
`,
    "scripts/loopback.mjs": `import http from "node:http";
const server = http.createServer((_request, response) => response.end("over loopback"));
server.listen(0, "127.0.0.1", async () => {
  const answer = await fetch(\`http://127.0.0.1:\${server.address().port}/\`);
  console.log(await answer.text());
  server.close();
});
`,
  },
  history: TWO_COMMITS,
};
