import * as types from "./type.js";
import type { Type } from "./type.js";

/** The names of types that expressions can use as values: `type(x) == string`. */
export const typeNames: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...[types.bool, types.bytes, types.double, types.int, types.string, types.uint].map(
    (type): [string, Type] => [type.name, types.typeOf(type)],
  ),
  ["google.protobuf.Duration", types.typeOf(types.duration)],
  ["google.protobuf.Timestamp", types.typeOf(types.timestamp)],
  ["list", types.typeOf(types.listOf(types.dyn))],
  ["map", types.typeOf(types.mapOf(types.dyn, types.dyn))],
  ["null_type", types.typeOf(types.nullType)],
  ["type", types.typeOf(types.typeOf(types.dyn))],
  ["optional_type", types.typeOf(types.optionalOf(types.dyn))],
  ["net.IP", types.typeOf({ kind: "opaque", name: "net.IP", params: [] })],
  ["net.CIDR", types.typeOf({ kind: "opaque", name: "net.CIDR", params: [] })],
]);
