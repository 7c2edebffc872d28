import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { complete } from "./fixtures/complete.js";
import { openApiV2Protobuf } from "./openapi-v2-protobuf.js";

/** Field numbers and contents of a message, decoded without its type. */
function fieldsOf(bytes: Buffer): [number, Buffer | bigint][] {
  const fields: [number, Buffer | bigint][] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const number = key >> 3;
    if ((key & 7) === 0) {
      fields.push([number, varint()]);
    } else {
      const length = (key & 7) === 1 ? 8 : Number(varint());
      fields.push([number, bytes.subarray(at, (at += length))]);
    }
  }
  return fields;
}

/** Follows field numbers into nested messages and returns everything found there. */
function find(bytes: Buffer, ...numbers: number[]): (Buffer | bigint)[] {
  const [first, ...rest] = numbers;
  const found = fieldsOf(bytes)
    .filter(([number]) => number === first)
    .map(([, content]) => content);
  return rest.length === 0 ? found : found.flatMap((content) => find(content as Buffer, ...rest));
}

function encode(schema: object): Buffer {
  const content = { swagger: "2.0", definitions: () => [["Thing", schema]] as const };
  const [named] = find(Buffer.concat(complete(openApiV2Protobuf(content)).body), 9, 1);
  expect(find(named as Buffer, 1).map(String)).toEqual(["Thing"]);
  return find(named as Buffer, 2)[0] as Buffer;
}

describe("OpenAPI v2 in protobuf", () => {
  it("has a hash and a content type of its own", () => {
    const body = Buffer.from("\n\x032.0\x12\x06\n\x01t\x12\x01v");
    const content = { swagger: "2.0", info: { title: "t", version: "v" } };
    const document = complete(openApiV2Protobuf(content));
    expect({ ...document, body: Buffer.concat(document.body) }).toEqual({
      body,
      hash: createHash("sha256").update(body).digest("hex").toUpperCase(),
      contentType: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    });
  });

  it("encodes schemas", () => {
    const schema = encode({
      description: "ü".repeat(100),
      type: "object",
      required: ["a", "b"],
      enum: ["x", 1],
      default: { a: [null] },
      minimum: 1.5,
      maxLength: 300,
      minLength: -1,
      uniqueItems: true,
      properties: { a: { $ref: "#/definitions/Other" } },
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      unknown: 1,
    });
    expect(find(schema, 4).map(String)).toEqual(["ü".repeat(100)]);
    expect(find(schema, 22, 1).map(String)).toEqual(["object"]);
    expect(find(schema, 19).map(String)).toEqual(["a", "b"]);
    expect(find(schema, 20, 2).map(String)).toEqual(['"x"', "1"]);
    expect(find(schema, 5, 2).map(String)).toEqual(['{"a":[null]}']);
    expect((find(schema, 9)[0] as Buffer).readDoubleLE()).toBe(1.5);
    expect(find(schema, 11)).toEqual([300n]);
    expect(find(schema, 12)).toEqual([2n ** 64n - 1n]);
    expect(find(schema, 16)).toEqual([1n]);
    expect(find(schema, 25, 1, 1).map(String)).toEqual(["a"]);
    expect(find(schema, 25, 1, 2, 1).map(String)).toEqual(["#/definitions/Other"]);
    expect(find(schema, 23, 1, 22, 1).map(String)).toEqual(["string"]);
    expect(find(schema, 31, 1).map(String)).toEqual(["x-kubernetes-list-type"]);
    expect(find(schema, 31, 2, 2).map(String)).toEqual(['"set"']);
  });

  it("encodes additional properties that are booleans or schemas", () => {
    expect(find(encode({ additionalProperties: true }), 21, 2)).toEqual([1n]);
    expect(find(encode({ additionalProperties: { type: "string" } }), 21, 1, 22, 1).map(String)).toEqual([
      "string",
    ]);
  });

  it("encodes path, query and body parameters", () => {
    const parameters = {
      body: { name: "body", in: "body", schema: {} },
      limit: { name: "limit", in: "query", type: "integer" },
      name: { name: "name", in: "path", type: "string", required: true },
    };
    const body = Buffer.concat(complete(openApiV2Protobuf({ parameters })).body);
    expect(find(body, 10, 1, 2, 1, 2).map(String)).toEqual(["body"]);
    expect(find(body, 10, 1, 2, 2, 3, 4).map(String)).toEqual(["limit"]);
    expect(find(body, 10, 1, 2, 2, 4, 4).map(String)).toEqual(["name"]);
  });
});
