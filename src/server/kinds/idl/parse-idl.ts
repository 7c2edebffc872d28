import {
  IdlError,
  type IdlLine,
  type Passage,
  readLine,
  readIdlLines,
  readPassages,
  type Word,
} from "./parse-line.js";
import { parseField } from "./parse-field.js";

import {
  type Alias,
  type FieldDefinition,
  type GroupDefinition,
  isScalar,
  type Names,
  type StructType,
} from "./type-definition.js";

/**
 * Parses type descriptions. A description has one line for each type and, indented below it, one for each field:
 *
 * ```
 * group core/v1 io.k8s.api.core.v1            group of the following types, and the prefix of their OpenAPI names
 *
 * alias SecretType string                     a name for a scalar
 * alias NamespacePhase string in(Active,Terminating)
 *
 * kind ConfigMap                              # description in `kubectl explain`
 *   metadata    1 ObjectMeta
 *   data        2 {string}                    # {…} is a map with string keys
 *   binaryData  3 {bytes}
 *   immutable   4 bool?
 *
 * type OwnerReference atomic                  part of other types; `atomic`: owned as a whole
 * union JSONSchemaPropsOrBool                 in JSON, the value of one of its fields
 * ```
 *
 * A field is a JSON name, a protobuf number, a type and options:
 *
 * - types: `string bytes bool int32 int64 double time microtime duration quantity intOrString any`, an alias, a
 *   type of this group or of meta/v1, `core/v1.ObjectReference` from elsewhere, `[item]`, `{value}`
 * - after the type: `?` optional, and an empty value differs from none; `!` required; `*` always written, though
 *   not required. Without any, an empty value equals none.
 * - lists: `set`, `map(key,…)`, or else atomic. Maps: `atomic`; maps and structs: `granular`
 * - strategic merge patch: `merge`, `merge(key)`, `retainKeys`, `replace`
 * - `=value` the default (JSON, or a string without quotes); `published`: OpenAPI documents carry it,
 *   or the zero value where there is none; `format(…)`
 * - `required` after a `?`: clients must set it, and the kind's strategy rejects objects without it
 * - `inline`: nested in protobuf, whose fields are beside the others in JSON
 *
 * A `kind` has apiVersion and kind. Those in model/built-in-kinds.ts are served, others are request and response bodies.
 */
export function parseIdl(descriptions: readonly string[]): StructType[] {
  const structs: StructType[] = [];
  const names: Names = { structs: new Map(), aliases: new Map() };
  for (const description of descriptions) readTypes(description, structs, names);
  return structs;
}

/**
 * Parses only the names; the fields of a type are parsed on first use. So they can refer to later and recursive types,
 * and types that are never used cost nothing.
 */
function readTypes(description: string, structs: StructType[], names: Names): void {
  let group: GroupDefinition | undefined;
  for (const passage of readPassages(description)) {
    const { line, body } = headAndBody(passage);
    if (line === undefined) continue;
    const [keyword, name, ...rest] = line.words;
    const isStruct = keyword?.text !== "group" && keyword?.text !== "alias";
    const [stray] = isStruct ? [] : readIdlLines(body);
    if (stray) throw new IdlError(stray.number, "a field must be below its type");
    if (keyword?.text === "group") {
      group = readGroup(line, name, rest);
      continue;
    }
    if (group === undefined) throw new IdlError(line.number, 'a description begins with its "group"');
    if (name === undefined || !/^[A-Z][A-Za-z0-9]*$/.test(name.text)) {
      throw new IdlError(line.number, `"${keyword?.text}" needs the name of a type, such as ConfigMap`);
    }
    const key = `${group.name}.${name.text}`;
    if (names.structs.has(key) || names.aliases.has(key)) {
      throw new IdlError(line.number, `there is a ${key} already`);
    }
    if (keyword?.text === "alias") names.aliases.set(key, readAlias(line, group, name.text, rest));
    else {
      const struct = readStruct(line, body, group, keyword?.text, name.text, rest, names);
      structs.push(struct);
      names.structs.set(key, struct);
    }
  }
}

function headAndBody({ text, number }: Passage): { line: IdlLine | undefined; body: Passage } {
  const end = text.indexOf("\n");
  const line = readLine(end < 0 ? text : text.slice(0, end), number);
  return { line, body: { text: end < 0 ? "" : text.slice(end + 1), number: number + 1 } };
}

