import { utf8Length } from "../object/utf8.js";
import { compilePattern } from "../regex/pattern.js";
import { isEmail } from "./email.js";
import { isCidr, isIpv4, isIpv6, isMac } from "./ip-address.js";
import { isCreditCard, isIsbn10, isIsbn13 } from "./numbers.js";
import { isDate, isDateTime, isDuration } from "./times.js";
import { isRequestUri } from "./uri.js";

/** Checks that a string has a format. */
export type FormatCheck = (text: string) => boolean;

const letter = "[a-zA-Z0-9\\p{S}\\p{L}]";
const hostnamePattern = `^(${letter}((-?${letter}{0,62})?)|(${letter}(([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}${letter})?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`;

function isHostname(text: string): boolean {
  if (utf8Length(text) > 255 || text.split(".").some((label) => utf8Length(label) > 63)) return false;
  return compilePattern(hostnamePattern).matches?.(text) === true;
}

const number = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const gap = "[\\t\\n\\f\\r ]*";
const rgbColor = new RegExp(`^rgb\\(${gap}${number}${gap},${gap}${number}${gap},${gap}${number}${gap}\\)$`);

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

const shortName = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

function matching(expression: RegExp): FormatCheck {
  return (text) => expression.test(text);
}

/** Formats that Kubernetes checks in custom resources, by name without dashes. Others are ignored. */
const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matching(/^[0-9A-Fa-f]{24}$/)],
  ["byte", isBase64],
  ["cidr", isCidr],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", (text) => text.length <= 253 && text.split(".").every((part) => shortName.test(part))],
  ["k8sshortname", (text) => text.length <= 63 && shortName.test(text)],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", matching(rgbColor)],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["uri", isRequestUri],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
]);

/** Finds the check of a format; undefined if there is none, as for `int32`. */
export function formatCheck(name: string): FormatCheck | undefined {
  return formats.get(name.replaceAll("-", ""));
}
