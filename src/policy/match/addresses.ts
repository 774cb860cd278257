/** Hosts in one normal form, and which of them lie on the machine itself or its private networks. */

/** A host: a name, or an address (IPv6 without brackets). */
export interface Host {
  readonly text: string;
  readonly address: boolean;
}

/**
 * Hosts that are in their normal form as they stand, which takes no URL to say: most. Names whose last label begins with a
 * letter are no number to the URL standard, and without two hyphens in a row none is Punycode.
 */
const NORMAL_NAME = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)*[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const NORMAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?=\d)|$)){4}$/;

/**
 * The normal form of a host as written: lower case, Punycode, no final dot; addresses as the URL standard
 * reads them (`0x7f.1` is 127.0.0.1). Null where it is no host.
 */
export function hostOf(written: string): Host | null {
  if (written === "" || written.length > 1024) return null;
  if (NORMAL_IPV4.test(written)) return { text: written, address: true };
  if (NORMAL_NAME.test(written)) return { text: written, address: false };
  // The URL parser would read these as the end of the host, as an escape, or leave them out.
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u0020\u007f/\\?#@%*]/.test(written)) return null;
  const bare = written.startsWith("[") && written.endsWith("]") ? written.slice(1, -1) : written;
  const six = bare.includes(":");
  if (!six && (bare !== written || bare.includes("[") || bare.includes("]"))) return null;
  let hostname: string;
  try {
    hostname = new URL(`http://${six ? `[${bare}]` : bare}/`).hostname;
  } catch {
    return null;
  }
  if (six) return { text: hostname.slice(1, -1), address: true };
  const text = hostname.replace(/\.$/, "");
  if (text === "" || text.split(".").some((label) => label === "")) return null;
  return { text, address: /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(text) };
}

/** First octets with prefix length: IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771). */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** IANA IPv6 Special-Purpose Address Registry; fec0::/10 is RFC 3879's old site-local range. */
const PRIVATE_IPV6: readonly (readonly [string, number])[] = [
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

/** Prefixes of IPv6 addresses that carry an IPv4 address, and the 16-bit group it starts at. */
const EMBEDDING_IPV6: readonly (readonly [string, number, number])[] = [
  ["::ffff:0:0", 96, 6], // mapped, RFC 4291
  ["::ffff:0:0:0", 96, 6], // translated, RFC 2765
  ["::", 96, 6], // compatible, RFC 4291; `::` and `::1` are 0.0.0.0/8 in this reading
  ["64:ff9b::", 96, 6], // NAT64, RFC 6052
  ["64:ff9b:1::", 48, 6], // local NAT64, RFC 8215
  ["2002::", 16, 1], // 6to4, RFC 3056
];

/** Names that RFC 6761, RFC 6762 and ICANN keep for the machine itself and its own network. */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** Whether the host is, or by its name must be, on this machine or a private or link-local network. */
export function isPrivateHost(host: Host): boolean {
  if (!host.address) {
    return PRIVATE_NAMES.some((name) => host.text === name || host.text.endsWith(`.${name}`));
  }
  if (!host.text.includes(":")) return isPrivateIpv4(ipv4Bytes(host.text));
  const groups = ipv6Groups(host.text);
  if (PRIVATE_IPV6.some(([start, bits]) => startsAs(groups, ipv6Groups(start), bits, 16))) {
    return true;
  }
  return EMBEDDING_IPV6.some(([start, bits, group]) => {
    if (!startsAs(groups, ipv6Groups(start), bits, 16)) return false;
    const [high, low] = [groups[group]!, groups[group + 1]!];
    return isPrivateIpv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  });
}

/** Whether the host is this machine by its loopback: by name (RFC 6761, 6.3) or by address. */
export function isLoopbackHost({ text, address }: Host): boolean {
  if (!address) return text === "localhost" || text.endsWith(".localhost");
  return text.includes(":") ? text.includes("::1") && isOne(text) : text.startsWith("127.");
}

/** ::1, in whatever brackets. */
function isOne(text: string): boolean {
  return ipv6Groups(text).every((group, at) => group === (at === 7 ? 1 : 0));
}

/** Whether a connection to the host comes to the loopback: by its mapped addresses and those of no machine, too. */
export function leadsToLoopback(host: Host): boolean {
  if (isLoopbackHost(host)) return true;
  if (!host.address) return false;
  if (!host.text.includes(":")) return host.text === "0.0.0.0";
  const groups = ipv6Groups(host.text);
  const rest = startsAs(groups, ipv6Groups("::ffff:0:0"), 96, 16) ? groups.slice(6) : groups;
  return rest.every((group) => group === 0) || (rest.length === 2 && rest[0]! >> 8 === 127);
}

/**
 * Whether an address that a name was found to stand for is no plain public one: private, or of a kind that carries
 * another address, whatever that is. No honest name needs those.
 */
export function isSpecialAddress(host: Host): boolean {
  if (isPrivateHost(host) || !host.address) return true;
  if (!host.text.includes(":")) return false;
  const groups = ipv6Groups(host.text);
  return EMBEDDING_IPV6.some(([start, bits]) => startsAs(groups, ipv6Groups(start), bits, 16));
}

/** The addresses of IPv4 that are public, as networks in `a.b.c.d/n` notation: all but {@linkcode PRIVATE_IPV4}. */
export function publicIpv4Networks(): readonly string[] {
  const special = PRIVATE_IPV4.map(([start, bits]) => ({ start: numberOf(start), bits }));
  const split = (start: number, bits: number): readonly string[] => {
    const inside = special.some((one) => one.bits <= bits && covers(one, start));
    if (inside) return [];
    if (!special.some((one) => covers({ start, bits }, one.start))) {
      return [`${[24, 16, 8, 0].map((by) => (start >>> by) & 0xff).join(".")}/${bits}`];
    }
    const half = 2 ** (31 - bits);
    return [...split(start, bits + 1), ...split(start + half, bits + 1)];
  };
  return split(0, 0);
}

function covers(
  { start, bits }: { readonly start: number; readonly bits: number },
  address: number,
): boolean {
  return address >= start && address < start + 2 ** (32 - bits);
}

function numberOf(address: string): number {
  return ipv4Bytes(address).reduce((number, byte) => number * 256 + byte, 0);
}

function isPrivateIpv4(bytes: readonly number[]): boolean {
  return PRIVATE_IPV4.some(([start, bits]) => startsAs(bytes, ipv4Bytes(start), bits, 8));
}

function ipv4Bytes(text: string): number[] {
  return text.split(".").map(Number);
}

/** The eight 16-bit groups of an address in the URL standard's form. */
function ipv6Groups(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => parseInt(group, 16));
  const before = read(head);
  if (tail === undefined) return before;
  const after = read(tail);
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}

function startsAs(
  parts: readonly number[],
  prefix: readonly number[],
  bits: number,
  width: number,
): boolean {
  for (let index = 0; index * width < bits; index++) {
    const kept = Math.min(width, bits - index * width);
    const shift = width - kept;
    if (parts[index]! >> shift !== prefix[index]! >> shift) return false;
  }
  return true;
}
