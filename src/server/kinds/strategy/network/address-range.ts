import { isIP } from "node:net";

export type IpFamily = "IPv4" | "IPv6";

/** Addresses beyond this number are never given out. */
const maxSize = 2 ** 31;

/** A range of IP addresses, such as `10.96.0.0/16`. The first address stands for the network, the last IPv4 one for broadcast. */
export class AddressRange {
  readonly text: string;
  readonly family: IpFamily;
  /** Number of addresses that can be given out; the first is at index 0. */
  readonly size: number;
  readonly #base: bigint;
  readonly #bits: bigint;

  /** @throws {Error} when the text is not an address and a prefix length, or leaves no addresses. */
  constructor(text: string) {
    const [address = "", length = "", ...more] = text.split("/");
    const family = familyOf(address);
    const width = family === "IPv4" ? 32 : 128;
    const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
    if (family === undefined || !(prefix <= width) || more.length > 0) {
      throw new Error(
        `${JSON.stringify(text)} is not an address range: write it as 10.96.0.0/16 or fd00::/108`,
      );
    }
    const bits = BigInt(width - prefix);
    const unusable = family === "IPv4" ? 2n : 1n;
    if (1n << bits <= unusable) {
      throw new Error(
        `the address range ${JSON.stringify(text)} is too small: it has no addresses to give out`,
      );
    }
    const count = (1n << bits) - unusable;
    this.#bits = bits;
    this.#base = (numberOf(address) >> bits) << bits;
    this.family = family;
    this.size = count > BigInt(maxSize) ? maxSize : Number(count);
    this.text = `${textOf(this.#base, family)}/${prefix}`;
  }

  /** Whether an address can be given out: it is in the range, and neither its first nor its broadcast address. */
  has(address: string): boolean {
    if (familyOf(address) !== this.family) return false;
    const value = numberOf(address);
    if (value >> this.#bits !== this.#base >> this.#bits || value === this.#base) return false;
    return this.family === "IPv6" || value !== this.#base + (1n << this.#bits) - 1n;
  }

  /** Address by its index. */
  at(index: number): string {
    return textOf(this.#base + 1n + BigInt(index), this.family);
  }
}

export function familyOf(address: string): IpFamily | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "IPv4" : "IPv6";
}

/** An address in its canonical form, so that two spellings of it are the same text. */
export function canonicalAddress(address: string): string {
  const family = familyOf(address);
  return family === undefined ? address : textOf(numberOf(address), family);
}

function numberOf(address: string): bigint {
  if (isIP(address) === 4)
    return address.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  // The parser of URLs writes IPv6 addresses in hexadecimal groups only.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined): string[] => (text ? text.split(":") : []);
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function textOf(value: bigint, family: IpFamily): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - index * 16)) & 0xffffn);
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]`).hostname.slice(1, -1);
}
