import type { StructuralSchema } from "../../model/core.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { Dialect } from "./dialect.js";
import { unfolded } from "./int-or-string.js";
import {
  apiVersionField,
  kindField,
  listMeta,
  metaType,
  metaTypeName,
  objectMeta,
  of,
} from "./meta-types.js";
import { relaxed } from "./relax.js";
import { typeNames } from "./type-names.js";

/** A schema, or another part of a document, as it is sent. */
export type Published = Record<string, unknown>;

/** What decides how a schema is published. */
interface Origin {
  readonly typeName: (schema: StructuralSchema) => string | undefined;
  /** Schemas of custom kinds are published as apiextensions does; all others are passed on whole. */
  readonly custom: boolean;
}

const shared: Origin = { typeName: metaTypeName, custom: false };
const objectMetadata = of(objectMeta, "What every object has: its name, its labels and so on.");
const listMetadata = of(listMeta, "What every list has.");

/** Collects the types of one document. Each named type stands there once, and others refer to it. */
export class Schemas {
  readonly #dialect: Dialect;
  readonly #byName = new Map<string, Published>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Everything that was referred to, in the order of names. */
  get all(): Published {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  refToObject(type: ResourceType): Published {
    return this.#define(typeNames(type).object, () => this.#objectSchema(type));
  }

  refToList(type: ResourceType): Published {
    return this.#define(typeNames(type).list, () => this.#listSchema(type));
  }

  /** A reference to one of the types that all groups share. */
  refToMeta(schema: StructuralSchema): Published {
    return this.#publish(schema, shared);
  }

  /** The name is taken before the schema is made, so a type may refer to itself. */
  #define(name: string, make: () => Published): Published {
    if (!this.#byName.has(name)) {
      this.#byName.set(name, {});
      this.#byName.set(name, make());
    }
    return { $ref: this.#dialect.refPrefix + name };
  }

  #objectSchema(type: ResourceType): Published {
    const { group, version, kind, schema } = type;
    const custom = type.capabilities.openapi === "structural";
    const marks = {
      "x-kubernetes-group-version-kind": [{ group, kind, version }],
      ...(custom && selectableFields(type)),
    };
    // Clients of v2 would take the fields that are named for all there are.
    if (custom && this.#isOpen(schema)) return { type: "object", ...marks };
    const typeName = (node: StructuralSchema) => metaTypeName(node) ?? type.typeName?.(node);
    const published = this.#publishNode(schema, { typeName, custom });
    return { ...this.#withObjectFields(published), ...marks };
  }

  #listSchema(type: ResourceType): Published {
    const { group, version, kind, listKind } = type;
    return {
      description: `${listKind} is a list of ${kind}.`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: apiVersionField,
        items: { description: "The objects.", type: "array", items: this.refToObject(type) },
        kind: kindField,
        metadata: this.#publish(listMetadata, shared),
      },
      "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
      ...(type.capabilities.openapi === "structural" && selectableFields(type)),
    };
  }

  #publish(schema: StructuralSchema, origin: Origin): Published {
    const name = origin.typeName(schema);
    if (name === undefined) return this.#publishNode(schema, origin);
    // What all groups share looks the same in all documents, whoever refers to it.
    const known = metaType(name);
    return this.#define(name, () =>
      known ? this.#publishNode(known, shared) : this.#publishNode(schema, origin),
    );
  }

  #publishNode(schema: StructuralSchema, origin: Origin): Published {
    const wrapped = this.#dialect.version === 2 && !origin.custom && onlyAllOf(schema);
    if (wrapped && origin.typeName(wrapped) !== undefined) {
      const { allOf: _, ...beside } = schema;
      return { ...beside, ...this.#publish(wrapped, origin) };
    }
    const node = this.#inDialect(schema, origin);
    const published: Published = {};
    for (const key of Object.keys(node)) {
      const value: unknown = node[key as keyof StructuralSchema];
      if (value === undefined || (origin.custom && isLeftOut(key, value))) continue;
      published[key] = this.#publishKeyword(key, value, origin);
    }
    const embedded = origin.custom && schema["x-kubernetes-embedded-resource"] === true;
    if (!embedded || this.#isOpen(schema)) return published;
    const before = published["required"] as readonly string[] | undefined;
    const required = new Set([...(before ?? []), "kind", "apiVersion"]);
    return { ...this.#withObjectFields(published), required: [...required] };
  }

  #publishKeyword(key: string, value: unknown, origin: Origin): unknown {
    switch (key) {
      case "properties":
        return this.#publishProperties(value as Readonly<Record<string, StructuralSchema>>, origin);
      case "items":
      case "not":
        return this.#publish(value as StructuralSchema, origin);
      case "additionalProperties":
        return typeof value === "object" ? this.#publish(value as StructuralSchema, origin) : value;
      case "allOf":
      case "anyOf":
      case "oneOf":
        return (value as StructuralSchema[]).map((branch) => this.#publish(branch, origin));
      default:
        return value;
    }
  }

  #publishProperties(properties: Readonly<Record<string, StructuralSchema>>, origin: Origin): Published {
    const published: Published = {};
    for (const [name, property] of Object.entries(properties)) {
      const value = this.#publish(property, origin);
      // Fields may have any name, and this one means something else to an assignment.
      if (name === "__proto__") Object.defineProperty(published, name, { value, enumerable: true });
      else published[name] = value;
    }
    return published;
  }

  #inDialect(schema: StructuralSchema, { custom }: Origin): StructuralSchema {
    if (this.#dialect.version === 3) return unfolded(schema);
    if (custom) return relaxed(schema);
    // Built-in kinds have null for what is not there, of which v2 never spoke.
    const { nullable: _, ...told } = schema;
    const intOrString = schema["x-kubernetes-int-or-string"] === true;
    return { ...relaxed(told), ...(intOrString && { type: "string", format: "int-or-string" }) };
  }

  /** Whether nothing can be said of the fields, as they need not be all. */
  #isOpen(schema: StructuralSchema): boolean {
    return this.#dialect.version === 2 && schema["x-kubernetes-preserve-unknown-fields"] === true;
  }

  #withObjectFields(published: Published): Published {
    return {
      ...published,
      properties: {
        ...(published["properties"] as Published | undefined),
        apiVersion: apiVersionField,
        kind: kindField,
        metadata: this.#publish(objectMetadata, shared),
      },
    };
  }
}

function onlyAllOf({ type, allOf }: StructuralSchema): StructuralSchema | undefined {
  return type === undefined && allOf?.length === 1 ? allOf[0] : undefined;
}

const notPublished = new Set(["example", "externalDocs", "id", "$schema"]);
const meaningfulWhenFalse = new Set(["additionalProperties", "default"]);

function isLeftOut(key: string, value: unknown): boolean {
  if (value === false) return !meaningfulWhenFalse.has(key);
  return notPublished.has(key) || (key === "required" && (value as readonly string[]).length === 0);
}

function selectableFields({ selectableFields }: ResourceType): Published | false {
  if (selectableFields.size === 0) return false;
  const fields = [...selectableFields.keys()].map((fieldPath) => ({ fieldPath }));
  return { "x-kubernetes-selectable-fields": fields };
}
