import { type Line, readLines, type Word } from "./parse-line.js";
import { parseField } from "./parse-field.js";
import { TableError } from "./table-error.js";
import {
  type Alias,
  type FieldDefinition,
  type GroupDefinition,
  isScalar,
  type Names,
  type ResourceDefinition,
  type StructType,
} from "./type-definition.js";

/**
 * Reads tables of types. A table has one line for each type and, indented below it, one for each field:
 *
 * ```
 * group core/v1 io.k8s.api.core.v1            what follows belongs to this group; then its OpenAPI names
 *
 * alias SecretType string                     a name for a scalar
 * alias NamespacePhase string in(Active,Terminating)
 *
 * kind ConfigMap configmaps short(cm)         # what people read in `kubectl explain`
 *   metadata    1 ObjectMeta
 *   data        2 {string}                    # {…} is a map from texts
 *   binaryData  3 {bytes}
 *   immutable   4 bool?
 *
 * type OwnerReference atomic                  a part of other types; `atomic`: owned as a whole
 * union JSONSchemaPropsOrBool                 in JSON, the value of one of its fields
 * ```
 *
 * A field is a JSON name, a protobuf number, a type and what else there is to say of it:
 *
 * - types: `string bytes bool int32 int64 double time microtime duration quantity intOrString any`, an alias, a
 *   type of this group or of meta/v1, `core/v1.ObjectReference` from elsewhere, `[item]`, `{value}`
 * - behind the type: `?` may be left out, and its empty value means something; `!` required; `*` always written, though
 *   not required. Without any, an empty value is the same as none.
 * - lists: `set`, `map(key,…)`, or else atomic. Maps: `atomic`
 * - strategic merge patch: `merge`, `merge(key)`, `retainKeys`, `replace`
 * - `=value` the default (JSON, or a text without quotes), `format(…)`
 *
 * Kinds with a plural are served: `short(…)`, `category(…)`, `cluster` (not in namespaces), `sub(status,…)`,
 * `without(verb,…)`. Kinds without one travel in requests only.
 */
export function parseTables(tables: readonly string[]): StructType[] {
  const drafts: StructDraft[] = [];
  const names: Names = { structs: new Map(), aliases: new Map() };
  for (const table of tables) readTypes(table, drafts, names);
  for (const draft of drafts) readFields(draft, names);
  return drafts;
}

interface StructDraft extends StructType {
  readonly lines: Line[];
  readonly line: number;
  readonly fields: FieldDefinition[];
  readonly byName: Map<string, FieldDefinition>;
  readonly byNumber: Map<number, FieldDefinition>;
}

/** First all names, so that fields can refer to types that stand further down or that contain them. */
function readTypes(table: string, drafts: StructDraft[], names: Names): void {
  let group: GroupDefinition | undefined;
  let current: StructDraft | undefined;
  for (const line of readLines(table)) {
    const [keyword, name, ...rest] = line.words;
    if (line.indented) {
      if (current === undefined) throw new TableError(line.number, "a field has to stand below its type");
      current.lines.push(line);
      continue;
    }
    current = undefined;
    if (keyword?.text === "group") {
      group = readGroup(line, name, rest);
      continue;
    }
    if (group === undefined) throw new TableError(line.number, 'a table begins with its "group"');
    if (name === undefined || !/^[A-Z][A-Za-z0-9]*$/.test(name.text)) {
      throw new TableError(line.number, `"${keyword?.text}" needs the name of a type, such as ConfigMap`);
    }
    const key = `${group.name}.${name.text}`;
    if (names.structs.has(key) || names.aliases.has(key)) {
      throw new TableError(line.number, `there is a ${key} already`);
    }
    if (keyword?.text === "alias") names.aliases.set(key, readAlias(line, group, name.text, rest));
    else {
      current = readStruct(line, group, keyword?.text, name.text, rest);
      drafts.push(current);
      names.structs.set(key, current);
    }
  }
}

function readGroup(line: Line, name: Word | undefined, [prefix, ...rest]: Word[]): GroupDefinition {
  const match = /^([a-z0-9.-]+)\/([a-z0-9]+)$/.exec(name?.text ?? "");
  const [, group = "", version = ""] = match ?? [];
  if (match === null || prefix === undefined || rest.length > 0) {
    throw new TableError(line.number, 'write "group name/version prefix-of-openapi-names"');
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

function readAlias(line: Line, group: GroupDefinition, name: string, [scalar, ...rest]: Word[]): Alias {
  if (scalar === undefined || !isScalar(scalar.text)) {
    throw new TableError(line.number, `the alias ${name} needs a scalar, such as "string"`);
  }
  let goPackage = group.version;
  let values: readonly string[] | undefined;
  for (const { text, arguments: given } of rest) {
    if (text === "in" && given) values = given;
    else if (text === "package" && given?.length === 1) goPackage = given.join();
    else throw new TableError(line.number, `an alias cannot be "${text}"`);
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
  line: Line,
  group: GroupDefinition,
  keyword: string | undefined,
  name: string,
  words: readonly Word[],
): StructDraft {
  if (keyword !== "kind" && keyword !== "type" && keyword !== "union") {
    throw new TableError(line.number, `"${keyword}" is none of group, alias, kind, type, union`);
  }
  const kind = keyword === "kind";
  const resource = kind ? readResource(line, words) : undefined;
  const atomic = !kind && words.some(({ text }) => text === "atomic");
  if (!kind && words.length > (atomic ? 1 : 0)) {
    throw new TableError(line.number, `a ${keyword} can be "atomic" and nothing else`);
  }
  return {
    name,
    group,
    kind,
    resource,
    union: keyword === "union",
    atomic,
    description: line.comment,
    fields: [],
    byName: new Map(),
    byNumber: new Map(),
    lines: [],
    line: line.number,
  };
}

function readResource(line: Line, [plural, ...words]: readonly Word[]): ResourceDefinition | undefined {
  if (plural === undefined) return undefined;
  const lists = { short: [], category: [], sub: [], without: [] } as Record<string, readonly string[]>;
  let namespaced = true;
  for (const { text, arguments: given } of words) {
    if (text === "cluster" && !given) namespaced = false;
    else if (given && Object.hasOwn(lists, text)) lists[text] = given;
    else throw new TableError(line.number, `a kind cannot be "${text}"`);
  }
  const { short = [], category = [], sub = [], without = [] } = lists;
  return {
    plural: plural.text,
    shortNames: short,
    categories: category,
    namespaced,
    subresources: sub,
    without,
  };
}

function readFields(draft: StructDraft, names: Names): void {
  for (const line of draft.lines) {
    const field = parseField(line, draft.group, names);
    const { name, number } = field;
    if (draft.byName.has(name)) throw new TableError(line.number, `${draft.name} has a ${name} already`);
    const other = draft.byNumber.get(number);
    if (other)
      throw new TableError(line.number, `${draft.name}.${other.name} has the number ${number} already`);
    draft.fields.push(field);
    draft.byName.set(name, field);
    draft.byNumber.set(number, field);
  }
  if (draft.kind && draft.resource && draft.fields[0]?.name !== "metadata") {
    throw new TableError(draft.line, `${draft.name} is served, so its first field has to be its metadata`);
  }
}
