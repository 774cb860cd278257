/** Addresses of sockets, as system calls take them. */

/** An address of IPv4 (4 bytes) or IPv6 (16), and a port. */
export interface InternetAddress {
  readonly family: "inet" | "inet6";
  readonly address: Uint8Array;
  readonly port: number;
}

/** What a call names. `none` undoes a connection; a local name that is empty or begins with 0 lies in no folder. */
export type SocketAddress =
  | { readonly family: "none" }
  | InternetAddress
  | { readonly family: "unix"; readonly name: Uint8Array };

/** Which machine an address is one of: this one by its loopback, all that this one has, or another. */
export type Reach = "loopback" | "any" | "beyond";

/** include/linux/socket.h */
export const FAMILIES = { none: 0, unix: 1, inet: 2, inet6: 10 } as const;
/** sizeof(struct sockaddr_storage), sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6) */
export const LARGEST_ADDRESS = 128;
const INET_SIZE = 16;
const INET6_SIZE = 28;
/** Without the scope, as of old (SIN6_LEN_RFC2133, include/net/ipv6.h). */
const INET6_LEAST = 24;
/** ::ffff:0:0/96 (RFC 4291, 2.5.5.2) */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] as const;
const THIS = { inet: [127, 0, 0, 1], inet6: [...new Array<number>(15).fill(0), 1] } as const;

/** Null for what is none. */
export function readAddress(bytes: Uint8Array): SocketAddress | null {
  if (bytes.length < 2) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const family = view.getUint16(0, true);
  if (family === FAMILIES.none) return { family: "none" };
  if (family === FAMILIES.inet && bytes.length >= INET_SIZE) {
    return { family: "inet", address: bytes.slice(4, 8), port: view.getUint16(2) };
  }
  if (family === FAMILIES.inet6 && bytes.length >= INET6_LEAST) {
    return { family: "inet6", address: bytes.slice(8, 24), port: view.getUint16(2) };
  }
  if (family !== FAMILIES.unix) return null;
  const name = bytes.slice(2);
  const end = name.indexOf(0);
  return { family: "unix", name: end > 0 ? name.subarray(0, end) : name };
}

/** As a call takes it: without scope and label, which the loopback has no use for. */
export function internetBytes({ family, address, port }: InternetAddress): Uint8Array {
  const bytes = new Uint8Array(family === "inet" ? INET_SIZE : INET6_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, FAMILIES[family], true);
  view.setUint16(2, port);
  bytes.set(address, family === "inet" ? 4 : 8);
  return bytes;
}

/** struct sockaddr_un, with the NUL that ends its name. */
export function localBytes(name: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(2 + name.length + 1);
  new DataView(bytes.buffer).setUint16(0, FAMILIES.unix, true);
  bytes.set(name, 2);
  return bytes;
}

/** The address of IPv4 that one of IPv6 stands for; null where it stands for none. */
export function mappedIn(address: Uint8Array): Uint8Array | null {
  return address.length === 16 && MAPPED.every((byte, at) => address[at] === byte)
    ? address.subarray(MAPPED.length)
    : null;
}

/** The address of IPv6 that stands for one of IPv4. */
export function mapped(address: Uint8Array): Uint8Array {
  return Uint8Array.of(...MAPPED, ...address);
}

/** This machine's own. */
export function loopback(family: InternetAddress["family"]): Uint8Array {
  return Uint8Array.from(THIS[family]);
}

/** Where an address leads. */
export function reachOf(address: Uint8Array): Reach {
  const own = mappedIn(address) ?? address;
  if (own.every((byte) => byte === 0)) return "any";
  const isThis = own.length === 4
    ? own[0] === THIS.inet[0]
    : own.every((byte, at) => byte === THIS.inet6[at]);
  return isThis ? "loopback" : "beyond";
}

/** For people. */
export function shownAddress(place: InternetAddress): string {
  const text = addressText(place);
  return `${text.includes(":") ? `[${text}]` : text}:${place.port}`;
}

/** In the usual notation: of IPv4 where it stands for one, IPv6 without brackets. */
export function addressText({ address }: Pick<InternetAddress, "address">): string {
  const four = mappedIn(address) ?? (address.length === 4 ? address : null);
  if (four !== null) return four.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, at) => (address[2 * at]! * 256 + address[2 * at + 1]!).toString(16),
  );
  return groups.join(":").replace(/(?:^|:)0(?::0)+(?:$|:)/, "::");
}
