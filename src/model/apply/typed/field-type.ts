import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { objectMetaSchema } from "./object-meta.js";

/**
 * Type of a value, as far as field ownership needs it: its possible shapes, and which parts are owned
 * separately. A type may allow several shapes (`x-kubernetes-int-or-string`, undeclared fields); then the
 * value decides.
 */
export interface FieldType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListFieldType | undefined;
  readonly map?: MapFieldType | undefined;
}

/** Type of a scalar; `untyped` for any. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** List: owned as a whole (atomic), or item by item, identified by keys or, without keys, by value. */
export interface ListFieldType {
  readonly atomic: boolean;
  /** Key fields of items; empty for a set of scalars. */
  readonly keys: readonly string[];
  readonly element: FieldType;
}

/** Map: owned as a whole (atomic), or field by field. */
export interface MapFieldType {
  readonly atomic: boolean;
  /** True if no fields are declared and values may be anything. */
  readonly untyped: boolean;
  /** True if the schema declares a field of this name. */
  declares(name: string): boolean;
  /** Type of a field; undefined if it is not allowed. */
  typeOf(name: string): FieldType | undefined;
  /** Default of a declared field. */
  defaultOf(name: string): Json | undefined;
}

/** Undeclared value that is owned as a whole. */
export const atomicType: FieldType = {
  scalar: "untyped",
  list: {
    atomic: true,
    keys: [],
    get element() {
      return atomicType;
    },
  },
  map: {
    atomic: true,
    untyped: false,
    declares: () => false,
    typeOf: () => atomicType,
    defaultOf: () => undefined,
  },
};

/** Undeclared value whose type is deduced: maps are owned field by field, lists as a whole. */
const deducedType: FieldType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], element: atomicType },
  map: {
    atomic: false,
    untyped: true,
    declares: () => false,
    typeOf: () => deducedType,
    defaultOf: () => undefined,
  },
};

const objectTypes = new WeakMap<StructuralSchema, FieldType>();

/**
 * Type of whole objects of a kind. `apiVersion`, `kind` and `metadata` are the same for all kinds. Cached per
 * schema; schemas may be cyclic, and must not change.
 */
export function objectType(schema: StructuralSchema): FieldType {
  let type = objectTypes.get(schema);
  if (type === undefined) {
    type = typeOfSchema(withObjectFields(schema), false);
    objectTypes.set(schema, type);
  }
  return type;
}

function withObjectFields(schema: StructuralSchema): StructuralSchema {
  const text: StructuralSchema = { type: "string" };
  return {
    ...schema,
    type: "object",
    properties: { ...schema.properties, apiVersion: text, kind: text, metadata: objectMetaSchema },
  };
}

/** Types by schema: those below a node that preserves unknown fields, then the others. */
const types = [
  new WeakMap<StructuralSchema, FieldType>(),
  new WeakMap<StructuralSchema, FieldType>(),
] as const;

function typeOfSchema(schema: StructuralSchema, inherited: boolean): FieldType {
  // Preserving unknown fields applies to everything below.
  const preserve = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const cache = types[preserve ? 0 : 1];
  let type = cache.get(schema);
  if (type === undefined) {
    type = makeType(schema, preserve);
    cache.set(schema, type);
  }
  return type;
}

function makeType(schema: StructuralSchema, preserve: boolean): FieldType {
  switch (schema.type) {
    case "object":
      return { map: new SchemaMap(schema, preserve) };
    case "array":
      return { list: new SchemaList(schema, preserve) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      // A format may stand for another type that is encoded as a string: a time, or int-or-string.
      return { scalar: (schema.format ?? "") === "" || schema.format === "byte" ? "string" : "untyped" };
    default:
      return {
        scalar: "untyped",
        list: new SchemaList(schema, preserve),
        map: new SchemaMap(schema, preserve),
      };
  }
}

class SchemaMap implements MapFieldType {
  readonly atomic: boolean;
  readonly #properties: Readonly<Record<string, StructuralSchema>>;
  readonly #preserve: boolean;
  readonly #additional: StructuralSchema | boolean;
  /** Types of fields, created on demand because schemas may be cyclic. */
  readonly #fields = new Map<string, FieldType>();
  #element: FieldType | undefined;
  #undescribed: boolean | undefined;

  constructor(schema: StructuralSchema, preserve: boolean) {
    const { properties = {}, additionalProperties } = schema;
    this.atomic = schema["x-kubernetes-map-type"] === "atomic";
    this.#properties = schema["x-kubernetes-embedded-resource"] === true ? embedded(properties) : properties;
    this.#preserve = preserve;
    this.#additional = additionalProperties ?? (preserve || Object.keys(this.#properties).length === 0);
  }

  get untyped(): boolean {
    this.#undescribed ??=
      Object.keys(this.#properties).length === 0 && this.#elementType()?.scalar === "untyped";
    return this.#undescribed;
  }

  declares(name: string): boolean {
    return Object.hasOwn(this.#properties, name);
  }

  typeOf(name: string): FieldType | undefined {
    const cached = this.#fields.get(name);
    if (cached !== undefined) return cached;
    const schema = this.declares(name) ? this.#properties[name] : undefined;
    if (schema === undefined) return this.#elementType();
    const type = typeOfSchema(schema, this.#preserve);
    this.#fields.set(name, type);
    return type;
  }

  defaultOf(name: string): Json | undefined {
    return this.declares(name) ? this.#properties[name]?.default : undefined;
  }

  #elementType(): FieldType | undefined {
    if (typeof this.#additional === "boolean") return this.#additional ? deducedType : undefined;
    this.#element ??= typeOfSchema(this.#additional, this.#preserve);
    return this.#element;
  }
}

function embedded(properties: Readonly<Record<string, StructuralSchema>>): Record<string, StructuralSchema> {
  return { ...properties, ...withObjectFields({}).properties };
}

/** Extensions of built-in kinds that stand in for `x-kubernetes-list-type`. */
interface PatchStrategy {
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

class SchemaList implements ListFieldType {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly #items: StructuralSchema | undefined;
  readonly #preserve: boolean;
  #element: FieldType | undefined;

  constructor(schema: StructuralSchema & PatchStrategy, preserve: boolean) {
    const listType = schema["x-kubernetes-list-type"];
    const strategy = schema["x-kubernetes-patch-strategy"] ?? "";
    if (listType !== undefined) {
      this.atomic = listType === "atomic";
      this.keys = listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
    } else {
      this.atomic = !strategy.split(",").includes("merge");
      const key = schema["x-kubernetes-patch-merge-key"];
      this.keys = !this.atomic && key !== undefined ? [key] : [];
    }
    this.#items = schema.items;
    this.#preserve = preserve;
  }

  get element(): FieldType {
    this.#element ??= this.#items === undefined ? atomicType : typeOfSchema(this.#items, this.#preserve);
    return this.#element;
  }
}
