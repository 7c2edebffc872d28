import type { Choices } from "../choices.js";
import { contentTypes, type Draft } from "../requests/draft.js";
import { bodyOf } from "./body-of.js";
import { setHeader, type Break } from "./break.js";

const hasText = ({ value, bytes, form }: Draft): boolean =>
  value !== undefined && bytes === undefined && form !== "protobuf";

const before = [
  "\ufeff",
  " \n\t",
  "// a comment\n",
  "/* */",
  "---\n",
  "%YAML 1.2\n---\n",
  ")]}',\n",
  "\0",
  "{}",
  "[",
];
const behind = [
  "{}",
  "]",
  "}",
  "\0",
  "\n---\n{}",
  "\n...\nmore",
  ",",
  "# a comment",
  "\u00e9",
  " ".repeat(100_000),
];
const inside = [
  "\0",
  "\u0001",
  "\\",
  '"',
  "{",
  "[",
  ",",
  ":",
  "\n",
  "\t",
  "\\u",
  "\\ud800",
  "\\x41",
  "'",
  "//",
  "NaN",
  "-",
  "00",
  "1.",
  "e",
  "null",
  "undefined",
];
const noUtf8 = [
  [0xff, 0xfe],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xe2, 0x82],
];

function spoilText(draft: Draft, choices: Choices): void {
  const body = Buffer.from(bodyOf(draft) ?? []);
  const at = choices.below(body.length + 1);
  const head = body.subarray(0, at);
  const tail = body.subarray(at);
  const text = (piece: string): Buffer => Buffer.from(piece);
  draft.bytes = choices.pick([
    () => head,
    () => tail,
    () => Buffer.concat([text(choices.pick(before)), body]),
    () => Buffer.concat([body, text(choices.pick(behind))]),
    () => Buffer.concat([head, text(choices.pick(inside)), tail]),
    () => Buffer.concat([head, Uint8Array.from(choices.pick(noUtf8)), tail]),
    () => Buffer.concat([head, tail.subarray(1 + choices.below(20))]),
    () => Buffer.concat([head, body, tail]),
    () => Buffer.from(body.toString(), "utf16le"),
    () => Buffer.from(body.toString().replaceAll('"', "'")),
    () => Buffer.from(choices.bytes(choices.below(200))),
    () => Buffer.alloc(0),
    () => Buffer.from(body.map((byte) => (choices.once(40) ? byte ^ (1 << choices.below(8)) : byte))),
  ])();
}

/** Nested aliases: nine times nine times nine… */
const bomb = Array.from("abcdefghi", (name, index) => {
  const inside = index === 0 ? '"x"' : `*${"abcdefghi"[index - 1]}`;
  return `${name}: &${name} [${Array<string>(9).fill(inside).join(",")}]\n`;
}).join("");

const yamlPieces = [
  bomb,
  "metadata: &m\n  name: a\n  labels: *m\n",
  "metadata: {<<: *nobody}\n",
  "metadata:\n  <<: [{name: a}, {name: b}]\n",
  "base: &b {name: a}\nmetadata:\n  <<: *b\n",
  "metadata: !!js/function 'function () {}'\n",
  "metadata: !!binary aGVsbG8=\n",
  "metadata: !!set {a, b}\n",
  "data: !!omap [a: 1]\n",
  "data: {a: !!timestamp 2026-01-01}\n",
  "data: {a: 0o17, b: 0x1f, c: .inf, d: .nan, e: 1_000, f: 12:30:45}\n",
  "? [a, b]\n: c\n",
  "? {a: b}\n: c\n",
  "1: a\ntrue: b\nnull: c\n~: d\n",
  "a: |2+\n   x\n",
  "\tname: a\n",
  "- ".repeat(3000) + "a\n",
  `${"{a: ".repeat(2000)}1${"}".repeat(2000)}\n`,
  "%TAG ! tag:example.com,2000:app/\n---\nmetadata: !x {}\n",
  "--- a\n--- b\n--- c\n",
  "a: 'unclosed\n",
  'a: "\\xff\\u0000\\UFFFFFFFF"\n',
  "__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\n",
  "? >\n  long\n: |\n  text\n",
  `${"a: &x b\n".repeat(50)}c: [${"*x,".repeat(3000)}]\n`,
  "&a a: *a\n",
  "# only a comment\n",
];

function spoilYaml(draft: Draft, choices: Choices): void {
  const body = Buffer.from(bodyOf(draft) ?? []).toString();
  const piece = choices.pick(yamlPieces);
  const text = choices.pick([piece, `${piece}${body}`, `${body}\n${piece}`]);
  draft.bytes = Buffer.from(text);
  if (draft.form !== "apply-patch") setHeader(draft, "content-type", contentTypes.yaml);
}

/** Malformed JSON, and unusual YAML. */
export const byteBreaks: readonly Break[] = [
  { name: "text", weight: 8, applies: hasText, spoil: spoilText },
  {
    name: "yaml",
    weight: 4,
    applies: (draft) =>
      hasText(draft) && (draft.form === "json" || draft.form === "yaml" || draft.form === "apply-patch"),
    spoil: spoilYaml,
  },
];
