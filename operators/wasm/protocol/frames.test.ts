import { encode } from "cborg";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  encodeFrame,
  FrameReader,
  MessageIds,
  parseDeviceMessage,
  parseGatewayMessage,
  ProtocolError,
} from "./frames.js";
import {
  chunkBytes,
  maxFrameBytes,
  protocolVersion,
  type DeviceMessage,
  type GatewayMessage,
} from "./messages.js";

const digest = fc.string({
  unit: fc.constantFrom(...Array.from("0123456789abcdef")),
  minLength: 64,
  maxLength: 64,
});
const anyDigest = digest.map((digits) => `sha256:${digits}`);
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const texts = fc.dictionary(
  name.filter((key) => key !== "__proto__"),
  name,
  { maxKeys: 4, noNullPrototype: true },
);
const count = fc.nat({ max: 2 ** 40 });
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const state = fc.record(
  {
    application: name,
    id: name,
    state: fc.constantFrom("Running", "Completed", "Failed", "Stopped"),
    exitCode: fc.integer(),
    failure: fc.record({ reason: fc.constantFrom("Trap", "Exit", "MemoryLimit"), message: name }),
    startedAt: fc.constant("2026-01-01T00:00:00.000Z"),
  },
  { requiredKeys: ["application", "id", "state"], noNullPrototype: true },
);
const deviceMessages: fc.Arbitrary<DeviceMessage> = fc.oneof(
  fc.record({
    type: fc.constant("hello" as const),
    agent: name,
    labels: texts,
    memory: count,
    features: fc.array(name, { maxLength: 3 }),
    applications: fc.array(state, { maxLength: 5 }),
  }),
  fc.record({ type: fc.constant("heartbeat" as const) }),
  fc.record({
    type: fc.constantFrom("need" as const, "chunkReceived" as const),
    digest: anyDigest,
    offset: count,
  }),
  fc.record({ type: fc.constant("result" as const), of: count, state }),
  fc.record({ type: fc.constant("stopped" as const), of: count, application: name }),
  fc.record({ type: fc.constant("state" as const), state }),
);
const gatewayMessages: fc.Arbitrary<GatewayMessage> = fc.oneof(
  fc.record({ type: fc.constant("welcome" as const), name, heartbeatInterval: fc.integer({ min: 1 }) }),
  fc.record({ type: fc.constant("pending" as const), text: name }),
  fc.record({ type: fc.constant("heartbeatReceived" as const) }),
  fc.record({
    type: fc.constant("deploy" as const),
    application: name,
    id: name,
    digest: anyDigest,
    size: count,
    args: fc.array(name, { maxLength: 3 }),
    env: texts,
    memoryLimit: count,
    timeLimit: optional(fc.integer({ min: 1 })),
  }),
  fc.record({
    type: fc.constant("chunk" as const),
    digest: anyDigest,
    offset: count,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 2000 }),
  }),
  fc.record({ type: fc.constant("stop" as const), application: name }),
);

