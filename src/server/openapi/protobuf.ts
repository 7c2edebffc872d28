/** Turns a JSON value into the content of a protobuf field. */
export interface Encoding {
  /** Wire type: 0 varint, 1 fixed 64 bits, 2 length-delimited. */
  readonly wire: 0 | 1 | 2;
  readonly encode: (value: unknown) => Buffer;
}

/** Field of a message: number, encoding, and whether it is repeated. */
export type Field = readonly [number: number, encoding: Encoding, repeated?: "repeated"];

export const string: Encoding = { wire: 2, encode: (value) => Buffer.from(String(value)) };
export const bool: Encoding = { wire: 0, encode: (value) => varint(value ? 1 : 0) };
export const int64: Encoding = { wire: 0, encode: (value) => varint(Math.trunc(Number(value))) };
export const double: Encoding = {
  wire: 1,
  encode(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(Number(value));
    return bytes;
  },
};

/**
 * Message whose fields have the names that they have in JSON. Other names are omitted, except that `x-…` goes to the field
 * for extensions, if there is one. `fields` is called on first use, since messages may be recursive.
 */
export function message(fields: () => Readonly<Record<string, Field>>, extensions?: Field): Encoding {
  let fieldsByName: ReadonlyMap<string, Field> | undefined;
  return {
    wire: 2,
    encode(value) {
      fieldsByName ??= new Map(Object.entries(fields()));
      const parts: Buffer[] = [];
      for (const [name, content] of Object.entries(value as object) as [string, unknown][]) {
        if (content === undefined) continue;
        const field = fieldsByName.get(name);
        if (field) put(parts, field, content);
        else if (extensions && name.startsWith("x-")) put(parts, extensions, [[name, content]]);
      }
      return Buffer.concat(parts);
    },
  };
}

/** JSON object with any keys: a message with a repeated field of key-value pairs. */
export function mapOf(value: Encoding, number = 1): Encoding {
  const pairs = pair(value);
  return {
    wire: 2,
    encode(map) {
      const parts: Buffer[] = [];
      put(parts, [number, pairs, "repeated"], Object.entries(map as object));
      return Buffer.concat(parts);
    },
  };
}

/** Key-value pair. */
export function pair(value: Encoding): Encoding {
  return {
    wire: 2,
    encode(entry) {
      const [name, content] = entry as [string, unknown];
      const parts: Buffer[] = [];
      put(parts, [1, string], name);
      put(parts, [2, value], content);
      return Buffer.concat(parts);
    },
  };
}

/** Message with the value in the field that `choose` returns. */
export function wrapped(choose: (value: unknown) => Field): Encoding {
  return {
    wire: 2,
    encode(value) {
      const parts: Buffer[] = [];
      put(parts, choose(value), value);
      return Buffer.concat(parts);
    },
  };
}

function put(parts: Buffer[], [number, encoding, repeated]: Field, value: unknown): void {
  const values = repeated && Array.isArray(value) ? (value as unknown[]) : [value];
  for (const one of values) {
    if (one === undefined) continue;
    const content = encoding.encode(one);
    parts.push(varint(number * 8 + encoding.wire));
    if (encoding.wire === 2) parts.push(varint(content.length));
    parts.push(content);
  }
}

/** Most numbers take one byte. */
const oneByte = Array.from({ length: 0x80 }, (_, value) => Buffer.from([value]));

function varint(value: number): Buffer {
  const short = oneByte[value];
  if (short) return short;
  const bytes: number[] = [];
  // Negative numbers are encoded with all 64 bits.
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
