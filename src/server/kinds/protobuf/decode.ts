import { failures } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import type { Json } from "../../../model/object/json.js";
import { normalStruct } from "../typed/normalize.js";
import { findBuiltInKind } from "../types.js";
import { decodeMessage, type Trail } from "./decode-message.js";
import { WireError, WireLimitError, WireReader, wireTypes } from "./wire-reader.js";

/** Magic prefix of Kubernetes' protobuf: `k8s` and a zero byte. */
const prefix = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Tags of an entry of a map: its own, its key's and its value's. */
const tagsPerField = 3;

export interface DecodedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object as JSON, with its apiVersion and kind. */
  readonly object: { [key: string]: Json };
}

/**
 * Decodes a request body in `application/vnd.kubernetes.protobuf`: a prefix and an envelope with the object, which is
 * returned in Kubernetes' JSON form. `expected` is the kind of an envelope that names none.
 *
 * @throws {ApiError} 400 for malformed bytes, 413 for more fields than the limit; no other error.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  expected: { readonly apiVersion?: string; readonly kind?: string } = {},
  maxFields = Infinity,
): DecodedObject {
  const envelope = openEnvelope(bytes);
  const kind = envelope.kind || (expected.kind ?? "");
  const apiVersion = envelope.apiVersion || (expected.apiVersion ?? "");
  if (kind === "") throw failures.badRequest("Object 'Kind' is missing in the protobuf envelope");
  if (apiVersion === "") throw failures.badRequest("Object 'apiVersion' is missing in the protobuf envelope");
  const struct = findBuiltInKind(apiVersion, kind);
  if (struct === undefined) {
    throw failures.badRequest(
      `no kind ${quote(cut(kind))} is registered for version ${quote(cut(apiVersion))} in protobuf: send it as JSON`,
    );
  }
  const trail: Trail = [];
  const reader = new WireReader(envelope.raw, maxFields * tagsPerField);
  try {
    const fields = decodeMessage(reader, struct, trail);
    return { apiVersion, kind, object: { apiVersion, kind, ...normalStruct(fields, struct, 0) } };
  } catch (error) {
    throw asBadRequest(error, (problem) => {
      const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
      const place = trail.length > 0 ? ` in ${shorten(trail)}` : "";
      return `${kind} in version ${quote(version)} cannot be handled as a ${kind}: proto: ${problem}${place} at byte ${reader.position}`;
    });
  }
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
}

function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.byteLength === 0) throw failures.badRequest("empty data");
  if (bytes.byteLength < prefix.length || prefix.compare(bytes, 0, prefix.length) !== 0) {
    throw failures.badRequest(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(" ")}]`,
    );
  }
  if (bytes.byteLength === prefix.length) throw failures.badRequest("empty body");
  const envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array() };
  const reader = new WireReader(bytes.subarray(prefix.length));
  try {
    while (!reader.done) {
      const { field, wire } = reader.tag();
      if (wire !== wireTypes.bytes || field > 2) reader.skip(wire, field);
      else if (field === 2) envelope.raw = reader.bytes();
      else readTypeMeta(reader, envelope);
    }
  } catch (error) {
    throw asBadRequest(
      error,
      (problem) =>
        `the protobuf envelope cannot be read: ${problem} at byte ${prefix.length + reader.position}`,
    );
  }
  return envelope;
}

function readTypeMeta(reader: WireReader, envelope: Envelope): void {
  const outer = reader.enter();
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (wire !== wireTypes.bytes || field > 2) reader.skip(wire, field);
    else if (field === 1) envelope.apiVersion = reader.text();
    else envelope.kind = reader.text();
  }
  reader.leave(outer);
}

function asBadRequest(error: unknown, describe: (problem: string) => string): unknown {
  if (error instanceof WireLimitError) return failures.requestEntityTooLarge(error.message);
  return error instanceof WireError ? failures.badRequest(describe(error.message)) : error;
}

function cut(name: string): string {
  return name.length > 253 ? `${name.slice(0, 253)}...` : name;
}

/** Shortens the path, whose length the client determines. */
function shorten(trail: readonly string[]): string {
  return trail.length > 12 ? `${trail.slice(0, 12).join(".")}...` : trail.join(".");
}
