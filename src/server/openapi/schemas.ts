import { openApiName, type StructType } from "../kinds/idl/type-definition.js";
import { structOf } from "../kinds/schema/schema-node.js";
import { findType } from "../kinds/types.js";
import type { ResourceType } from "../resources/resource-type.js";
import { publishCustomKind, selectableFieldsOf } from "./custom-schemas.js";
import type { Model } from "./operations.js";
import { apiVersionProperty, kindProperty, publishStruct, withSiblings } from "./struct-schemas.js";

/** A schema, or another part of a document, as it is sent. */
export type Published = Record<string, unknown>;

const metaModels: Readonly<
  Record<Exclude<Model, "object" | "list">, readonly [group: string, type: string]>
> = {
  status: ["meta/v1", "Status"],
  deleteOptions: ["meta/v1", "DeleteOptions"],
  patch: ["meta/v1", "Patch"],
  scale: ["autoscaling/v1", "Scale"],
  binding: ["core/v1", "Binding"],
  eviction: ["policy/v1", "Eviction"],
};

/** Collects the schemas of one document. Each named type is defined once, and others refer to it. */
export class Schemas {
  /** Version of OpenAPI. */
  readonly version: 2 | 3;
  readonly #byName = new Map<string, Published>();

  constructor(version: 2 | 3) {
    this.version = version;
  }

  /** All schemas that something refers to, by name and sorted by it. */
  get all(): readonly (readonly [name: string, schema: Published])[] {
    return [...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** A reference to the request or response body of an operation on `type`. */
  refTo(model: Model, type: ResourceType): Published {
    if (model === "object") return this.#refToObject(type);
    if (model === "list") return this.#refToList(type);
    return this.refToType(...metaModels[model]);
  }

  /** A reference to a type by its group and name: `refToType("meta/v1", "ObjectMeta")`. */
  refToType(group: string, name: string): Published {
    const struct = findType(group, name);
    if (struct === undefined) throw new Error(`api-types has no ${group}.${name}`);
    return this.refToStruct(struct);
  }

  refToStruct(struct: StructType): Published {
    return this.define(openApiName(struct), () => publishStruct(struct, this));
  }

  /** Defines a schema and returns a reference to it. `make` may refer to the name itself. */
  define(name: string, make: () => Published): Published {
    if (!this.#byName.has(name)) {
      this.#byName.set(name, {});
      this.#byName.set(name, make());
    }
    return { $ref: `${this.version === 2 ? "#/definitions/" : "#/components/schemas/"}${name}` };
  }

  #refToObject(type: ResourceType): Published {
    const struct = structOf(type.schema);
    return struct
      ? this.refToStruct(struct)
      : this.define(schemaName(type, type.kind), () => publishCustomKind(type, this));
  }

  #refToList(type: ResourceType): Published {
    return this.define(schemaName(type, type.listKind), () => this.#listSchema(type));
  }

  #listSchema(type: ResourceType): Published {
    const { group, version, kind, listKind } = type;
    const isStructural = type.capabilities.openapi === "structural";
    // Kubernetes generates the lists of named types, with zero values as defaults, and writes the others by hand.
    const zero = isStructural || this.version === 2 ? {} : { default: {} };
    const metadata = { description: "Metadata of the list.", ...zero };
    return {
      description: `${listKind} is a list of ${kind}.`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: apiVersionProperty,
        items: {
          description: "The objects.",
          type: "array",
          items: withSiblings(this.#refToObject(type), zero, this),
        },
        kind: kindProperty,
        metadata: withSiblings(this.refToType("meta/v1", "ListMeta"), metadata, this),
      },
      "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
      ...(isStructural && selectableFieldsOf(type)),
    };
  }
}

/** `io.k8s.api.core.v1.ConfigMap` for built-in kinds, `dev.demo.v1.Widget` for the custom kind of `demo.dev/v1`. */
function schemaName({ group, version, schema }: ResourceType, kind: string): string {
  const prefix =
    structOf(schema)?.group.openApiPrefix ?? `${group.split(".").reverse().join(".")}.${version}`;
  return `${prefix}.${kind}`;
}
