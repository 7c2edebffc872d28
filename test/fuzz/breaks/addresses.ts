import type { Choices } from "../choices.js";
import type { Draft } from "../requests/draft.js";
import { always, type Break } from "./break.js";
import { oddTexts } from "./odd-values.js";

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "PURGE",
  "QUERY",
  "SEARCH",
];
const noMethods = ["get", "BREW", "G ET", "", "CONNECT", "PRI", "POST\u0000", "X".repeat(3000)];
const segments = [
  "",
  ".",
  "..",
  "status",
  "scale",
  "finalize",
  "watch",
  "namespaces",
  "proxy",
  "log",
  "exec",
  "binding",
  "eviction",
  "token",
  "api",
  "apis",
  "v1",
  "v2",
  "default",
  "pods",
  "*",
  "~",
  ":",
  ";a=b",
  "x".repeat(20_000),
];
const escapes = [
  "%00",
  "%2e%2e",
  "%2F",
  "%252F",
  "%ff",
  "%c0%af",
  "%zz",
  "%",
  "%u0041",
  "%0d%0aX-Injected:%20yes",
  "%F0%9F%98%80",
  "\u00ff",
  "\u0080\u0081",
  "#part",
  "\\",
  "|",
  "{name}",
  "^",
];

function spoilSegments(draft: Draft, choices: Choices): void {
  const at = choices.below(draft.segments.length);
  const odd = choices.once(2) ? choices.pick(segments) : choices.pick(oddTexts);
  choices.pick([
    () => (draft.segments[at] = odd),
    () => draft.segments.splice(at, 1),
    () => draft.segments.splice(at, 0, odd),
    () => draft.segments.push(odd),
    () => draft.segments.splice(at, 0, draft.segments[at] ?? ""),
    () => draft.segments.reverse(),
    () => draft.segments.push("", "", ""),
    () => draft.segments.splice(draft.segments[0] === "api" ? 2 : 3, 0, "watch"),
    () => (draft.segments[at] = (draft.segments[at] ?? "").toUpperCase()),
  ])();
}

/** Path with escapes, as a client would write it. */
export function pathOf(draft: Draft): string {
  return draft.target ?? `/${draft.segments.map(escapeSegment).join("/")}`;
}

function escapeSegment(text: string): string {
  // A lone surrogate cannot be escaped; its replacement in UTF-8 can.
  return encodeURIComponent(Buffer.from(text).toString());
}

function spoilTarget(draft: Draft, choices: Choices): void {
  const path = pathOf(draft);
  const at = choices.below(path.length + 1);
  draft.target = choices.pick([
    () => path.slice(0, at) + choices.pick(escapes) + path.slice(at),
    () => path.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => path.slice(0, at) + "/" + path.slice(at),
    () => `http://localhost${path}`,
    () => `http://evil.example${path}`,
    () => path.slice(1),
    () => "*",
    () => `//${path}`,
    () => `${path}/${"../".repeat(40)}etc/passwd`,
    () => `${path}${"/a".repeat(2000)}`,
    () => `${path}?`,
    () => `/${"%41".repeat(15_000)}`,
  ])();
}

/** Breaks the path and method of a request. */
export const addressBreaks: readonly Break[] = [
  {
    name: "method",
    weight: 4,
    applies: always,
    spoil: (draft, choices) => void (draft.method = choices.pick(methods)),
  },
  {
    name: "no method",
    weight: 1,
    applies: always,
    spoil(draft, choices) {
      draft.method = choices.pick(noMethods);
      draft.lies = true;
    },
  },
  { name: "path", weight: 8, applies: always, spoil: spoilSegments },
  { name: "escapes", weight: 4, applies: always, spoil: spoilTarget },
];
