import type { Choices } from "../choices.js";
import { contentTypes, type Draft } from "../requests/draft.js";
import { apiVersionOf } from "../requests/objects.js";
import { encodedObjects, envelope, field, varint } from "../requests/protobuf.js";
import { setHeader, type Break } from "./break.js";

const kinds = [...encodedObjects.keys()];

/** Message nested in itself. */
function nested(depth: number, number: number): Uint8Array {
  let bytes: Uint8Array = new Uint8Array();
  for (let turn = 0; turn < depth; turn++) bytes = field(number, bytes);
  return bytes;
}

function spoil(draft: Draft, choices: Choices): void {
  const { resource } = draft;
  if (resource === undefined) return;
  const apiVersion = apiVersionOf(resource);
  const known =
    encodedObjects.get(`${apiVersion} ${resource.kind}`) ?? encodedObjects.get(choices.pick(kinds)) ?? [];
  const bytes = Buffer.from(choices.pick(known));
  const at = choices.below(bytes.length);
  const wrap = (raw: Uint8Array): Uint8Array => envelope(apiVersion, resource.kind, raw);
  draft.form = "protobuf";
  setHeader(draft, "content-type", contentTypes.protobuf);
  draft.bytes = choices.pick<() => Uint8Array>([
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    () => bytes.map((byte, index) => (index > 3 && choices.once(30) ? byte ^ (1 << choices.below(8)) : byte)),
    () => bytes.map((byte, index) => (index > 3 && choices.once(60) ? 0xff : byte)),
    () => Buffer.concat([bytes.subarray(0, at), choices.bytes(5), bytes.subarray(at)]),
    () => Buffer.concat([bytes, bytes.subarray(4)]),
    () => wrap(choices.bytes(choices.below(100))),
    () => wrap(nested(50 + choices.below(2000), 1 + choices.below(3))),
    () => wrap(Buffer.alloc(20_000, 0x0b)),
    () => wrap(Buffer.concat([field(1, field(1, Buffer.from("a"))), field(2, choices.bytes(30))])),
    () => wrap(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
    () => wrap(Buffer.from([0x08, ...Array<number>(12).fill(0xff)])),
    () => wrap(Buffer.concat([varint(2 ** 31), varint(3)])),
    () => envelope("", "", nested(3, 2)),
    () => wrap(field(1, field(11, field(1, Buffer.from([0xff, 0xfe]))))),
    () => Buffer.from("k8s\0"),
  ])();
}

/** Messages with invalid numbers and lengths, and deep nesting. */
export const protobufBreaks: readonly Break[] = [
  {
    name: "protobuf",
    weight: 4,
    applies: ({ resource, value, form }) =>
      resource !== undefined &&
      value !== undefined &&
      (form === "json" || form === "yaml" || form === "protobuf"),
    spoil,
  },
];
