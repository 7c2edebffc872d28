import { createHash } from "node:crypto";

/** Longest name of an object. */
const maxName = 253;
/** Longest value of a label. */
const maxLabel = 63;
/** Characters of a path that a name shows; the hash beside them makes it unique. */
const maxSlug = 30;

/** First hexadecimal digits of the SHA-256 of a text. */
export function hashOf(text: string, digits = 8): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/** Text of at most a length: a longer one is cut, and a hash of it is added. */
export function shorten(text: string, max = maxName): string {
  if (text.length <= max) return text;
  const hash = hashOf(text);
  return `${withoutSeparators(text.slice(0, max - hash.length - 1))}-${hash}`;
}

/** Name of a child: that of its configuration and a suffix, which is kept. */
export function childName(config: string, suffix: string): string {
  return `${shorten(config, maxName - suffix.length - 1)}-${suffix}`;
}

/** Value of the label with the name of a configuration. */
export function labelValue(config: string): string {
  return shorten(config, maxLabel);
}

/** Suffix for a path: readable, and unique by a hash. */
export function pathSuffix(path: string): string {
  const words = path.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const slug = withoutSeparators(words).slice(0, maxSlug);
  return [withoutSeparators(slug), hashOf(path)].filter((part) => part !== "").join("-");
}

/** Name of the listener of a host name. A name with a wildcard differs from all others by its dots. */
export function listenerName(protocol: "http" | "https", hostname: string | undefined): string {
  if (hostname === undefined) return protocol;
  return shorten(
    hostname.startsWith("*.") ? `${protocol}.any.${hostname.slice(2)}` : `${protocol}-${hostname}`,
  );
}

/** Names of objects begin and end with a letter or digit. */
function withoutSeparators(text: string): string {
  return text.replaceAll(/^[-.]+|[-.]+$/g, "");
}