/** Cuts bytes at random places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function readAll(chunks: readonly Uint8Array[]): unknown[] {
  const reader = new FrameReader();
  const messages = chunks.flatMap((chunk) => [...reader.push(chunk)]).map(({ message }) => message);
  reader.end();
  return messages;
}

function frameOf(body: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

function errorOf(action: () => unknown): ProtocolError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

function checkRoundTrips<Message extends DeviceMessage | GatewayMessage>(
  messages: fc.Arbitrary<Message>,
  parse: (message: unknown) => Message,
): void {
  fc.assert(
    fc.property(
      fc.array(messages, { maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (sent, places) => {
        const bytes = Buffer.concat(sent.map((message, index) => encodeFrame(index + 1, message)));
        expect(readAll(cut(bytes, places)).map(parse)).toEqual(sent);
      },
    ),
  );
}

test("messages of devices arrive whole, however the stream is cut", () => {
  checkRoundTrips(deviceMessages, parseDeviceMessage);
});

test("messages of gateways arrive whole, however the stream is cut", () => {
  checkRoundTrips(gatewayMessages, parseGatewayMessage);
});

test("garbage is refused with a ProtocolError and nothing else", () => {
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map(frameOf),
    fc.anything().map((value) => {
      try {
        return frameOf(encode(value));
      } catch {
        return Buffer.alloc(0);
      }
    }),
    fc
      .anything()
      .filter((value) => typeof value !== "bigint")
      .map((message) => {
        try {
          return frameOf(encode({ version: protocolVersion, messageId: 1, message }));
        } catch {
          return Buffer.alloc(0);
        }
      }),
  );
  fc.assert(
    fc.property(garbage, fc.array(fc.nat(), { maxLength: 5 }), (bytes, places) => {
      errorOf(() => readAll(cut(bytes, places)).map(parseDeviceMessage));
      errorOf(() => readAll(cut(bytes, places)).map(parseGatewayMessage));
    }),
    { numRuns: 500 },
  );
});

test("a changed byte gives another message or a ProtocolError", () => {
  fc.assert(
    fc.property(deviceMessages, fc.nat(), fc.integer({ min: 1, max: 255 }), (message, place, change) => {
      const bytes = encodeFrame(1, message);
      const index = place % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ change;
      errorOf(() => readAll([bytes]).map(parseDeviceMessage));
    }),
    { numRuns: 500 },
  );
});

const beat = { type: "heartbeat" } as const;

test.each([
  ["a length above the limit", Buffer.from([0xff, 0xff, 0xff, 0xff]), "The length of a frame is 4294967295"],
  ["a length of zero", Buffer.alloc(4), "The length of a frame is 0"],
  ["a stream that ends within a frame", encodeFrame(1, beat).subarray(0, 9), "ended after 9 bytes"],
  ["CBOR that ends too early", frameOf(encode({ version: 1 }).subarray(0, 5)), "Malformed CBOR"],
  ["CBOR with something behind it", frameOf(Buffer.concat([encode(1), encode(1)])), "Malformed CBOR"],
  ["arrays within arrays", frameOf(Buffer.alloc(maxFrameBytes, 0x81)), "Malformed CBOR"],
  ["another envelope", frameOf(encode([1, 2])), "Invalid frame"],
  ["no id", frameOf(encode({ version: 1, message: beat })), "Invalid frame at messageId"],
  ["another version", encodeFrame(1, beat, 2), "Version 2 of the protocol is not supported; use 1"],
])("%s is refused", (_name, bytes, message) => {
  expect(errorOf(() => readAll([bytes]))?.message).toContain(message);
});

test("a frame of the largest chunk can be sent, and a longer one cannot", () => {
  const chunk = { type: "chunk", digest: `sha256:${"0".repeat(64)}`, offset: 2 ** 40 } as const;
  const sent = { ...chunk, bytes: new Uint8Array(chunkBytes).fill(7) };
  expect(readAll([encodeFrame(1, sent)]).map(parseGatewayMessage)).toEqual([sent]);
  expect(() => encodeFrame(1, { ...chunk, bytes: new Uint8Array(maxFrameBytes) })).toThrow(ProtocolError);
});

test("unknown messages and wrong fields are refused, and long messages of failures are cut", () => {
  expect(() => parseDeviceMessage({ type: "reboot" })).toThrow("Invalid message of a device");
  expect(() => parseDeviceMessage({ type: "need", digest: "sha256:0", offset: 0 })).toThrow("at digest");
  expect(() => parseGatewayMessage(beat)).toThrow("Invalid message of a gateway");
  const failure = { reason: "Trap", message: "x".repeat(5000) };
  const parsed = parseDeviceMessage({
    type: "state",
    state: { application: "a", id: "1", state: "Failed", failure },
  });
  expect(parsed.type === "state" && parsed.state.failure?.message).toHaveLength(2000);
});

test("ids have to grow", () => {
  const ids = new MessageIds();
  expect([1, 2, 2, 1, 7, 6, 8].map((id) => ids.accept(id))).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
});
