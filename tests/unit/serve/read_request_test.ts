import { assert, assertEquals } from "@std/assert";
import { readRequest, type ServeRequest } from "../../../src/serve/_read_request.ts";
import { Random } from "../../random.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (value: unknown) => readRequest(encode(JSON.stringify(value)), "root");

Deno.test("a call takes its defaults", () => {
  assertEquals(read({ id: "x", tool: "read_file" }), {
    id: '"x"',
    kind: "call",
    call: {
      id: '"x"',
      tool: "read_file",
      args: {},
      agent: "root",
      timeoutMs: null,
      preview: false,
      stream: false,
    },
    words: [],
  });
});

Deno.test("a call takes what it was given", () => {
  const request = read({
    id: 3,
    op: "call",
    tool: "t",
    args: { a: 1 },
    agent: "child-1",
    timeout_ms: 5,
    preview: true,
    stream: true,
  });
  assert(request?.kind === "call");
  assertEquals(request.call, {
    id: "3",
    tool: "t",
    args: { a: 1 },
    agent: "child-1",
    timeoutMs: 5,
    preview: true,
    stream: true,
  });
});

Deno.test("operations are read", () => {
  const operation = (value: unknown) => {
    const request = read(value);
    assert(request?.kind === "operation");
    return request.operation;
  };
  assertEquals(operation({ id: 1, op: "cancel", target: 7 }), { op: "cancel", target: "7" });
  assertEquals(operation({ id: 1, op: "ping" }), { op: "ping" });
  assertEquals(operation({ id: 1, op: "reject", approval: "ap_1", reason: "no" }), {
    op: "reject",
    approval: "ap_1",
    reason: "no",
  });
  assertEquals(operation({ id: 1, op: "approve", approval: "ap_1", remember: "session" }), {
    op: "approve",
    approval: "ap_1",
    remember: "session",
  });
  assertEquals(operation({ id: 1, op: "approve", approval: "ap_1" }), {
    op: "approve",
    approval: "ap_1",
    remember: "once",
  });
});

Deno.test("what is wrong is said with its code, and the id comes back where there was one", () => {
  const cases: readonly (readonly [string, string, ServeRequest["id"], string])[] = [
    ["{", "INVALID_JSON", null, "not one JSON value"],
    ['{"id":1} {"id":2}', "INVALID_JSON", null, "not one JSON value"],
    ["[]", "INVALID_REQUEST", null, "JSON object"],
    ["null", "INVALID_REQUEST", null, "JSON object"],
    ['{"id":{},"tool":"t"}', "INVALID_REQUEST", null, "id"],
    ['{"id":true,"tool":"t"}', "INVALID_REQUEST", null, "id"],
    ['{"id":1}', "INVALID_REQUEST", "1", "tool"],
    ['{"id":1,"tool":""}', "INVALID_REQUEST", "1", "tool"],
    [
      JSON.stringify({ id: 1, tool: "t", words: Array(1_001).fill("a=b") }),
      "INVALID_REQUEST",
      "1",
      "words",
    ],
    [
      JSON.stringify({ id: 1, tool: "t", words: [`a=${"b".repeat(300_000)}`] }),
      "INVALID_REQUEST",
      "1",
      "args takes",
    ],
    ['{"id":1,"tool":7}', "INVALID_REQUEST", "1", "tool"],
    ['{"id":"a","tool":"t","args":[]}', "INVALID_REQUEST", '"a"', "args"],
    ['{"id":1,"tool":"t","args":null}', "INVALID_REQUEST", "1", "args"],
    ['{"id":1,"tool":"t","timeout_ms":0}', "INVALID_REQUEST", "1", "timeout_ms"],
    ['{"id":1,"tool":"t","timeout_ms":"5s"}', "INVALID_REQUEST", "1", "timeout_ms"],
    ['{"id":1,"tool":"t","preview":"no"}', "INVALID_REQUEST", "1", "preview"],
    ['{"id":1,"tool":"t","prevew":true}', "INVALID_REQUEST", "1", '"preview"'],
    ['{"id":1,"op":"cal","tool":"t"}', "INVALID_REQUEST", "1", '"call"'],
    ['{"id":1,"op":"cancel"}', "INVALID_REQUEST", "1", "target"],
    ['{"id":1,"op":"ping","tool":"t"}', "INVALID_REQUEST", "1", "tool"],
    ['{"id":1,"op":"toString"}', "INVALID_REQUEST", "1", "op"],
    ['{"id":1,"tool":"t","__proto__":{}}', "INVALID_REQUEST", "1", "__proto__"],
  ];
  for (const [line, code, id, words] of cases) {
    const request = readRequest(encode(line), "root");
    assert(request?.kind === "invalid", line);
    assertEquals([request.error.code, request.id], [code, id], line);
    assert(request.error.message.includes(words), `${line}: ${request.error.message}`);
  }
});

