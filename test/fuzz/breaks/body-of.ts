import { stringify } from "yaml";
import type { Draft } from "../requests/draft.js";
import { encodeJson } from "../requests/literal.js";

/** Encoded body. JSON is YAML too, and the only form in which any value can be written. */
export function bodyOf({ bytes, value, form }: Draft): Uint8Array | undefined {
  if (bytes !== undefined) return bytes;
  if (value === undefined) return undefined;
  const text = encodeJson(value);
  const asBlocks =
    (form === "yaml" || form === "apply-patch") && text.length < 4000 && JSON.stringify(value) === text;
  return Buffer.from(asBlocks ? stringify(value) : text);
}
