/**
 * Strictness of parsing. Kubernetes parses some addresses like older versions of Go: with leading zeros, and
 * groups of any length if their value fits.
 */
export type Strictness = "strict" | "sloppy";

const octets = {
  strict: /^(?:0|[1-9]\d{0,2})$/,
  sloppy: /^0*\d{1,3}$/,
} as const;

const groups = {
  strict: /^[0-9A-Fa-f]{1,4}$/,
  sloppy: /^0*[0-9A-Fa-f]{1,4}$/,
} as const;

/** Limit for the length, longer than any address. */
const maxLength = 100;

/** True for an IPv4 address. */
function isIpv4Address(text: string, strictness: Strictness): boolean {
  if (text.length > maxLength) return false;
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => octets[strictness].test(part) && Number(part) <= 255);
}

/** True for an IPv6 address without a zone. */
export function isIpv6Address(text: string, strictness: Strictness): boolean {
  if (text.length > maxLength) return false;
  const [head = "", tail, ...others] = text.split("::");
  if (others.length > 0) return false;
  const isWhole = tail === undefined;
  const before = countGroups(head, isWhole, strictness);
  const after = isWhole ? 0 : countGroups(tail, true, strictness);
  if (before === undefined || after === undefined) return false;
  if (isWhole) return before === 8;
  return before + after < 8;
}

/** Counts groups of 16 bits; an IPv4 address at the end counts as two. Undefined if it is not an address. */
function countGroups(text: string, isEnd: boolean, strictness: Strictness): number | undefined {
  if (text === "") return 0;
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  let count = parts.length;
  if (isEnd && last.includes(".")) {
    if (!isIpv4Address(last, strictness)) return undefined;
    parts.pop();
    count++;
  }
  return parts.every((part) => groups[strictness].test(part)) ? count : undefined;
}

/** True for an IPv4 or IPv6 address; the first separator decides which. */
export function isIpAddress(text: string, strictness: Strictness): boolean {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === undefined) return false;
  return separator === "." ? isIpv4Address(text, strictness) : isIpv6Address(text, strictness);
}

/** Format `ipv4`: contains a dot, which an IPv6 address may do as well. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && isIpAddress(text, "sloppy");
}

/** Format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpAddress(text, "strict");
}

/** Format `cidr`. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!/^\d+$/.test(length) || !isIpAddress(address, "sloppy")) return false;
  return Number(length) <= (isIpv4Address(address, "sloppy") ? 32 : 128);
}

const macLengths: ReadonlySet<number> = new Set([6, 8, 20]);
const macForms = [
  /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})*$/,
  /^[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2})*$/,
  /^[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4})*$/,
  /^(?:[0-9A-Fa-f]{2})*$/,
];

/** Format `mac`: 6, 8 or 20 bytes. */
export function isMac(text: string): boolean {
  if (text.length > maxLength || !macForms.some((form) => form.test(text))) return false;
  return macLengths.has(text.replaceAll(/[:.-]/g, "").length / 2);
}
