/** A server over TLS on the loopback with what real clients ask for: an npm package, a Python package, a git repository. */

import { backend } from "../_git_server.ts";

export interface RegistryServer {
  readonly port: number;
  /** Methods and paths, as they came. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

async function run(argv: readonly string[], cwd: string, stdin?: string): Promise<string> {
  const [program = "", ...args] = argv;
  const child = new Deno.Command(program, {
    args,
    cwd,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
  }).spawn();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(`${argv.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

const WHEEL = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("served.py", "said = 'by the registry'\\n")
    wheel.writestr("served-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: served\\nVersion: 1.0\\n")
    wheel.writestr("served-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("served-1.0.dist-info/RECORD", "")
`;

/** `folder` is the test's to remove; `certificate` is for `localhost`. */
export async function serveRegistry(
  folder: string,
  certificate: { readonly cert: string; readonly key: string },
): Promise<RegistryServer> {
  await Deno.mkdir(`${folder}/package`);
  await Deno.writeTextFile(
    `${folder}/package/package.json`,
    '{"name":"served","version":"1.0.0","main":"index.js"}',
  );
  await Deno.writeTextFile(`${folder}/package/index.js`, "module.exports = 'by the registry';\n");
  await run(["tar", "-czf", "served.tgz", "package"], folder);
  await run(["/usr/bin/python3", "-c", WHEEL, "served-1.0-py3-none-any.whl"], folder);
  await run(["git", "init", "-q", "-b", "main", "source"], folder);
  await Deno.writeTextFile(`${folder}/source/a.txt`, "from afar\n");
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  await run(["git", "add", "."], `${folder}/source`);
  await run(["git", ...identity, "commit", "-q", "-m", "first"], `${folder}/source`);
  await run(["git", "clone", "-q", "--bare", "source", "served.git"], folder);
  await run(["git", "config", "http.receivepack", "true"], `${folder}/served.git`);
  const asked: string[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...certificate,
    onListen: () => {},
  }, async (request) => {
    const { pathname, search, host } = new URL(request.url);
    asked.push(`${request.method} ${pathname}`);
    if (pathname.startsWith("/served.git/")) return await backend(folder, request, search);
    switch (pathname) {
      case "/served": {
        const tarball = `https://${host}/served.tgz`;
        const one = { name: "served", version: "1.0.0", dist: { tarball } };
        return Response.json({
          name: "served",
          "dist-tags": { latest: "1.0.0" },
          versions: { "1.0.0": one },
        });
      }
      case "/simple/served/":
        return new Response(
          '<a href="/served-1.0-py3-none-any.whl">served-1.0-py3-none-any.whl</a>',
          { headers: { "content-type": "text/html" } },
        );
      case "/served.tgz":
      case "/served-1.0-py3-none-any.whl":
        return new Response(await Deno.readFile(`${folder}${pathname}`));
      case "/key":
        return new Response(`said ${request.headers.get("authorization")}`);
      case "/key/encoded": {
        const said = request.headers.get("authorization") ?? "";
        const bytes = new TextEncoder().encode(said);
        const letters = Array.from(bytes, (byte) => `%${byte.toString(16)}`).join("");
        return new Response([bytes.toBase64(), bytes.toHex(), letters].join(" "));
      }
      case "/hello":
        return new Response("hello");
      default:
        return new Response("no", { status: 404 });
    }
  });
  return { port: server.addr.port, asked, close: () => server.shutdown() };
}
