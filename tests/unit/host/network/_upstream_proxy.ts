/** A proxy of others on the loopback: it takes CONNECT, notes where to, and connects everybody to one server. */

export interface UpstreamServer {
  readonly port: number;
  /** Where it was asked to connect to. */
  readonly targets: readonly string[];
  /** All that it was told, up to the empty line. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

/** `answer`: in place of what it says otherwise. */
export function serveUpstream(
  server: number,
  answer?: string,
  at: { readonly hostname: string; readonly port: number } = { hostname: "127.0.0.1", port: 0 },
): UpstreamServer {
  const listener = Deno.listen(at);
  const heads: string[] = [];
  const open = new Set<Deno.Conn>();
  const busy = new Set<Promise<void>>();
  const serve = async (conn: Deno.Conn) => {
    open.add(conn);
    const buffer = new Uint8Array(4096);
    let text = "";
    while (!text.includes("\r\n\r\n")) {
      const count = await conn.read(buffer);
      if (count === null) return;
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
    heads.push(text);
    const said = answer ?? "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";
    await conn.write(new TextEncoder().encode(said));
    if (answer !== undefined) return;
    const to = await Deno.connect({ hostname: "127.0.0.1", port: server });
    open.add(to);
    await Promise.all([
      conn.readable.pipeTo(to.writable),
      to.readable.pipeTo(conn.writable),
    ]);
  };
  const accept = async () => {
    for await (const conn of listener) {
      const work = serve(conn).catch(() => {}).finally(() => closeQuietly(conn));
      busy.add(work);
      void work.finally(() => busy.delete(work));
    }
  };
  const accepting = accept().catch(() => {});
  return {
    port: listener.addr.port,
    get targets() {
      return heads.map((head) => head.split("\r\n")[0] ?? "");
    },
    heads,
    async close() {
      listener.close();
      for (const conn of open) closeQuietly(conn);
      await accepting;
      await Promise.all(busy);
    },
  };
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It was closed by whoever was quicker.
  }
}
