import type { Clock } from "../../../model/core.js";
import type { FailureStatus } from "../../../model/errors/status.js";
import type { EventType, ObjectEvent } from "../../registry/requests.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import { partialObjectMetadata, type MetaVersion } from "../../output-formats/partial-metadata.js";
import { parseIncludeObject, tableOf } from "../../output-formats/table.js";
import type { Negotiated } from "../negotiate.js";
import { firstValue, type Query } from "../request/query.js";

/**
 * A watch event as bytes: `{"type":…,"object":…}` and a line feed, wrapped as a chunk of HTTP/1.1 chunked encoding, so that one
 * buffer serves every kind of connection.
 */
export interface EncodedEvent {
  /** The line as an HTTP/1.1 chunk, with length and CRLF. */
  readonly chunk: Buffer;
  /** JSON and line feed; shares the memory of `chunk`. */
  readonly line: Buffer;
}

/** Encodes the events of one watch. */
export type EventEncoder = (event: ObjectEvent) => EncodedEvent;

const cache: Readonly<Record<EventType, WeakMap<ObjectResponse, EncodedEvent>>> = {
  ADDED: new WeakMap(),
  MODIFIED: new WeakMap(),
  DELETED: new WeakMap(),
  BOOKMARK: new WeakMap(),
};

const starts: Readonly<Record<string, Buffer>> = Object.fromEntries(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
);

const end = Buffer.from("}\n\r\n");
/** Bytes of `end` that belong to the line. */
const lineEnd = 2;

/** Encodes objects as they are stored, once for all watches. */
export const encodeStoredEvent: EventEncoder = ({ type, object }) => {
  let encoded = cache[type].get(object);
  if (encoded === undefined) {
    encoded = build(type, object.size, (target, offset) => object.writeTo(target, offset));
    cache[type].set(object, encoded);
  }
  return encoded;
};

/** ERROR event with a Status. */
export function encodeError(status: FailureStatus): EncodedEvent {
  return encodeJson("ERROR", JSON.stringify(status));
}

function encodeJson(type: string, json: string): EncodedEvent {
  const body = Buffer.from(json);
  return build(type, body.length, (target, offset) => offset + body.copy(target, offset));
}

function build(type: string, size: number, write: (target: Buffer, offset: number) => number): EncodedEvent {
  const start = starts[type] ?? end;
  const lineSize = start.length + size + lineEnd;
  const prefix = `${lineSize.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(prefix.length + start.length + size + end.length);
  const lineStart = chunk.write(prefix, 0, "latin1");
  const objectEnd = write(chunk, lineStart + start.copy(chunk, lineStart));
  end.copy(chunk, objectEnd);
  return { chunk, line: chunk.subarray(lineStart, objectEnd + lineEnd) };
}

/** Encoder for the negotiated format. Not shared between watches: only the first Table of a watch has column definitions. */
export function encoderFor(type: ResourceType, form: Negotiated, query: Query, clock: Clock): EventEncoder {
  const { as } = form;
  if (as === undefined) return encodeStoredEvent;
  const version = as.version as MetaVersion;
  if (as.kind !== "Table") {
    return (event) =>
      encodeJson(event.type, JSON.stringify(partialObjectMetadata(event.object.object, version)));
  }
  const includeObject = parseIncludeObject(firstValue(query, "includeObject"));
  let columnDefinitions = true;
  return (event) => {
    const table = tableOf(type, [event.object], {
      includeObject,
      version,
      columnDefinitions,
      now: clock.now(),
    });
    columnDefinitions = false;
    return encodeJson(event.type, table);
  };
}
