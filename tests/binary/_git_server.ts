/** Repositories over TLS on the loopback, as a host of repositories has them. */

export interface GitServer {
  readonly port: number;
  /** Methods, paths and who asked, as they came. */
  readonly asked: readonly { readonly path: string; readonly headers: Headers }[];
  close(): Promise<void>;
}

/** What whoever asks for `/locked/…` must say of himself. */
export const AUTHORIZATION = `Basic ${btoa("agent:sesame")}`;

/** `folder` has the repositories; those below `/locked/` are the same, for who knows. `certificate` is for `localhost`; null: without TLS. */
export function serveGit(
  folder: string,
  certificate: { readonly cert: string; readonly key: string } | null,
): GitServer {
  const asked: { path: string; headers: Headers }[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...certificate ?? {},
    onListen: () => {},
  }, async (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push({ path: `${request.method} ${pathname}`, headers: request.headers });
    const path = pathname.replace(/^\/locked\//, "/");
    if (path !== pathname && request.headers.get("authorization") !== AUTHORIZATION) {
      return new Response("no", { status: 401, headers: { "www-authenticate": "Basic" } });
    }
    return await backend(folder, request, search, path);
  });
  return { port: server.addr.port, asked, close: () => server.shutdown() };
}

/** git-http-backend(1), by CGI (RFC 3875). */
export async function backend(
  folder: string,
  request: Request,
  search: string,
  path = new URL(request.url).pathname,
): Promise<Response> {
  const child = new Deno.Command("git", {
    args: ["http-backend"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    clearEnv: true,
    env: {
      PATH: "/usr/bin:/bin",
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get("content-type") ?? "",
      ...(request.headers.get("content-encoding") === null
        ? {}
        : { HTTP_CONTENT_ENCODING: "gzip" }),
      ...(request.headers.get("git-protocol") === null
        ? {}
        : { HTTP_GIT_PROTOCOL: request.headers.get("git-protocol") ?? "" }),
    },
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new Uint8Array(await request.arrayBuffer()));
  await writer.close();
  const { stdout } = await child.output();
  const end = stdout.findIndex((_, at) =>
    String.fromCharCode(...stdout.subarray(at, at + 4)) === "\r\n\r\n"
  );
  const lines = new TextDecoder().decode(stdout.subarray(0, end)).split("\r\n");
  const fields = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
  const status = Number(fields.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
  const headers = fields.filter(([name]) => name !== "Status");
  return new Response(stdout.slice(end + 4), { status, headers });
}
