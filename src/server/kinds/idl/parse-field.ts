import type { Json } from "../../../model/core.js";
import { IdlError, type Line, type Word } from "./parse-line.js";
import {
  type FieldDefinition,
  type GroupDefinition,
  isScalar,
  type ListType,
  type Names,
  type PatchStrategy,
  type Presence,
  type ValueType,
} from "./type-definition.js";

/** Reads a line such as `secrets 2 [ObjectReference] map(name) merge(name)`. */
export function parseField(line: Line, group: GroupDefinition, names: Names): FieldDefinition {
  const [name, number, typeWord, ...rest] = line.words;
  if (name === undefined || number === undefined || typeWord === undefined) {
    throw new IdlError(line.number, 'a field is a name, a number and a type, such as "data 2 {string}"');
  }
  if (!/^[1-9]\d{0,3}$/.test(number.text)) {
    throw new IdlError(line.number, `"${number.text}" is not a protobuf field number`);
  }
  const presence = presences[typeWord.text.at(-1) ?? ""] ?? "plain";
  const typeText = presence === "plain" ? typeWord.text : typeWord.text.slice(0, -1);
  const type = parseType(typeText, line.number, group, names);
  if (type.of === "struct" && line.comment) {
    throw new IdlError(line.number, `describe ${type.struct.name} itself: everything that has one shares it`);
  }
  return {
    name: name.text,
    number: Number(number.text),
    type,
    presence,
    ...readNotes(line, type, rest),
    description: line.comment,
  };
}

const presences: Readonly<Record<string, Presence>> = { "?": "pointer", "!": "required", "*": "always" };

function parseType(text: string, line: number, group: GroupDefinition, names: Names): ValueType {
  const inside = text.slice(1, -1);
  if (text.startsWith("[") && text.endsWith("]")) {
    return { of: "list", item: parseType(inside, line, group, names) };
  }
  if (text.startsWith("{") && text.endsWith("}")) {
    return { of: "map", value: parseType(inside, line, group, names) };
  }
  if (isScalar(text)) return { of: "scalar", scalar: text };
  const keys = text.includes("/") ? [text] : [`${group.name}.${text}`, `meta/v1.${text}`];
  for (const key of keys) {
    const struct = names.structs.get(key);
    if (struct) return { of: "struct", struct };
    const alias = names.aliases.get(key);
    if (alias) return { of: "scalar", scalar: alias.scalar, alias };
  }
  throw new IdlError(line, `there is no type "${text}"`);
}

type Notes = { -readonly [Key in keyof FieldDefinition]?: FieldDefinition[Key] };

function readNotes(line: Line, type: ValueType, words: readonly Word[]): Notes {
  const notes: Notes = {};
  const strategies: PatchStrategy["strategies"][number][] = [];
  let mergeKey: string | undefined;
  for (const { text, arguments: given } of words) {
    const misplaced = (): never => {
      throw new IdlError(line.number, `"${text}" says nothing about a ${type.of}`);
    };
    switch (text) {
      case "set":
      case "map":
        if (type.of !== "list" || (text === "map") !== (given !== undefined)) misplaced();
        notes.listType = text;
        notes.listMapKeys = given;
        break;
      case "atomic":
        if (type.of === "map") notes.mapType = "atomic";
        else if (type.of !== "list") misplaced();
        break;
      case "granular":
        if (type.of !== "map" && type.of !== "struct") misplaced();
        notes.mapType = "granular";
        break;
      case "merge":
        strategies.push("merge");
        mergeKey = given?.join();
        break;
      case "retainKeys":
      case "replace":
        strategies.push(text);
        break;
      case "=":
        notes.default = readDefault(given?.join() ?? "");
        break;
      case "published":
        notes.isDefaultPublished = true;
        break;
      case "format":
        if (type.of !== "scalar") misplaced();
        notes.format = given?.join();
        break;
      case "required":
        notes.required = true;
        break;
      case "inline":
        if (type.of !== "struct") misplaced();
        notes.inline = true;
        break;
      default:
        throw new IdlError(line.number, `a field cannot be "${text}"`);
    }
  }
  if (type.of === "list") notes.listType ??= "atomic" satisfies ListType;
  if (strategies.length > 0) notes.patch = { strategies, mergeKey };
  return notes;
}

function readDefault(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
