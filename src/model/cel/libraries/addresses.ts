import { quote } from "../../object/quote.js";
import { isIpAddress } from "../../formats/ip-address.js";
import { CelError, type OpaqueValue, type CelValue } from "../values/value.js";
import { overload, type Overload } from "./function.js";

/** IP address as a number of 32 or 128 bits. */
class Ip implements OpaqueValue {
  readonly typeName = "net.IP";

  constructor(
    readonly bits: bigint,
    readonly length: 32 | 128,
  ) {}

  get size(): number {
    return this.length / 8;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && other.bits === this.bits && other.length === this.length;
  }

  /** True if the address starts with these bits. */
  startsWith(bits: bigint, count: number): boolean {
    return this.bits >> BigInt(this.length - count) === bits;
  }
}

/** Network: an address and the length of its prefix. */
class Cidr implements OpaqueValue {
  readonly typeName = "net.CIDR";

  constructor(
    readonly ip: Ip,
    readonly prefix: number,
  ) {}

  get size(): number {
    return Math.ceil(this.prefix / 8);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && other.prefix === this.prefix && other.ip.equals(this.ip);
  }
}

function readBits(text: string): Ip {
  if (!text.includes(":")) {
    return new Ip(
      text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n),
      32,
    );
  }
  const last = /[\d.]+$/.exec(text)?.[0] ?? "";
  let whole = text;
  if (last.includes(".")) {
    const { bits } = readBits(last);
    whole = `${text.slice(0, -last.length)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  }
  const [head = "", tail] = whole.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const all = [...before, ...zeros, ...after];
  return new Ip(
    all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n),
    128,
  );
}

function readIp(text: string): Ip | CelError {
  const zone = text.indexOf("%");
  const plain = zone > 0 && text.includes(":") ? text.slice(0, zone) : text;
  if (!isIpAddress(plain, "strict")) {
    return new CelError(
      `IP Address ${quote(text)} parse error during conversion from string: ParseAddr(${quote(text)}): unable to parse IP`,
    );
  }
  if (zone > 0) return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  const ip = readBits(text);
  if (ip.length === 128 && ip.startsWith(0xffffn, 96)) {
    return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return ip;
}

function readCidr(text: string): Cidr | CelError {
  const cannot = "network address parse error during conversion from string: ";
  const [, address = "", digits] = /^([^]*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = digits === undefined || !isIpAddress(address, "strict") ? undefined : readBits(address);
  const prefix = Number(digits);
  if (!ip) {
    const bits = text.slice(text.lastIndexOf("/") + 1);
    let why = `bad bits after slash: ${quote(bits)}`;
    if (!text.includes("/")) why = "no '/'";
    else if (digits !== undefined) why = `ParseAddr(${quote(address)}): unable to parse IP`;
    return new CelError(`${cannot}${cannot}netip.ParsePrefix(${quote(text)}): ${why}`);
  }
  if (prefix > ip.length) {
    return new CelError(`${cannot}${cannot}netip.ParsePrefix(${quote(text)}): prefix length out of range`);
  }
  if (ip.length === 128 && ip.startsWith(0xffffn, 96)) {
    return new CelError(`${cannot}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return new Cidr(ip, prefix);
}

/** Canonical form: the longest run of at least two zero groups is omitted. */
function renderIp({ bits, length }: Ip): string {
  if (length === 32) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(16 * (7 - index))) & 0xffffn);
  let [start, count] = [0, 1];
  for (let from = 0; from < 8; from++) {
    let run = 0;
    while (groups[from + run] === 0n) run++;
    if (run > count) [start, count] = [from, run];
  }
  const written = groups.map((group) => group.toString(16));
  if (count < 2) return written.join(":");
  return `${written.slice(0, start).join(":")}::${written.slice(start + count).join(":")}`;
}

function masked({ ip, prefix }: Cidr): Cidr {
  const rest = BigInt(ip.length - prefix);
  return new Cidr(new Ip((ip.bits >> rest) << rest, ip.length), prefix);
}

