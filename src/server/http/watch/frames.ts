import type { Clock } from "../../../model/core.js";
import type { FailureStatus } from "../../../model/errors/status.js";
import type { EventType, ObjectEvent } from "../../registry/requests.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import { partialObjectMetadata, type MetaVersion } from "../../output-formats/partial-metadata.js";
import { parseIncludeObject, tableOf } from "../../output-formats/table.js";
import type { Negotiated } from "../negotiate.js";
import { textOf, type Query } from "../request/query.js";

/**
 * An event as it goes over the wire: `{"type":…,"object":…}` and a line feed, in the clothes of a chunk of HTTP/1.1
 * (its length before it, an end of line after it), so that one buffer serves every kind of connection.
 */
export interface Frame {
  readonly chunk: Buffer;
  /** The line without the clothes; shares the chunk's memory. */
  readonly line: Buffer;
}

/** Puts an event into its frame. */
export type Framer = (event: ObjectEvent) => Frame;

const kept: Readonly<Record<EventType, WeakMap<ObjectResponse, Frame>>> = {
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
/** What of the end belongs to the line. */
const lineEnd = 2;

/** The objects as they are stored: framed once, however many watch them. */
export const plainFrame: Framer = ({ type, object }) => {
  let frame = kept[type].get(object);
  if (frame === undefined) {
    frame = build(type, object.size, (target, offset) => object.writeTo(target, offset));
    kept[type].set(object, frame);
  }
  return frame;
};

/** Tells a client what went wrong with its watch. */
export function errorFrame(status: FailureStatus): Frame {
  return textFrame("ERROR", JSON.stringify(status));
}

function textFrame(type: string, json: string): Frame {
  const body = Buffer.from(json);
  return build(type, body.length, (target, offset) => offset + body.copy(target, offset));
}

function build(type: string, size: number, write: (target: Buffer, offset: number) => number): Frame {
  const start = starts[type] ?? end;
  const lineSize = start.length + size + lineEnd;
  const prefix = `${lineSize.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(prefix.length + start.length + size + end.length);
  const lineStart = chunk.write(prefix, 0, "latin1");
  const objectEnd = write(chunk, lineStart + start.copy(chunk, lineStart));
  end.copy(chunk, objectEnd);
  return { chunk, line: chunk.subarray(lineStart, objectEnd + lineEnd) };
}

/** Frames in the form that was agreed on. One framer serves one watch: tables name their columns once. */
export function framerOf(type: ResourceType, form: Negotiated, query: Query, clock: Clock): Framer {
  const { as } = form;
  if (as === undefined) return plainFrame;
  const version = as.version as MetaVersion;
  if (as.kind !== "Table") {
    return (event) =>
      textFrame(event.type, JSON.stringify(partialObjectMetadata(event.object.object, version)));
  }
  const includeObject = parseIncludeObject(textOf(query, "includeObject"));
  let columnDefinitions = true;
  return (event) => {
    const table = tableOf(type, [event.object], {
      includeObject,
      version,
      columnDefinitions,
      now: clock.now(),
    });
    columnDefinitions = false;
    return textFrame(event.type, table);
  };
}
