import { decode, encode } from "cborg";
import { z } from "zod";
import type { FailureReason } from "../kinds.js";
import {
  chunkBytes,
  maxFrameBytes,
  protocolVersion,
  type DeviceMessage,
  type Frame,
  type GatewayMessage,
} from "./messages.js";

/** The other side broke the protocol: its connection has to be closed. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProtocolError";
  }
}

const headerBytes = 4;

/**
 * Encodes a message with its envelope.
 *
 * @throws {ProtocolError} if it is longer than {@link maxFrameBytes}.
 */
export function encodeFrame(
  messageId: number,
  message: DeviceMessage | GatewayMessage,
  version = protocolVersion,
): Buffer {
  const body = encode({ version, messageId, message }, { ignoreUndefinedProperties: true });
  if (body.length > maxFrameBytes) {
    throw new ProtocolError(`A frame of ${body.length} bytes is longer than ${maxFrameBytes}`);
  }
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame.writeUInt32BE(body.length);
  frame.set(body, headerBytes);
  return frame;
}

/** Cuts a stream of bytes into frames. Holds less than one frame. */
export class FrameReader {
  /** Beginning of a frame: the first `#filled` bytes of the buffer. */
  #buffer: Buffer = Buffer.alloc(0);
  #filled = 0;

  /**
   * Adds bytes, and returns the frames that are complete.
   *
   * @throws {ProtocolError} after which the reader cannot be used any more.
   */
  push(chunk: Uint8Array): readonly Frame<unknown>[] {
    const frames: Frame<unknown>[] = [];
    let rest: Uint8Array = chunk;
    while (rest.length > 0) {
      const missing = this.#expected() - this.#filled;
      rest = this.#append(rest, missing);
      const expected = this.#expected();
      if (this.#filled < expected || expected === headerBytes) continue;
      frames.push(decodeBody(this.#buffer.subarray(headerBytes, expected)));
      this.#buffer = Buffer.alloc(0);
      this.#filled = 0;
    }
    return frames;
  }

  /** Ends the stream. Throws a {@link ProtocolError} if it ended within a frame. */
  end(): void {
    if (this.#filled > 0) throw new ProtocolError(`The stream ended after ${this.#filled} bytes of a frame`);
  }

  /** Bytes of the current frame with its header, as far as they are known. */
  #expected(): number {
    if (this.#filled < headerBytes) return headerBytes;
    const length = this.#buffer.readUInt32BE();
    if (length === 0 || length > maxFrameBytes) {
      throw new ProtocolError(`The length of a frame is ${length}; allowed are 1 to ${maxFrameBytes}`);
    }
    return headerBytes + length;
  }

  /** Takes up to `missing` bytes and returns the rest. The buffer grows with what was received, not with what was announced. */
  #append(bytes: Uint8Array, missing: number): Uint8Array {
    const count = Math.min(missing, bytes.length);
    const size = this.#filled + count;
    if (size > this.#buffer.length) {
      const wanted = count === missing ? size : Math.max(size, this.#buffer.length * 2);
      const larger = Buffer.allocUnsafeSlow(Math.min(wanted, headerBytes + maxFrameBytes));
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes.subarray(0, count), this.#filled);
    this.#filled = size;
    return bytes.subarray(count);
  }
}

const envelope = z.object({
  version: z.int(),
  messageId: z.int().min(1),
  message: z.looseObject({ type: z.string() }),
});

function decodeBody(body: Uint8Array): Frame<unknown> {
  let value: unknown;
  try {
    value = decode(body, {
      strict: true,
      allowIndefinite: false,
      allowUndefined: false,
      allowInfinity: false,
      allowNaN: false,
      allowBigInt: false,
      rejectDuplicateMapKeys: true,
    });
  } catch (error) {
    // Also a RangeError, for arrays within arrays.
    throw new ProtocolError(`Malformed CBOR: ${error instanceof Error ? error.message : String(error)}`);
  }
  const frame = parse(envelope, value, "frame");
  if (frame.version !== protocolVersion) {
    throw new ProtocolError(
      `Version ${frame.version} of the protocol is not supported; use ${protocolVersion}`,
    );
  }
  return frame;
}

/** Written again, and checked by the compiler, so that devices do not have to load the kinds. */
const failureReasons: Readonly<Record<FailureReason, FailureReason>> = {
  DeviceDisconnected: "DeviceDisconnected",
  Refused: "Refused",
  InvalidModule: "InvalidModule",
  DigestMismatch: "DigestMismatch",
  Trap: "Trap",
  Exit: "Exit",
  TimeLimit: "TimeLimit",
  MemoryLimit: "MemoryLimit",
  Timeout: "Timeout",
  GatewayDown: "GatewayDown",
};
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const application = z.string().min(1).max(512);
const time = z.string().max(40).optional();
const size = z.int().min(0);
const state = z.object({
  application,
  id: z.string().max(512),
  state: z.enum(["Running", "Completed", "Failed", "Stopped"]),
  exitCode: z.int().optional(),
  failure: z
    .object({
      reason: z.enum(failureReasons),
      // A long message is no reason to disconnect a device.
      message: z.string().transform((text) => (text.length > 2000 ? `${text.slice(0, 1999)}…` : text)),
    })
    .optional(),
  startedAt: time,
  finishedAt: time,
});

/** Applications that a device may have. */
export const maxApplications = 500;

const shortText = z.string().max(256);
const deviceMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    agent: shortText,
    labels: z
      .record(shortText, shortText)
      .refine((labels) => Object.keys(labels).length <= 64, "more than 64 labels"),
    memory: size,
    features: z.array(shortText).max(64),
    applications: z.array(state).max(maxApplications),
  }),
  z.object({ type: z.literal("heartbeat") }),
  z.object({ type: z.literal("need"), digest, offset: size }),
  z.object({ type: z.literal("chunkReceived"), digest, offset: size }),
  z.object({ type: z.literal("result"), of: size, state }),
  z.object({ type: z.literal("stopped"), of: size, application }),
  z.object({ type: z.literal("state"), state }),
]);

const gatewayMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("welcome"), name: z.string(), heartbeatInterval: z.number().positive() }),
  z.object({ type: z.literal("pending"), text: z.string() }),
  z.object({ type: z.literal("heartbeatReceived") }),
  z.object({
    type: z.literal("deploy"),
    application,
    id: z.string().max(512),
    digest,
    size,
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()),
    memoryLimit: size,
    timeLimit: z.number().positive().optional(),
  }),
  z.object({
    type: z.literal("chunk"),
    digest,
    offset: size,
    bytes: z.instanceof(Uint8Array).refine(({ length }) => length > 0 && length <= chunkBytes, "wrong size"),
  }),
  z.object({ type: z.literal("stop"), application }),
]);

/** Checks a message that a gateway has received. Throws a {@link ProtocolError}. */
export function parseDeviceMessage(message: unknown): DeviceMessage {
  return parse(deviceMessage, message, "message of a device");
}

/** Checks a message that a device has received. Throws a {@link ProtocolError}. */
export function parseGatewayMessage(message: unknown): GatewayMessage {
  return parse(gatewayMessage, message, "message of a gateway") as GatewayMessage;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new ProtocolError(`Invalid ${what}${where}: ${issue?.message ?? "unknown"}`);
}

/** Filter against replays: accepts ids that grow. */
export class MessageIds {
  #last = 0;

  accept(id: number): boolean {
    if (id <= this.#last) return false;
    this.#last = id;
    return true;
  }
}
