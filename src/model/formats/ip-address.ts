/**
 * How strictly addresses are read. Kubernetes reads some as Go once did: with leading zeros, and groups of any
 * length as long as their value fits.
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

/** Longer than any address; what is longer is not looked at. */
const maxLength = 100;

/** Whether a text is an IPv4 address. */
function isIpv4Address(text: string, strictness: Strictness): boolean {
  if (text.length > maxLength) return false;
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => octets[strictness].test(part) && Number(part) <= 255);
}

/** Whether a text is an IPv6 address, without a zone. */
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

/** How many groups of 16 bits there are; an IPv4 address at the end is two of them. Undefined: it is no address. */
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

/** Whether a text is an address of either kind; which one it is is told by what comes first, a dot or a colon. */
export function isIpAddress(text: string, strictness: Strictness): boolean {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === undefined) return false;
  return separator === "." ? isIpv4Address(text, strictness) : isIpv6Address(text, strictness);
}

/** The format `ipv4`: with a dot in it, which an IPv6 address may have as well. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && isIpAddress(text, "sloppy");
}

/** The format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpAddress(text, "strict");
}

/** The format `cidr`. */
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

/** The format `mac`: 6, 8 or 20 bytes. */
export function isMac(text: string): boolean {
  if (text.length > maxLength || !macForms.some((form) => form.test(text))) return false;
  return macLengths.has(text.replaceAll(/[:.-]/g, "").length / 2);
}
