/** A JavaScript server: express's own sources, with tests by mocha, jest and node. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

const PACKAGE = {
  name: "everyday-express",
  version: "1.0.0",
  private: true,
  main: "lib/express.js",
  scripts: {
    "test": "npm run test:mocha && npm run test:node",
    "test:mocha": "mocha test/mocha",
    "test:jest": "jest test/jest",
    "test:node": "node --test test/node",
    "start": "node server.js",
  },
  dependencies: { express: "5.1.0" },
  devDependencies: {
    eslint: "9.39.5",
    jest: "30.1.3",
    mocha: "11.7.2",
    prettier: "3.6.2",
    supertest: "7.1.4",
  },
};

const TEST = `const express = require("../../lib/express");
const request = require("supertest");
`;

export const EXPRESS: EverydayProject = {
  name: "express",
  npm: { ...PACKAGE.dependencies, ...PACKAGE.devDependencies },
  debian: { "/usr/bin/sqlite3": "sqlite3" },
  sources: [["express/lib", "lib"]],
  files: {
    "package.json": `${JSON.stringify(PACKAGE, null, 2)}\n`,
    ".gitignore": "node_modules\ncoverage\n.env\n",
    "NOTES": "An agent works here.\n",
    "server.js": `const express = require("./lib/express");
const app = express();
app.get("/", (request, response) => response.send("hello\\n"));
app.listen(Number(process.env.PORT ?? 3987), "127.0.0.1");
`,
    "test/mocha/app.js": `${TEST}describe("app", () => {
  it("answers", () => {
    var app = express();
    app.get("/", (_, response) => response.json({ a: 1 }));
    return request(app).get("/").expect(200, { a: 1 });
  });
  it("knows no other", () => request(express()).get("/x").expect(404));
});
`,
    "test/mocha/more.js":
      `describe("more", () => { it("adds", () => { if (1 + 1 !== 2) throw 1; }); });\n`,
    "test/jest/app.test.js": `${TEST}test("answers", async () => {
  const app = express();
  app.get("/", (_, response) => response.send("x"));
  expect((await request(app).get("/")).text).toBe("x");
});
`,
    "test/jest/plain.test.js": `test("adds", () => expect(1 + 1).toBe(2));\n`,
    "test/node/app.test.js": `const test = require("node:test");
const assert = require("node:assert");
const http = require("node:http");
const express = require("../../lib/express");
test("answers", (_, done) => {
  const app = express();
  app.get("/", (_, response) => response.send("x"));
  const server = app.listen(0, "127.0.0.1", () => {
    http.get({ port: server.address().port, host: "127.0.0.1" }, (response) => {
      assert.equal(response.statusCode, 200);
      response.resume();
      server.close(done);
    });
  });
});
`,
    "scripts/probe.js": `const { spawn } = require("node:child_process");
const http = require("node:http");
const server = spawn(process.execPath, ["server.js"], { env: { ...process.env, PORT: "39871" } });
const ask = (left) => http.get("http://127.0.0.1:39871/", (response) => {
  response.on("data", (data) => process.stdout.write(data)).on("end", () => server.kill());
}).on("error", (error) => left > 0 ? setTimeout(ask, 100, left - 1) : (console.log(error.code), server.kill()));
ask(50);
`,
    "scripts/run.sh":
      `#!/bin/sh\nset -e\nfor name in lib/*.js; do\n  echo "$name"\ndone | head -2\n`,
    "scripts/sqlite.mjs": `import { DatabaseSync } from "node:sqlite";
const own = new DatabaseSync("own.db");
own.exec("create table a(b); insert into a values (1)");
console.log(own.prepare("select b from a").get().b);
`,
    "scripts/shm.mjs": `import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
writeFileSync("/dev/shm/everyday", "shared");
console.log(readFileSync("/dev/shm/everyday", "utf8"));
unlinkSync("/dev/shm/everyday");
`,
  },
  history: TWO_COMMITS,
};
