import type { Json, JsonObject } from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether applying `desired` would change nothing: `current` contains all of it, and it is all that this manager owns. Fields of
 * other managers do not matter. `owned` is the manager's `fieldsV1`, which also shows how lists are merged: `k:` for
 * items with keys, `v:` for sets, and nothing below a list or map that is atomic.
 *
 * Values that a server normalises (`1000m` to `1`) count as different; the only cost is one request too many.
 */
export function isApplied(desired: Json, current: Json | undefined, owned: JsonObject): boolean {
  const {
    apiVersion: _,
    kind: __,
    metadata,
    ...content
  } = desired as JsonObject & { readonly metadata: JsonObject };
  const { name: ___, namespace: ____, uid: _____, ...rest } = metadata;
  const subject = Object.keys(rest).length === 0 ? content : { ...content, metadata: rest };
  return holds(subject, current, owned);
}

function holds(desired: unknown, current: unknown, owned: Fields): boolean {
  const inside = Object.keys(owned).filter((key) => key !== ".");
  if (Array.isArray(desired)) return holdsList(desired, current, owned, inside);
  if (typeof desired !== "object" || desired === null || inside.length === 0) return isSame(desired, current);
  if (typeof current !== "object" || current === null) return false;
  const wanted = desired as Readonly<Record<string, unknown>>;
  const found = current as Readonly<Record<string, unknown>>;
  for (const key of inside) {
    if (!key.startsWith("f:")) return false;
    if (!isThere(wanted[key.slice(2)])) return false;
  }
  for (const key of Object.keys(wanted)) {
    const value = wanted[key];
    if (!isThere(value)) continue;
    const below = owned[`f:${key}`];
    if (below === undefined || !holds(value, found[key], below as Fields)) return false;
  }
  return true;
}

function holdsList(
  desired: readonly unknown[],
  current: unknown,
  owned: Fields,
  inside: readonly string[],
): boolean {
  if (inside.length === 0) return isSame(desired, current);
  if (!Array.isArray(current) || inside.length !== desired.length) return false;
  const places = new Map<unknown, number>();
  for (const key of inside) {
    const found = key.startsWith("v:")
      ? findValue(desired, current, JSON.parse(key.slice(2)) as Json)
      : key.startsWith("k:")
        ? findItem(desired, current, JSON.parse(key.slice(2)) as JsonObject)
        : undefined;
    if (found === undefined || places.has(found.wanted)) return false;
    const { wanted, place } = found;
    if (key.startsWith("k:") && !holds(desired[wanted], current[place], owned[key] as Fields)) return false;
    places.set(wanted, place);
  }
  // Applying also sets the order of items, which matters for some lists; items of other managers may stand between them.
  let last = -1;
  for (const index of desired.keys()) {
    const place = places.get(index) ?? -1;
    if (place <= last) return false;
    last = place;
  }
  return true;
}

/** Positions of an item in the desired and in the current list. */
interface Found {
  readonly wanted: number;
  readonly place: number;
}

function findValue(desired: readonly unknown[], current: readonly unknown[], value: Json): Found | undefined {
  const wanted = desired.findIndex((item) => isSame(item, value));
  const place = current.findIndex((item) => isSame(item, value));
  return wanted < 0 || place < 0 ? undefined : { wanted, place };
}

/** A key that is missing in the desired item has a default, which the server has set. */
function findItem(
  desired: readonly unknown[],
  current: readonly unknown[],
  keys: JsonObject,
): Found | undefined {
  const exact = desired.findIndex((item) => hasKeys(item, keys, false));
  const wanted = exact >= 0 ? exact : desired.findIndex((item) => hasKeys(item, keys, true));
  const place = current.findIndex((item) => hasKeys(item, keys, false));
  return wanted < 0 || place < 0 ? undefined : { wanted, place };
}

function hasKeys(item: unknown, keys: JsonObject, mayLack: boolean): boolean {
  if (typeof item !== "object" || item === null) return false;
  const fields = item as Readonly<Record<string, unknown>>;
  return Object.entries(keys).every(
    ([key, value]) => (mayLack && fields[key] === undefined) || fields[key] === value,
  );
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isSame(desired: unknown, current: unknown): boolean {
  if (!isThere(desired)) return !isThere(current);
  return jsonEqual(desired as Json, (current ?? null) as Json);
}