Deno.test("blank lines are passed over, bytes that are no UTF-8 are not", () => {
  assertEquals(readRequest(encode(" \t\r"), "root"), null);
  const request = readRequest(new Uint8Array([0x7b, 0xff, 0x7d]), "root");
  assert(request?.kind === "invalid" && request.error.code === "INVALID_JSON");
});

Deno.test("no line whatever throws, and messages stay short", () => {
  const random = new Random(3);
  const valid = JSON.stringify({ id: 1, tool: "read_file", args: { path: "a" }, timeout_ms: 5 });
  for (let round = 0; round < 5_000; round++) {
    const bytes = encode(valid);
    for (let flips = 1 + random.below(6); flips > 0; flips--) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    const request = readRequest(bytes.subarray(0, 1 + random.below(bytes.length)), "root");
    if (request?.kind === "invalid") assert(request.error.message.length < 400);
  }
});

Deno.test("custom tools are registered by a manifest or its path, and removed by name", () => {
  const operation = (value: Record<string, unknown>) => {
    const request = read({ id: 1, ...value });
    return request?.kind === "operation" ? request.operation : request?.kind;
  };
  const manifest = { name: "x" };
  assertEquals(operation({ op: "register", manifest }), { op: "register", manifest });
  assertEquals(operation({ op: "register", manifest, source: "" }), {
    op: "register",
    manifest,
    source: "",
  });
  assertEquals(operation({ op: "register", path: "x.yaml" }), { op: "register", path: "x.yaml" });
  assertEquals(operation({ op: "unregister", tool: "x" }), { op: "unregister", tool: "x" });
  const wrong: readonly Record<string, unknown>[] = [
    { op: "register" },
    { op: "register", manifest, path: "x" },
    { op: "register", manifest: "x" },
    { op: "register", manifest: [] },
    { op: "register", path: "" },
    { op: "register", manifest, tool: "x" },
    { op: "unregister" },
    { op: "unregister", tool: 5 },
    { op: "unregister", tool: "x", path: "y" },
    { op: "call", tool: "x", manifest },
  ];
  for (const value of wrong) assertEquals(operation(value), "invalid", JSON.stringify(value));
});

Deno.test("what a token is to be good for is read, and what it cannot be is refused", () => {
  const terms = (value: Record<string, unknown>) => {
    const request = read({ op: "token", ...value });
    if (request?.kind === "invalid") return request.error.message.split(":")[0];
    assert(request?.kind === "operation" && request.operation.op === "token");
    const given = Object.entries(request.operation.terms).filter(([, one]) => one !== null);
    return Object.fromEntries(given);
  };
  const table: readonly [Record<string, unknown>, unknown][] = [
    [{}, {}],
    [{ agent: "child-1", permissions: ["file_read", "file_read"] }, {
      agent: "child-1",
      permissions: ["file_read"],
    }],
    [{ permissions: ["all"] }, {}],
    [{ permissions: [] }, { permissions: [] }],
    [{ paths: ["src/**"], commands: ["git status"], tokens: 0, uid: 1 }, {
      paths: ["src/**"],
      commands: ["git status"],
      tokens: 0,
      uid: 1,
    }],
    [{ expires: "10m" }, { expiresMs: 600_000 }],
    [{ agent: "a b" }, "agent"],
    [{ permissions: ["files"] }, "permissions"],
    [{ permissions: "all" }, "permissions"],
    [{ paths: "src" }, "paths"],
    [{ paths: [1] }, "paths"],
    [{ paths: Array(257).fill("a") }, "paths"],
    [{ commands: ["x".repeat(4097)] }, "commands"],
    [{ tokens: -1 }, "tokens"],
    [{ tokens: 1.5 }, "tokens"],
    [{ uid: "0" }, "uid"],
    [{ expires: 10 }, "expires"],
    [{ expires: "0" }, "expires"],
    [{ expires: "21d" }, "expires"],
    [{ expires: "soon" }, "expires"],
    [{ path: "src" }, '"path"'],
    [{ token: "tg_" }, '"token"'],
  ];
  for (const [value, expected] of table) {
    assertEquals(terms(value), expected, JSON.stringify(value));
  }
});

Deno.test("a token is shown with hello, and revoked by its id", () => {
  const of = (value: unknown) => {
    const request = read(value);
    return request?.kind === "operation" ? request.operation : request?.kind;
  };
  assertEquals(of({ op: "hello" }), { op: "hello", protocol: "ndjson", token: null });
  assertEquals(of({ op: "hello", token: "tg_x", protocol: "mcp" }), {
    op: "hello",
    protocol: "mcp",
    token: "tg_x",
  });
  assertEquals(of({ op: "hello", token: "" }), "invalid");
  assertEquals(of({ op: "revoke", token: "tk_1" }), { op: "revoke", token: "tk_1" });
  assertEquals(of({ op: "revoke", token: "tk_1", approval: "ap_1" }), "invalid");
  assertEquals(of({ op: "revoke" }), "invalid");
});
