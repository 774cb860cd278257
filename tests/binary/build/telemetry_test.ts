/** OpenTelemetry: from builds that have it, what was called and how it went; from others nothing; from none a secret. */

import { assert, assertEquals } from "@std/assert";
import { unsealed } from "../../../scripts/build.ts";
import { builtForTests } from "../../../scripts/testing/binaries.ts";
import { BINARY, call, Workspace } from "../toolgate.ts";

const OBSERVED = await builtForTests("toolgate-observed", await unsealed(true));

/** What a collector hears while `during` runs: the path and the text of each message. */
async function collect(during: (endpoint: string) => Promise<void>): Promise<readonly string[]> {
  const heard: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (sent) => {
      heard.push(`${new URL(sent.url).pathname} ${await sent.text()}`);
      return new Response("");
    },
  );
  await during(`http://127.0.0.1:${server.addr.port}`);
  await server.shutdown();
  return heard;
}

Deno.test("traces, metrics and logs of calls reach a collector, without arguments", async () => {
  await using workspace = new Workspace({ "a.txt": "secret-content\n" });
  const heard = await collect(async (endpoint) => {
    const options = {
      binary: OBSERVED,
      cwd: workspace.root,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    };
    const good = await call(["read_file", "path=a.txt"], options);
    assertEquals([good.answer.success, good.stderr], [true, ""]);
    const bad = await call(["read_file", "path=secret-name"], options);
    assertEquals([bad.answer.error?.code, bad.stderr], ["FILE_NOT_FOUND", ""]);
  });
  for (const path of ["/v1/traces", "/v1/metrics", "/v1/logs"]) {
    assert(heard.some((message) => message.startsWith(path)), `${path}: ${heard.length} messages`);
  }
  const all = heard.join("\n");
  for (const word of ["tool read_file", "toolgate.calls", "toolgate.latency", "FILE_NOT_FOUND"]) {
    assert(all.includes(word), word);
  }
  assert(!all.includes("secret-content") && !all.includes("secret-name"));
});

Deno.test("a build without telemetry sends nothing, whatever the environment says", async () => {
  await using workspace = new Workspace({ "a.txt": "x\n" });
  const heard = await collect(async (endpoint) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_DENO: "true" };
    const { answer } = await call(["read_file", "path=a.txt"], {
      binary: BINARY,
      cwd: workspace.root,
      env,
    });
    assert(answer.success);
  });
  assertEquals(heard, []);
});

Deno.test("a collector that is not there holds no call up", async () => {
  await using workspace = new Workspace({ "a.txt": "x\n" });
  const { answer } = await call(["read_file", "path=a.txt"], {
    binary: OBSERVED,
    cwd: workspace.root,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
  });
  assert(answer.success);
});
