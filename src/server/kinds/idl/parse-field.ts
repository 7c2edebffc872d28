import type { Json } from "../../../model/core.js";
import { IdlError, type IdlLine, type Word } from "./parse-line.js";
import {
  type FieldDefinition,
  type GroupDefinition,
  isScalar,
  type ListType,
  type Names,
  type FieldPatchStrategy,
  type Presence,
  type ValueType,
} from "./type-definition.js";

/** Reads a line such as `secrets 2 [ObjectReference] map(name) merge(name)`. */
export function parseField(line: IdlLine, group: GroupDefinition, names: Names): FieldDefinition {
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
    ...readOptions(line, type, rest),
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

type FieldOptions = { -readonly [Key in keyof FieldDefinition]?: FieldDefinition[Key] };

function readOptions(line: IdlLine, type: ValueType, words: readonly Word[]): FieldOptions {
  const options: FieldOptions = {};
  const strategies: FieldPatchStrategy["strategies"][number][] = [];
  let mergeKey: string | undefined;
  for (const { text, arguments: args } of words) {
    const misplaced = (): never => {
      throw new IdlError(line.number, `"${text}" says nothing about a ${type.of}`);
    };
    switch (text) {
      case "set":
      case "map":
        if (type.of !== "list" || (text === "map") !== (args !== undefined)) misplaced();
        options.listType = text;
        options.listMapKeys = args;
        break;
      case "atomic":
        if (type.of === "map") options.mapType = "atomic";
        else if (type.of !== "list") misplaced();
        break;
      case "granular":
        if (type.of !== "map" && type.of !== "struct") misplaced();
        options.mapType = "granular";
        break;
      case "merge":
        strategies.push("merge");
        mergeKey = args?.join();
        break;
      case "retainKeys":
      case "replace":
        strategies.push(text);
        break;
      case "=":
        options.default = readDefault(args?.join() ?? "");
        break;
      case "published":
        options.isDefaultPublished = true;
        break;
      case "format":
        if (type.of !== "scalar") misplaced();
        options.format = args?.join();
        break;
      case "required":
        options.required = true;
        break;
      case "inline":
        if (type.of !== "struct") misplaced();
        options.inline = true;
        break;
      default:
        throw new IdlError(line.number, `a field cannot be "${text}"`);
    }
  }
  if (type.of === "list") options.listType ??= "atomic" satisfies ListType;
  if (strategies.length > 0) options.patch = { strategies, mergeKey };
  return options;
}

function readDefault(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
