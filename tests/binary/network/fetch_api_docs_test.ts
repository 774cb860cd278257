import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { serveWire } from "../../unit/host/network/_wire.ts";
import { integrity, tarball, zip } from "../../unit/tools/web/library/_packages.ts";
import { BINARY, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = "version: 1\nrisk: { allow: moderate, ask: dangerous }\n" +
  'agents: { root: { permissions: [all] } }\npaths: [{ allow: [read], match: ["**"] }, { deny: [read], match: ["closed/**"] }]\n';

const lock = (version: string) => JSON.stringify({ packages: { "node_modules/lib": { version } } });

Deno.test("fetch_api_docs over a pipe: the version that a lock file names, if it may be read", async () => {
  const good = tarball({
    "package/index.d.ts": "/** Adds. */\nexport declare function add(a: number): number;\n",
    "package/../../outside.d.ts": "export declare const out: 1;",
  });
  const bomb = new Uint8Array(gzipSync(new Uint8Array(80 * 1024 * 1024)));
  const elsewhere = serveWire(({ send }) => send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const packages: Record<string, Uint8Array> = {
    "1.0.0": good,
    "2.0.0": good,
    "3.0.0": bomb,
    "4.0.0": good,
  };
  const digests = new Map(
    await Promise.all(
      Object.entries(packages).map(async ([version, bytes]) =>
        [version, await integrity(bytes)] as const
      ),
    ),
  );
  const server = serveWire(async ({ head, send }) => {
    const path = head.split(" ")[1] ?? "";
    const version = /^\/lib\/(.+)$/.exec(path)?.[1]?.replace("latest", "2.0.0") ?? "";
    const packed = packages[/^\/p\/(.+)\.tgz$/.exec(path)?.[1] ?? ""];
    if (packed !== undefined) {
      await send(`HTTP/1.1 200 OK\r\nContent-Length: ${packed.length}\r\n\r\n`);
      return await send(packed);
    }
    if (!(version in packages)) return await send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
    const port = version === "4.0.0" ? elsewhere.port : server.port;
    const body = JSON.stringify({
      version,
      dist: {
        tarball: `http://127.0.0.1:${port}/p/${version}.tgz`,
        integrity: digests.get(version),
      },
    });
    return await send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  await using workspace = new Workspace({
    "package-lock.json": lock("1.0.0"),
    "closed/package-lock.json": lock("1.0.0"),
    "closed/package.json": "{}",
  });
  const base = `http://127.0.0.1:${server.port}`;
  const policy = workspace.policy(`${POLICY}web: { registries: { npm: { url: "${base}" } } }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const docs = (args: Record<string, unknown>) =>
    pipe.ask({ id: 1, tool: "fetch_api_docs", args: { library: "lib", ...args } });

  const found = await docs({});
  assertEquals(found.success, true, JSON.stringify(found));
  assertEquals(found.output.symbols, [
    {
      name: "add",
      kind: "function",
      signature: "function add(a: number): number",
      summary: "Adds.",
    },
  ]);
  const { version, requested_by, is_requested, untrusted, source } = found.output;
  assertEquals([version, requested_by, is_requested, untrusted, source], [
    "1.0.0",
    "package-lock.json",
    true,
    true,
    "type declarations",
  ]);
  // What may not be read says nothing: which ecosystem it is has to be told, and the version is the newest.
  assertEquals((await docs({ cwd: "closed" })).error?.code, "INVALID_ARGUMENTS");
  const closed = await docs({ cwd: "closed", ecosystem: "npm" });
  assertEquals([closed.output.version, closed.output.requested_by], ["2.0.0", "latest"]);

  const far = await docs({ version: "9.9.9" });
  assertEquals(far.error?.code ?? far.output?.is_requested, "HTTP_ERROR", JSON.stringify(far));
  assertEquals((await docs({ version: "3.0.0" })).error?.code, "RESOURCE_LIMIT");
  // Another origin than the one that the policy names takes a rule of its own.
  const away = await docs({ version: "4.0.0" });
  assertEquals([away.output?.source, away.output?.symbols], ["metadata", []], JSON.stringify(away));
  assertStringIncludes(away.output.notes[0], "is not allowed");
  const crates = await docs({ ecosystem: "crates" });
  assertEquals(crates.error?.code, "PROVIDER_NOT_CONFIGURED");
  assertStringIncludes(crates.error?.message ?? "", "web.registries");
  assertEquals((await docs({ library: "../x" })).error?.code, "INVALID_ARGUMENTS");
  assertEquals(elsewhere.connections, 0);
  assert(server.connections > 0);
  assertEquals([...Deno.readDirSync(workspace.base)].map(({ name }) => name).toSorted(), [
    "outside",
    "policy.yaml",
    "workspace",
  ]);
  await pipe.close();
  await Promise.all([server.close(), elsewhere.close()]);
});

const wheel = zip({
  "lib/__init__.py": "from .api import get\n",
  "lib/api.py": 'def get(url: str) -> bytes:\n    """Gets it."""\n',
});

/** What mirrors of PyPI, docs.rs with crates.io, and Go's proxy have: `lib` in versions, and one that is damaged. */
async function mirrored(origin: string): Promise<Readonly<Record<string, unknown>>> {
  const hash = await crypto.subtle.digest("SHA-256", wheel.slice());
  const sha256 = new Uint8Array(hash).toHex();
  const project = (version: string, digest = sha256) => ({
    info: { version, summary: "does it" },
    releases: { "1.1.1": [{}], "1.2": [{}] },
    urls: [{
      packagetype: "bdist_wheel",
      filename: `lib-${version}-py3-none-any.whl`,
      url: `${origin}/files/lib.whl`,
      digests: { sha256: digest },
    }],
  });
  const rustdoc = (crate_version: string) => ({
    root: 0,
    crate_version,
    format_version: 57,
    index: {
      0: {
        id: 0,
        name: "lib",
        visibility: "public",
        docs: "Does it.",
        deprecation: null,
        inner: { module: { is_crate: true, items: [1] } },
      },
      1: {
        id: 1,
        name: "Kind",
        visibility: "public",
        docs: null,
        deprecation: null,
        inner: {
          enum: { generics: { params: [], where_predicates: [] }, variants: [], impls: [] },
        },
      },
    },
  });
  const packed = (value: unknown) => new Uint8Array(gzipSync(JSON.stringify(value)));
  return {
    "/pypi/lib/json": project("1.2"),
    "/pypi/lib/1.1.1/json": project("1.1.1"),
    "/pypi/lib/0.1/json": project("0.1", "00".repeat(32)),
    "/files/lib.whl": wheel,
    "/crate/lib/latest/json.gz": packed(rustdoc("2.0.0")),
    "/crate/lib/1.0.0/json.gz": packed(rustdoc("1.0.0")),
    "/api/v1/crates/lib": { crate: { description: "a crate", max_stable_version: "2.0.0" } },
    "/api/v1/crates/lib/0.9.0": { version: {} },
    "/api/v1/crates/lib/0.9.0/download": tarball({
      "lib-0.9.0/src/lib.rs": "pub fn old(a: u8) -> u8 { a }\n",
    }),
    "/example.org/lib/@latest": { Version: "v1.3.0" },
    "/example.org/lib/@v/v1.2.0.info": { Version: "v1.2.0" },
    "/example.org/lib/@v/v1.3.0.info": { Version: "v1.3.0" },
    "/example.org/lib/@v/list": "v1.2.0\nv1.3.0\n",
    "/example.org/lib/@v/v1.2.0.zip": zip({
      "example.org/lib@v1.2.0/lib.go":
        "package lib\n\n// New makes one.\nfunc New() int { return 1 }\n",
    }),
    "/example.org/lib/@v/v1.3.0.zip": zip({
      "example.org/lib@v1.3.0/lib.go": "package lib\n\nfunc Newer() int { return 1 }\n",
    }),
  };
}

Deno.test("fetch_api_docs of PyPI, crates and Go from mirrors: what the lock names, and what was served in the end", async () => {
  let answers: Readonly<Record<string, unknown>> = {};
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const found = answers[pathname];
    if (found === undefined) return new Response("no", { status: 404 });
    if (found instanceof Uint8Array) return new Response(found.slice());
    return typeof found === "string" ? new Response(found) : Response.json(found);
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  answers = await mirrored(origin);
  await using workspace = new Workspace({
    "py/uv.lock": 'version = 1\n\n[[package]]\nname = "lib"\nversion = "1.1.1"\n',
    "broken/requirements.txt": "lib==0.1\n",
    "gone/requirements.txt": "lib==7.7\n",
    "rs/Cargo.lock":
      'version = 4\n\n[[package]]\nname = "lib"\nversion = "1.0.0"\nsource = "registry"\n',
    "old-rs/Cargo.lock": 'version = 4\n\n[[package]]\nname = "lib"\nversion = "0.9.0"\n',
    "go/go.mod": "module a\n\nrequire example.org/lib v1.2.0\n",
  });
  const names = ["pypi", "crates", "go"].map((name) => `${name}: { url: "${origin}" }`);
  const policy = workspace.policy(`${POLICY}web: { registries: { ${names.join(", ")} } }\n`);
  const sealed = `${workspace.base}/sealed`;
  assertEquals((await start(["seal", "--policy", policy, "-o", sealed])).status, 0);
  const rows: readonly (readonly [Record<string, unknown>, readonly unknown[]])[] = [
    [{ cwd: "py" }, ["1.1.1", "uv.lock", true, "docstrings", "lib.get"]],
    [{ ecosystem: "pypi" }, ["1.2", "latest", true, "docstrings", "lib.get"]],
    // Not there any more: the newest, and it says so.
    [{ cwd: "gone" }, ["1.2", "requirements.txt", false, "docstrings", "lib.get"]],
    [{ cwd: "broken" }, ["NETWORK_ERROR"]],
    [{ cwd: "rs" }, ["1.0.0", "Cargo.lock", true, "rustdoc", "lib::Kind"]],
    [{ cwd: "old-rs" }, ["0.9.0", "Cargo.lock", true, "source", "lib::old"]],
    [{ ecosystem: "crates" }, ["2.0.0", "latest", true, "rustdoc", "lib::Kind"]],
    [{ ecosystem: "crates", version: "5.0.0" }, [
      "2.0.0",
      "version",
      false,
      "rustdoc",
      "lib::Kind",
    ]],
    [{ cwd: "go", library: "example.org/lib" }, ["v1.2.0", "go.mod", true, "source", "New"]],
    [{ ecosystem: "go", library: "example.org/lib" }, [
      "v1.3.0",
      "latest",
      true,
      "source",
      "Newer",
    ]],
    [{ ecosystem: "go", library: "example.org/none" }, ["HTTP_ERROR"]],
  ];
  for (const [args, binary] of [[["--policy", policy], BINARY], [[], sealed]] as const) {
    const pipe = new Pipe(args, { cwd: workspace.root, binary });
    for (const [args, expected] of rows) {
      const { output, error } = await pipe.ask({
        id: 1,
        tool: "fetch_api_docs",
        args: { library: "lib", ...args },
      });
      const found = output === null || output === undefined ? [error?.code] : [
        ...[output.version, output.requested_by, output.is_requested, output.source],
        output.symbols[0]?.name,
      ];
      assertEquals(found, expected, JSON.stringify([args, error, output?.notes]));
    }
    await pipe.close();
  }
  assert(asked.length > 0);
  await server.shutdown();
});
