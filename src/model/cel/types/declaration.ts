import type { StructuralSchema } from "../../schema/structural-schema.js";
import { utf8Length } from "../../object/utf8.js";
import * as types from "./type.js";
import type { CelType } from "./type.js";
import { escapeField } from "./field-names.js";

/** CEL type of a schema node, and the sizes of its values. */
export interface Declaration {
  readonly type: CelType;
  /** Maximum number of items, entries or bytes. */
  readonly maxElements: number;
  /** Minimum size as JSON, in bytes. */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, Declaration>;
  /** Declaration of list items or map values. */
  readonly inner?: Declaration;
  readonly key?: Declaration;
}

/** Kubernetes' limit for requests; bounds the size of every value. */
export const maxRequestBytes = 3 * 1024 * 1024;

const text: Declaration = { type: types.string, maxElements: 0, minSize: 2 };

/** Adds the fields of every object, which rules at its root can use. */
export function withObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { properties = {} } = schema;
  const { metadata } = properties;
  const isText = (part: StructuralSchema | undefined): boolean => part?.type === "string";
  if (
    isText(properties["kind"]) &&
    isText(properties["apiVersion"]) &&
    metadata?.type === "object" &&
    isText(metadata.properties?.["name"]) &&
    isText(metadata.properties?.["generateName"])
  ) {
    return schema;
  }
  const plain: StructuralSchema = { type: "string" };
  return {
    ...schema,
    properties: {
      ...properties,
      kind: plain,
      apiVersion: plain,
      metadata: { type: "object", properties: { name: plain, generateName: plain } },
    },
  };
}

/** Declares the value of a schema node; undefined if rules cannot use it. */
export function declare(
  schema: StructuralSchema,
  isRoot: boolean,
  name = "selfType1",
): Declaration | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    return { type: types.dyn, maxElements: maxRequestBytes - 2, minSize: 1 };
  }
  switch (schema.type) {
    case "array":
      return declareList(schema, name);
    case "object":
      return declareObject(isRoot ? withObjectMeta(schema) : schema, name);
    case "string":
      return declareText(schema);
    case "boolean":
      return { type: types.bool, maxElements: 0, minSize: 4 };
    case "number":
      return { type: types.double, maxElements: 0, minSize: 1 };
    case "integer":
      return { type: types.int, maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

function isEmbedded(schema: StructuralSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function declareList({ items, maxItems }: StructuralSchema, name: string): Declaration | undefined {
  const inner = items && declare(items, isEmbedded(items), `${name}.@idx`);
  if (!inner) return undefined;
  const maxElements =
    maxItems === undefined ? Math.floor((maxRequestBytes - 2) / (inner.minSize + 1)) : Math.max(maxItems, 0);
  return { type: types.listOf(inner.type), maxElements, minSize: 2, inner };
}

function declareObject(schema: StructuralSchema, name: string): Declaration | undefined {
  const { additionalProperties, maxProperties, properties = {}, required = [] } = schema;
  if (typeof additionalProperties === "object") {
    const inner = declare(additionalProperties, isEmbedded(additionalProperties), `${name}.@elem`);
    if (!inner) return undefined;
    const maxElements =
      maxProperties === undefined
        ? Math.floor((maxRequestBytes - 2) / (inner.minSize + 6))
        : Math.max(maxProperties, 0);
    return { type: types.mapOf(types.string, inner.type), maxElements, minSize: 2, inner, key: text };
  }
  const fields = new Map<string, Declaration>();
  let minSize = 2;
  for (const [property, described] of Object.entries(properties)) {
    const escaped = escapeField(property);
    const field = declare(described, isEmbedded(described), `${name}.${escaped ?? property}`);
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(property) && described.default === undefined) {
      minSize += utf8Length(property) + field.minSize + 4;
    }
  }
  const fieldTypes = new Map(Array.from(fields, ([field, { type }]): [string, CelType] => [field, type]));
  return { type: types.struct(name, fieldTypes), maxElements: 0, minSize, fields };
}

function declareText({ format, maxLength, enum: choices }: StructuralSchema): Declaration {
  const maxBytes = maxRequestBytes - 2;
  switch (format) {
    case "byte":
      return { type: types.bytes, maxElements: Math.max(maxLength ?? maxBytes, 0), minSize: 2 };
    case "duration":
      return { type: types.duration, maxElements: 32, minSize: 3 };
    case "date":
      return { type: types.timestamp, maxElements: 12, minSize: 12 };
    case "date-time":
      return { type: types.timestamp, maxElements: 32, minSize: 21 };
    default:
  }
  // maxLength counts characters of up to four bytes each.
  if (maxLength !== undefined) {
    return { type: types.string, maxElements: Math.max(maxLength, 0) * 4, minSize: 2 };
  }
  const sizes = (choices ?? []).map((choice) => (typeof choice === "string" ? utf8Length(choice) : 0));
  return { type: types.string, maxElements: sizes.length > 0 ? Math.max(...sizes) : maxBytes, minSize: 2 };
}
