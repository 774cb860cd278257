import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { serveWire } from "../unit/host/network/_wire.ts";
import { integrity, tarball } from "../unit/tools/web/library/_packages.ts";
import { Pipe, Workspace } from "./toolgate.ts";

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
