/** One connection to one address, over TLS where the scheme says so, that can be ended at any time. */

import type { Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import { SIX_ALONE } from "../../core/network.ts";
import { networkError, socketError } from "./_failure.ts";

/** Where to, as it was judged. */
export interface Destination {
  /** The address to dial: never a name. */
  readonly address: string;
  readonly port: number;
  /** The name that the certificate must be for; null for no TLS. */
  readonly secure: string | null;
  /** Further authorities, in PEM. */
  readonly authorities: readonly string[];
  /** `host:port`, for messages. */
  readonly place: string;
}

/** Bytes both ways. */
export interface Connection {
  /** Null at the end. The piece is the reader's until the next read. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  /** From now on this signal ends it; null: none does. */
  bind(signal: Ending | null): void;
  /** Nothing more is sent; what comes is still read. */
  closeWrite(): Promise<void>;
  close(): void;
}

const PIECE = 128 * 1024;

/** Opens what a connection lies on. */
export type Open = (
  to: Pick<Destination, "address" | "port" | "place">,
  signal: Ending,
) => Promise<Deno.TcpConn>;

/** By itself. Rejects with the reason of the signal where that comes first, and lets go of what is opened later. */
export const openDirectly: Open = (to, signal) =>
  ended(
    Deno.connect({ hostname: to.address, port: to.port, transport: "tcp" }),
    signal,
    (late) => late.close(),
  ).catch((error) => {
    if (signal.aborted) throw signal.reason;
    throw isUnsayable(error, to.address)
      ? addressOfSix(to)
      : socketError(error, to.place, "connecting");
  });

/** Dials. Rejects as {@linkcode openDirectly}. */
export async function connect(
  to: Destination,
  signal: Ending,
  open: Open = openDirectly,
): Promise<Connection> {
  const { secure, place } = to;
  const dialled = await open(to, signal);
  if (secure === null) return connectionOf(dialled, place, signal);
  const wrapped = await ended(
    encrypt(dialled, { ...to, secure }),
    signal,
    (late) => late.close(),
    () => closeQuietly(dialled),
  ).catch((error) => {
    closeQuietly(dialled);
    throw signal.aborted ? signal.reason : socketError(error, place, "agreeing on TLS");
  });
  return connectionOf(wrapped, place, signal);
}

/** The runtime's permissions know networks of IPv4 alone: an address of IPv6 they hold back unless it is written out. */
function isUnsayable(error: unknown, address: string): boolean {
  return address.includes(":") && error instanceof Deno.errors.NotCapable;
}

function addressOfSix({ address, port, place }: Parameters<Open>[0]): ToolError {
  return new ToolError(
    "NATIVE_DENIED",
    `${place}: it has addresses of IPv6 alone, and those the runtime's permissions let through only where a rule ` +
      `writes them out: "[${address}]:${port}" beside the name would be allowed`,
    { details: { reason: SIX_ALONE, place } },
  );
}

async function encrypt(
  dialled: Deno.TcpConn,
  { secure, authorities }: Destination & { readonly secure: string },
): Promise<Deno.TlsConn> {
  const wrapped = await Deno.startTls(dialled, {
    hostname: secure,
    alpnProtocols: ["http/1.1"],
    caCerts: [...authorities],
  });
  try {
    await wrapped.handshake();
  } catch (error) {
    closeQuietly(wrapped);
    throw error;
  }
  return wrapped;
}

/** `place`: who is at the other end, for messages. Closed with the signal. */
export function connectionOf(
  conn: Deno.TcpConn | Deno.TlsConn,
  place: string,
  first: Ending,
): Connection {
  const buffer = new Uint8Array(PIECE);
  let signal: Ending | null = null;
  const close = () => {
    signal?.removeEventListener("abort", close);
    closeQuietly(conn);
  };
  const bind = (next: Ending | null) => {
    signal?.removeEventListener("abort", close);
    signal = next;
    signal?.addEventListener("abort", close);
    if (signal?.aborted === true) close();
  };
  const guarded = async <T>(doing: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : socketError(error, place, doing);
    }
  };
  bind(first);
  return {
    async read() {
      const count = await guarded("reading its answer", conn.read(buffer));
      if (signal?.aborted === true) throw signal.reason;
      return count === null ? null : buffer.subarray(0, count);
    },
    async write(bytes) {
      for (let sent = 0; sent < bytes.length;) {
        const count = await guarded("sending", conn.write(bytes.subarray(sent)));
        if (count === 0) throw networkError("reset", place, "nothing more could be sent");
        sent += count;
      }
    },
    bind,
    async closeWrite() {
      await guarded("sending", conn.closeWrite());
    },
    close,
  };
}

/** The work, or the reason of the signal; what the work comes to later is handed to `late`. */
export async function ended<T>(
  work: Promise<T>,
  signal: Ending,
  late: (result: T) => void,
  onAbort: () => void = () => {},
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => {
    onAbort();
    work.then(late, () => {});
    reject(signal.reason);
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Whoever else may have closed it. */
export function closeQuietly(conn: { close(): void }): void {
  try {
    conn.close();
  } catch {
    // It was closed by the other who may.
  }
}
