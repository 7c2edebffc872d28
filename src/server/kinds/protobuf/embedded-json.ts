import type { Json } from "../../../model/core.js";
import { deepest } from "../typed/depth.js";
import { WireError } from "./wire-reader.js";

/** Parses JSON that is embedded in a message; empty is null. */
export function parseEmbeddedJson(text: string, depth: number): Json {
  if (text === "") return null;
  if (nesting(text) + depth > deepest) throw new WireError("embedded JSON is nested too deeply");
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new WireError("embedded JSON that cannot be read");
  }
}

/** Upper bound of the nesting depth of a JSON text. */
function nesting(text: string): number {
  let deepest = 0;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (quoted) {
      if (character === 0x5c) index++;
      else if (character === 0x22) quoted = false;
    } else if (character === 0x22) quoted = true;
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (character === 0x7d || character === 0x5d) depth--;
  }
  return deepest;
}