function containsIp({ ip, prefix }: Cidr, other: Ip): boolean {
  return ip.length === other.length && other.startsWith(ip.bits >> BigInt(ip.length - prefix), prefix);
}

function containsCidr(network: Cidr, other: Cidr): boolean {
  return network.prefix <= other.prefix && containsIp(network, other.ip);
}

function isLinkLocalMulticast(ip: Ip): boolean {
  if (ip.length === 32) return ip.startsWith(0xe00000n, 24);
  return ip.startsWith(0xffn, 8) && ((ip.bits >> 112n) & 0xfn) === 2n;
}

function isLinkLocalUnicast(ip: Ip): boolean {
  return ip.length === 32 ? ip.startsWith(0xa9fen, 16) : ip.startsWith(0x3fan, 10);
}

function isLoopback(ip: Ip): boolean {
  return ip.length === 32 ? ip.startsWith(0x7fn, 8) : ip.bits === 1n;
}

function isGlobalUnicast(ip: Ip): boolean {
  const isMulticast = ip.length === 32 ? ip.startsWith(0xen, 4) : ip.startsWith(0xffn, 8);
  const isBroadcast = ip.length === 32 && ip.bits === 0xffff_ffffn;
  return ip.bits !== 0n && !isMulticast && !isBroadcast && !isLoopback(ip) && !isLinkLocalUnicast(ip);
}

const predicates: readonly (readonly [string, string, (ip: Ip) => boolean])[] = [
  ["isUnspecified", "ip_is_unspecified", ({ bits }) => bits === 0n],
  ["isLoopback", "ip_is_loopback", isLoopback],
  ["isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast],
  ["isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast],
  ["isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast],
];

/** Functions on IP addresses and networks. */
export const addressFunctions: readonly Overload[] = [
  overload("ip", "string_to_ip", "(string): ip", readIp),
  overload("isIP", "is_ip", "(string): bool", (text: string) => readIp(text) instanceof Ip),
  overload("ip.isCanonical", "ip_is_canonical", "(string): bool", (text: string): CelValue => {
    const ip = readIp(text);
    return ip instanceof Ip ? renderIp(ip) === text : ip;
  }),
  overload("family", "ip_family", "ip.(): int", ({ length }: Ip) => (length === 32 ? 4n : 6n)),
  ...predicates.map(([name, id, ask]) => overload(name, id, "ip.(): bool", ask)),
  overload("string", "ip_to_string", "(ip): string", renderIp),

  overload("cidr", "string_to_cidr", "(string): cidr", readCidr),
  overload("isCIDR", "is_cidr", "(string): bool", (text: string) => readCidr(text) instanceof Cidr),
  overload(
    "containsIP",
    "cidr_contains_ip_string",
    "cidr.(string): bool",
    (network: Cidr, text: string): CelValue => {
      const ip = readIp(text);
      return ip instanceof Ip ? containsIp(network, ip) : ip;
    },
  ),
  overload("containsIP", "cidr_contains_ip_ip", "cidr.(ip): bool", containsIp),
  overload(
    "containsCIDR",
    "cidr_contains_cidr_string",
    "cidr.(string): bool",
    (network: Cidr, text: string): CelValue => {
      const other = readCidr(text);
      return other instanceof Cidr ? containsCidr(network, other) : other;
    },
  ),
  overload("containsCIDR", "cidr_contains_cidr", "cidr.(cidr): bool", containsCidr),
  overload("ip", "cidr_ip", "cidr.(): ip", ({ ip }: Cidr) => ip),
  overload("prefixLength", "cidr_prefix_length", "cidr.(): int", ({ prefix }: Cidr) => BigInt(prefix)),
  overload("masked", "cidr_masked", "cidr.(): cidr", masked),
  overload(
    "string",
    "cidr_to_string",
    "(cidr): string",
    ({ ip, prefix }: Cidr) => `${renderIp(ip)}/${prefix}`,
  ),
];