function readGroup(line: IdlLine, name: Word | undefined, [prefix, ...rest]: Word[]): GroupDefinition {
  const match = /^([a-z0-9.-]+)\/([a-z0-9]+)$/.exec(name?.text ?? "");
  const [, group = "", version = ""] = match ?? [];
  if (match === null || prefix === undefined || rest.length > 0) {
    throw new IdlError(line.number, 'write "group name/version prefix-of-openapi-names"');
  }
  const core = group === "core";
  return {
    name: `${group}/${version}`,
    group: core ? "" : group,
    version,
    apiVersion: core ? version : `${group}/${version}`,
    openApiPrefix: prefix.text,
  };
}

function readAlias(line: IdlLine, group: GroupDefinition, name: string, [scalar, ...rest]: Word[]): Alias {
  if (scalar === undefined || !isScalar(scalar.text)) {
    throw new IdlError(line.number, `the alias ${name} needs a scalar, such as "string"`);
  }
  let goPackage = group.version;
  let values: readonly string[] | undefined;
  for (const { text, arguments: args } of rest) {
    if (text === "in" && args) values = args;
    else if (text === "package" && args?.length === 1) goPackage = args.join();
    else throw new IdlError(line.number, `an alias cannot be "${text}"`);
  }
  return {
    name,
    scalar: scalar.text,
    openApiName: `${group.openApiPrefix}.${name}`,
    goName: `${goPackage}.${name}`,
    values,
  };
}

function readStruct(
  line: IdlLine,
  body: Passage,
  group: GroupDefinition,
  keyword: string | undefined,
  name: string,
  words: readonly Word[],
  names: Names,
): StructType {
  if (keyword !== "kind" && keyword !== "type" && keyword !== "union") {
    throw new IdlError(line.number, `"${keyword}" is none of group, alias, kind, type, union`);
  }
  const atomic = words.some(({ text }) => text === "atomic");
  if (words.length > (atomic ? 1 : 0)) {
    throw new IdlError(line.number, `a ${keyword} can be "atomic" and nothing else`);
  }
  const head = {
    name,
    group,
    kind: keyword === "kind",
    union: keyword === "union",
    atomic,
    description: line.comment,
  };
  return new LazyStruct(head, body, names);
}

/** Type whose lines are parsed when its fields are first used. */
class LazyStruct implements StructType {
  readonly name: string;
  readonly group: GroupDefinition;
  readonly kind: boolean;
  readonly union: boolean;
  readonly atomic: boolean;
  readonly description: string | undefined;
  readonly #body: Passage;
  readonly #names: Names;
  #read: Fields | undefined;

  constructor(head: Omit<StructType, keyof Fields>, body: Passage, names: Names) {
    this.name = head.name;
    this.group = head.group;
    this.kind = head.kind;
    this.union = head.union;
    this.atomic = head.atomic;
    this.description = head.description;
    this.#body = body;
    this.#names = names;
  }

  get fields(): readonly FieldDefinition[] {
    return this.#fields.fields;
  }

  get byName(): ReadonlyMap<string, FieldDefinition> {
    return this.#fields.byName;
  }

  get byNumber(): ReadonlyMap<number, FieldDefinition> {
    return this.#fields.byNumber;
  }

  get #fields(): Fields {
    this.#read ??= readFields(this, this.#body, this.#names);
    return this.#read;
  }
}

interface Fields {
  readonly fields: FieldDefinition[];
  readonly byName: Map<string, FieldDefinition>;
  readonly byNumber: Map<number, FieldDefinition>;
}

function readFields({ name: type, group }: LazyStruct, body: Passage, names: Names): Fields {
  const fields: Fields = { fields: [], byName: new Map(), byNumber: new Map() };
  for (const line of readIdlLines(body)) {
    const field = parseField(line, group, names);
    const other = fields.byNumber.get(field.number);
    if (other) {
      throw new IdlError(line.number, `${type}.${other.name} has the number ${field.number} already`);
    }
    fields.byNumber.set(field.number, field);
    for (const each of inJson(field)) {
      const { name } = each;
      if (fields.byName.has(name)) throw new IdlError(line.number, `${type} has a ${name} already`);
      fields.fields.push(each);
      fields.byName.set(name, each);
    }
  }
  return fields;
}

/** JSON fields of a protobuf field: itself, or those of the type that it inlines. */
function inJson(field: FieldDefinition): readonly FieldDefinition[] {
  return field.inline && field.type.of === "struct" ? field.type.struct.fields : [field];
}
