/** Servers on the loopback that say exactly what they are told to, and count who came. */

import type { ConnectCapability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { WebAnswer, WebRequest, WebSettings } from "../../../../src/core/network.ts";
import { Door, type DoorCall } from "../../../../src/host/network/door.ts";
import { KeptConnections } from "../../../../src/host/network/_kept.ts";
import type { WebParts } from "../../../../src/host/network/web_parts.ts";
import { DEFAULT_WEB } from "../../tools/_memory_context.ts";

/** What a server does with a connection once the head of a request is there. */
export type Behaviour = (wire: Wire) => Promise<void> | void;

/** A connection as its server sees it. */
export interface Wire {
  /** The request up to its empty line. */
  readonly head: string;
  send(text: string | Uint8Array): Promise<void>;
  /** Until the other side goes. */
  hold(): Promise<void>;
}

/** A server with what it saw. */
export interface WireServer {
  readonly port: number;
  readonly connections: number;
  readonly heads: readonly string[];
  close(): Promise<void>;
}

/** Serves on the loopback until it is closed. */
export function serveWire(behaviour: Behaviour): WireServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  const open = new Set<Deno.Conn>();
  const busy = new Set<Promise<void>>();
  let connections = 0;
  const accept = async () => {
    for await (const conn of listener) {
      connections++;
      open.add(conn);
      const work = answer(conn, behaviour, heads).catch(() => {}).finally(() => {
        open.delete(conn);
        try {
          conn.close();
        } catch {
          // The other side was quicker.
        }
      });
      busy.add(work);
      void work.finally(() => busy.delete(work));
    }
  };
  const accepting = accept().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    get connections() {
      return connections;
    },
    heads,
    async close() {
      listener.close();
      for (const conn of open) {
        try {
          conn.close();
        } catch {
          // It has ended by itself.
        }
      }
      await accepting;
      await Promise.all(busy);
    },
  };
}

async function answer(conn: Deno.Conn, behaviour: Behaviour, heads: string[]): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const count = await conn.read(buffer);
    if (count === null) return;
    head += new TextDecoder().decode(buffer.subarray(0, count));
  }
  heads.push(head);
  await behaviour({
    head,
    async send(text) {
      let bytes = typeof text === "string"
        ? Uint8Array.from(text, (letter) => letter.charCodeAt(0))
        : text;
      while (bytes.length > 0) bytes = bytes.subarray(await conn.write(bytes));
    },
    async hold() {
      while (await conn.read(buffer) !== null);
    },
  });
}

/** How a test opens the door. */
export interface DoorOptions {
  readonly web?: Partial<WebSettings>;
  readonly parts?: Partial<WebParts>;
  /** What names stand for; `127.0.0.1` unless given. */
  readonly names?: (host: string) => readonly string[];
  /** What may be connected to: everything unless given. */
  readonly allows?: (connection: ConnectCapability) => boolean;
  readonly limit?: number;
  readonly signal?: AbortSignal;
  readonly dial?: ConstructorParameters<typeof Door>[2];
  /** Nothing is kept unless given. */
  readonly kept?: KeptConnections;
}

/** A door with what was asked of it. */
export interface OpenDoor {
  fetch(request: WebRequest): Promise<WebAnswer>;
  holdOff(url: string, seconds: number): void;
  readonly judged: readonly ConnectCapability[];
  readonly lookedUp: readonly string[];
  readonly usage: Readonly<Record<string, number>>;
}

/** A door on this thread, without the layers below. */
export function openDoor(options: DoorOptions = {}): OpenDoor {
  const judged: ConnectCapability[] = [];
  const lookedUp: string[] = [];
  const usage: Record<string, number> = {};
  const door = new Door(
    { ...DEFAULT_WEB, ...options.web },
    {
      keys: {},
      authorities: [],
      unread: [],
      ...options.parts,
    },
    options.dial,
    options.kept ?? new KeptConnections(0),
  );
  const call: DoorCall = {
    judge(connection) {
      judged.push(connection);
      if (options.allows?.(connection) ?? true) return;
      throw new ToolError("NETWORK_DENIED", `no rule names ${connection.host}`);
    },
    resolve(host) {
      lookedUp.push(host);
      const addresses = options.names?.(host) ?? ["127.0.0.1"];
      return Promise.resolve(addresses.length > 0 ? { addresses } : { failure: "no such name" });
    },
    signal: options.signal ?? new AbortController().signal,
    limits: { response: options.limit ?? 1 << 20 },
    count: (name, amount) => usage[name] = (usage[name] ?? 0) + amount,
  };
  return { ...door.open(call), judged, lookedUp, usage };
}

/** `ok TEXT` or `CODE reason`: one line that a table can hold. */
export async function outcomeOf(work: Promise<WebAnswer>): Promise<string> {
  try {
    const { status, body, truncated } = await work;
    const text = new TextDecoder("latin1").decode(body);
    return `${status} ${text.length > 60 ? `${text.length} bytes` : text}${truncated ? " +" : ""}`;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { reason } = error.details ?? {};
    return reason === undefined ? error.code : `${error.code} ${reason}`;
  }
}
