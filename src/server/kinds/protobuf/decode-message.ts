import type { Json } from "../../../model/core.js";
import { setOwn } from "../../../model/object/json.js";
import type { FieldDefinition, Scalar, StructType, ValueType } from "../idl/type-definition.js";
import { deepest } from "../typed/depth.js";
import { canBeWritten, writeTime } from "../typed/go-time.js";
import { parseEmbeddedJson } from "./embedded-json.js";
import { WireError, type WireReader, wireTypes } from "./wire-reader.js";

type Fields = { [key: string]: Json };

/** Position of the decoder for errors: field names from the root. */
export type Trail = string[];

/**
 * Decodes one message up to the end of the reader into JSON: all fields that were sent. Empty and missing fields are
 * left to `normalize`. A repeated message is merged, as Go does.
 */
export function decodeMessage(
  reader: WireReader,
  struct: StructType,
  trail: Trail,
  into: Fields = {},
): Fields {
  while (!reader.done) {
    const { field: number, wire } = reader.tag();
    const field = struct.byNumber.get(number);
    if (field === undefined) {
      reader.skip(wire, number);
      continue;
    }
    trail.push(field.name);
    decodeField(reader, wire, field, trail, into);
    trail.pop();
  }
  return into;
}

function decodeField(
  reader: WireReader,
  wire: number,
  { name, type, inline }: FieldDefinition,
  trail: Trail,
  into: Fields,
): void {
  if (inline && type.of === "struct") {
    decodeStruct(reader, wire, type.struct, trail, into);
    return;
  }
  switch (type.of) {
    case "scalar":
      into[name] = decodeScalar(reader, wire, type.scalar, trail);
      return;
    case "struct": {
      const before = into[name];
      into[name] = decodeStruct(reader, wire, type.struct, trail, isFields(before) ? before : undefined);
      return;
    }
    case "list": {
      const list = (into[name] ??= []) as Json[];
      if (wire === wireTypes.bytes && isNumeric(type.item)) decodePacked(reader, type.item, trail, list);
      else list.push(decodeValue(reader, wire, type.item, trail));
      return;
    }
    case "map":
      decodeEntry(reader, wire, type.value, trail, (into[name] ??= {}) as Fields);
  }
}

function decodeValue(reader: WireReader, wire: number, type: ValueType, trail: Trail): Json {
  if (type.of === "scalar") return decodeScalar(reader, wire, type.scalar, trail);
  if (type.of === "struct") return decodeStruct(reader, wire, type.struct, trail);
  throw new WireError(`a ${type.of} cannot stand in another`);
}

function decodeStruct(
  reader: WireReader,
  wire: number,
  struct: StructType,
  trail: Trail,
  into?: Fields,
): Json {
  expect(wire, wireTypes.bytes);
  if (trail.length > deepest) throw new WireError("messages are nested too deeply");
  const outer = reader.enter();
  const fields = decodeMessage(reader, struct, trail, struct.union ? {} : into);
  reader.leave(outer);
  return struct.union ? chooseAlternative(struct, fields) : fields;
}

/** A union is sent with all its fields; the last one that is set counts. */
function chooseAlternative(union: StructType, fields: Fields): Json {
  let chosen: Json = null;
  for (const { name } of union.fields) {
    const value = fields[name];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) chosen = value;
  }
  return chosen;
}

function decodeEntry(reader: WireReader, wire: number, type: ValueType, trail: Trail, map: Fields): void {
  expect(wire, wireTypes.bytes);
  const outer = reader.enter();
  let key = "";
  let value: Json = null;
  while (!reader.done) {
    const tag = reader.tag();
    if (tag.field === 1) {
      expect(tag.wire, wireTypes.bytes);
      key = reader.text();
    } else if (tag.field === 2) {
      value =
        type.of === "list"
          ? decodeWrappedList(reader, tag.wire, type.item, trail)
          : decodeValue(reader, tag.wire, type, trail);
    } else reader.skip(tag.wire, tag.field);
  }
  reader.leave(outer);
  setOwn(map, key, value);
}

/** Reads a list as the value of a map, which protobuf cannot express: Kubernetes wraps it in a message with one field. */
function decodeWrappedList(reader: WireReader, wire: number, item: ValueType, trail: Trail): Json {
  expect(wire, wireTypes.bytes);
  const outer = reader.enter();
  const list: Json[] = [];
  while (!reader.done) {
    const tag = reader.tag();
    if (tag.field === 1) list.push(decodeValue(reader, tag.wire, item, trail));
    else reader.skip(tag.wire, tag.field);
  }
  reader.leave(outer);
  return list;
}

