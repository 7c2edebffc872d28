import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { objectMetaSchema } from "./object-meta.js";

/**
 * What field ownership has to know of a value: which forms it can have, and where it is owned piece by piece and where
 * as a whole. A type may allow several forms (`x-kubernetes-int-or-string`, fields nobody described); then the value
 * decides.
 */
export interface FieldType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListFieldType | undefined;
  readonly map?: MapFieldType | undefined;
}

/** Which plain values there may be; `untyped` for any of them. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** A list: owned as a whole (atomic), or each item on its own, known by its keys or, without any, by its value. */
export interface ListFieldType {
  readonly atomic: boolean;
  /** The fields by which items are known; none for a set of plain values. */
  readonly keys: readonly string[];
  readonly element: FieldType;
}

/** A map: owned as a whole (atomic), or each field on its own. */
export interface MapFieldType {
  readonly atomic: boolean;
  /** Without described fields, and of values that may be anything. */
  readonly untyped: boolean;
  /** Whether the schema describes a field of this name, as opposed to fields of any name. */
  declares(name: string): boolean;
  /** The type of a field; undefined when there can be none of this name. */
  typeOf(name: string): FieldType | undefined;
  /** The default of a described field. */
  defaultOf(name: string): Json | undefined;
}

/** A value nobody described, owned as a whole. */
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

/** A value nobody described: its type is deduced from what it is. Maps are owned field by field, lists as a whole. */
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
 * The type of whole objects of a kind, from the kind's schema. Custom resources and built-in kinds alike: `apiVersion`,
 * `kind` and `metadata` are the same for all. Made once per schema; schemas may be cyclic, and must not change.
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

/** Types made from schemas: first those below a node that preserves unknown fields, then the others. */
const types = [
  new WeakMap<StructuralSchema, FieldType>(),
  new WeakMap<StructuralSchema, FieldType>(),
] as const;

function typeOfSchema(schema: StructuralSchema, inherited: boolean): FieldType {
  // Whoever preserves unknown fields does so for all that is below.
  const preserve = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const known = types[preserve ? 0 : 1];
  let type = known.get(schema);
  if (type === undefined) {
    type = makeType(schema, preserve);
    known.set(schema, type);
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
      // A format stands for another type that is written as a text, or may be: a time, a number or a text.
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
  /** Types of fields, as they were asked for: schemas may be cyclic. */
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
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
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

/** How built-in kinds say what `x-kubernetes-list-type` says, where they do not say that. */
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
