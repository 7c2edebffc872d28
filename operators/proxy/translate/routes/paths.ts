import { compilePattern } from "fettle/model";
import type { RequestMatch } from "../configuration.js";

/** Result of a check: a value, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly fault: string };

/** Characters of a path in a URL, as the Gateway API lists them. */
const pathCharacters = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})*$/;
// oxlint-disable-next-line no-control-regex -- these are what must not be there
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const dotSegment = /\/\.{1,2}(?:\/|$)/;
const maxPatternLength = 512;

/** True for text that may break out of a line of a configuration or of a header. */
export function hasControlCharacters(text: string): boolean {
  return controlCharacters.test(text);
}

/**
 * Path of a match, percent-encoded as it was written; a prefix has no slash at its end. nginx compares decoded and resolved paths, so
 * those that can never match then, such as `/a/%2E%2E/b`, are refused.
 */
export function matchPath(type: string, value: string): Checked<RequestMatch["path"]> {
  if (type === "RegularExpression") return matchPattern(value);
  if (type !== "Exact" && type !== "PathPrefix") {
    return { fault: `type ${type} is not supported: use Exact, PathPrefix or RegularExpression` };
  }
  const fault = pathFault(value);
  if (fault !== undefined) return { fault };
  if (value.includes("//")) return { fault: `"${value}" must not contain "//"` };
  if (/%2f/i.test(value)) return { fault: `"${value}" must not contain an encoded slash (%2F)` };
  const decoded = decodePath(value);
  if (decoded === undefined) return { fault: `"${value}" is not UTF-8 after decoding` };
  if (hasControlCharacters(decoded))
    return { fault: `"${value}" must not contain encoded control characters` };
  if (dotSegment.test(decoded)) return { fault: `"${value}" must not contain the segments "." and ".."` };
  if (type === "Exact") return { value: { type: "Exact", value } };
  const prefix = value.length > 1 && value.endsWith("/") ? value.slice(0, -1) : value;
  return { value: { type: "Prefix", value: prefix } };
}

/** Checks a path that replaces another one; it stays percent-encoded. */
export function replacementPath(value: string): Checked<string> {
  const fault = pathFault(value);
  if (fault !== undefined) return { fault };
  // "//host" would be a redirect to another host.
  if (value.startsWith("//")) return { fault: `"${value}" must not begin with "//"` };
  return { value };
}

function pathFault(value: string): string | undefined {
  if (!value.startsWith("/")) return `${JSON.stringify(value)} must begin with "/"`;
  if (pathCharacters.test(value)) return undefined;
  return `${JSON.stringify(value)} has characters that a path cannot have: encode them, such as %20 for a space`;
}

function decodePath(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/**
 * Pattern that RE2 and PCRE understand alike. nginx matches with PCRE, which backtracks: a repeated group with repetitions or
 * alternatives inside can take exponential time, so that one route could stop the nginx of all. Named groups would overwrite
 * variables of nginx.
 */
function matchPattern(value: string): Checked<RequestMatch["path"]> {
  const shown = JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value);
  if (value === "") return { fault: "a pattern must not be empty" };
  if (value.length > maxPatternLength)
    return { fault: `pattern ${shown} is longer than ${maxPatternLength} characters` };
  if (!/^[\u0020-\u007e]+$/.test(value)) return { fault: `pattern ${shown} must be printable ASCII` };
  const { fault } = compilePattern(value);
  if (fault !== undefined) return { fault: `pattern ${shown}: ${fault}` };
  const unsafe = unsafePart(value);
  if (unsafe !== undefined) return { fault: `pattern ${shown}: ${unsafe}` };
  return { value: { type: "RegularExpression", value } };
}

/** Part of a pattern before a repetition: a group is complex if there are repetitions or alternatives in it. */
type Part = "nothing" | "assertion" | "item" | "complex group" | "repetition";

/** Finds constructs besides the common subset. The pattern is valid RE2 already, so that brackets are balanced. */
function unsafePart(pattern: string): string | undefined {
  // One entry for each open group: whether it is complex.
  const groups: boolean[] = [false];
  let before: Part = "nothing";
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    const repetition = repetitionAt(pattern, index);
    if (repetition !== undefined) {
      const fault = repetitionFault(before, repetition);
      if (fault !== undefined) return fault;
      groups[groups.length - 1] = true;
      before = "repetition";
      index += repetition.length - 1;
    } else if (character === "\\") {
      const escaped = pattern[++index] ?? "";
      if (/[pPCQxav]/.test(escaped)) return `\\${escaped} is not supported`;
      before = /[bBAz]/.test(escaped) ? "assertion" : "item";
    } else if (character === "[") {
      index = endOfClass(pattern, index);
      before = "item";
    } else if (pattern.startsWith("(?i)", index)) {
      index += 3;
      before = "assertion";
    } else if (character === "(") {
      if (pattern[index + 1] === "?") {
        if (pattern[index + 2] !== ":")
          return "of the groups that begin with (? only (?:…) and (?i) are supported";
        index += 2;
      }
      groups.push(false);
      before = "nothing";
    } else if (character === ")") {
      before = groups.pop() === true ? "complex group" : "item";
      if (before === "complex group") groups[groups.length - 1] = true;
    } else if (character === "|") {
      groups[groups.length - 1] = true;
      before = "nothing";
    } else before = character === "^" || character === "$" ? "assertion" : "item";
  }
  return undefined;
}

/** Repetition at a position, with the mark of one that matches as little as possible. */
function repetitionAt(pattern: string, index: number): string | undefined {
  return /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(index, index + 16))?.[0];
}

function repetitionFault(before: Part, repetition: string): string | undefined {
  if (before === "nothing" || before === "assertion")
    return `there is nothing that ${repetition} could repeat`;
  if (before === "repetition") return "a repetition must not be repeated";
  if (before === "item" || repetition.startsWith("?")) return undefined;
  return "a group with repetitions or alternatives must not be repeated";
}

/** Index of the bracket that closes a character class. */
function endOfClass(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === "^") index++;
  // A bracket at the beginning is a character of the class.
  if (pattern[index] === "]") index++;
  for (; index < pattern.length && pattern[index] !== "]"; index++) {
    if (pattern[index] === "\\") index++;
    else if (pattern.startsWith("[:", index)) index = pattern.indexOf(":]", index) + 1;
  }
  return index;
}