function decodePacked(reader: WireReader, type: ValueType, trail: Trail, list: Json[]): void {
  const outer = reader.enter();
  const wire = type.of === "scalar" && type.scalar === "double" ? wireTypes.fixed64 : wireTypes.varint;
  while (!reader.done) list.push(decodeValue(reader, wire, type, trail));
  reader.leave(outer);
}

function decodeScalar(reader: WireReader, wire: number, scalar: Scalar, trail: Trail): Json {
  switch (scalar) {
    case "bool":
      expect(wire, wireTypes.varint);
      return reader.bool();
    case "int32":
      expect(wire, wireTypes.varint);
      return reader.int32();
    case "int64":
      expect(wire, wireTypes.varint);
      return reader.int64();
    case "double":
      expect(wire, wireTypes.fixed64);
      return reader.double();
    default:
      expect(wire, wireTypes.bytes);
      return decodeBytes(reader, scalar, trail);
  }
}

function decodeBytes(
  reader: WireReader,
  scalar: Exclude<Scalar, "bool" | "int32" | "int64" | "double">,
  trail: Trail,
): Json {
  if (scalar === "string") return reader.text();
  if (scalar === "bytes") return reader.bytes().toString("base64");
  const outer = reader.enter();
  const value = decodeWrapped(reader, scalar, trail);
  reader.leave(outer);
  return value;
}

/** Values that are messages in protobuf and scalars or any value in JSON. */
function decodeWrapped(
  reader: WireReader,
  scalar: Exclude<Scalar, "bool" | "int32" | "int64" | "double" | "string" | "bytes">,
  trail: Trail,
): Json {
  const empty = reader.done;
  switch (scalar) {
    case "time":
    case "microtime": {
      const [seconds, nanos] = readNumbers(reader);
      if (empty) return null;
      if (!canBeWritten(seconds) || nanos < 0 || nanos > 999_999_999)
        throw new WireError("time out of range");
      const micro = scalar === "microtime";
      return writeTime(seconds, micro ? Math.trunc(nanos / 1000) : 0, micro);
    }
    case "duration":
      return formatGoDuration(readNumbers(reader)[0]);
    case "quantity":
      return readTexts(reader, 1) || "0";
    case "intOrString":
      return readIntOrString(reader);
    case "any":
      return readAny(reader, trail);
  }
}

/** The numbers in the fields 1 and 2, such as seconds and nanoseconds. */
function readNumbers(reader: WireReader): [number, number] {
  const numbers: [number, number] = [0, 0];
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field !== 1 && field !== 2) reader.skip(wire, field);
    else {
      expect(wire, wireTypes.varint);
      numbers[field - 1] = field === 1 ? reader.int64() : reader.int32();
    }
  }
  return numbers;
}

function readTexts(reader: WireReader, number: number): string {
  let text = "";
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field !== number) reader.skip(wire, field);
    else {
      expect(wire, wireTypes.bytes);
      text = reader.text();
    }
  }
  return text;
}

function readIntOrString(reader: WireReader): Json {
  let isText = false;
  let number = 0;
  let text = "";
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field < 1 || field > 3) {
      reader.skip(wire, field);
      continue;
    }
    expect(wire, field === 3 ? wireTypes.bytes : wireTypes.varint);
    if (field === 1) isText = reader.int64() === 1;
    else if (field === 2) number = reader.int32();
    else text = reader.text();
  }
  return isText ? text : number;
}

/** Embedded JSON, whose bytes are in field 1. */
function readAny(reader: WireReader, trail: Trail): Json {
  let value: Json = null;
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field !== 1) reader.skip(wire, field);
    else {
      expect(wire, wireTypes.bytes);
      value = parseEmbeddedJson(reader.text(), trail.length);
    }
  }
  return value;
}

/** Nanoseconds as Go prints a duration: `1h0m0s`, `1.5s`, `20ms`. */
function formatGoDuration(nanoseconds: number): string {
  const sign = nanoseconds < 0 ? "-" : "";
  const all = Math.abs(nanoseconds);
  if (all === 0) return "0s";
  if (all < 1e3) return `${sign}${all}ns`;
  if (all < 1e6) return `${sign}${all / 1e3}\u00B5s`;
  if (all < 1e9) return `${sign}${all / 1e6}ms`;
  const seconds = (all % 60e9) / 1e9;
  const minutes = Math.floor(all / 60e9);
  if (minutes === 0) return `${sign}${seconds}s`;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours > 0 ? `${hours}h` : ""}${minutes % 60}m${seconds}s`;
}

function expect(wire: number, wanted: number): void {
  if (wire !== wanted) throw new WireError(`wrong wireType = ${wire}, expected ${wanted}`);
}

function isNumeric(type: ValueType): boolean {
  return type.of === "scalar" && ["bool", "int32", "int64", "double"].includes(type.scalar);
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
