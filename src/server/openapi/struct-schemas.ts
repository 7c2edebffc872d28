import type { FieldDefinition, Scalar, StructType, ValueType } from "../kinds/idl/type-definition.js";
import type { Published, Schemas } from "./schemas.js";

/*
 * Schemas of the types of built-in kinds, as kube-apiserver generates them from its Go types: every struct has a name
 * and is referred to, and what Go decodes as a zero value is published as a default. v2 has no defaults.
 */

export const apiVersionProperty: Published = {
  description:
    "Group and version of the schema of this object: group/version, or the version alone for the core group.",
  type: "string",
};
export const kindProperty: Published = {
  description: "Kind of this object, in CamelCase. Cannot be changed.",
  type: "string",
};

export function publishStruct(struct: StructType, schemas: Schemas): Published {
  const { description, atomic, kind, group, name, fields, union } = struct;
  // In JSON a union is the value of one of its fields, which OpenAPI v2 could not express.
  if (union) return { description };
  const properties: Published = {
    ...(kind && { apiVersion: apiVersionProperty, kind: kindProperty }),
    ...Object.fromEntries(fields.map((field) => [field.name, publishField(field, schemas)])),
  };
  const required = fields.filter(isRequired).map((field) => field.name);
  return {
    description,
    type: "object",
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(atomic && { "x-kubernetes-map-type": "atomic" }),
    ...(kind && {
      "x-kubernetes-group-version-kind": [
        { group: group.group === "meta" ? "" : group.group, kind: name, version: group.version },
      ],
    }),
  };
}

function isRequired({ presence, required }: FieldDefinition): boolean {
  return presence === "required" || required === true;
}

function publishField(field: FieldDefinition, schemas: Schemas): Published {
  const { description, type, presence, format, listType, listMapKeys, mapType, patch } = field;
  const zero = presence === "pointer" ? undefined : zeroValue(type, presence === "plain");
  const value = field.isDefaultPublished ? (field.default ?? zeroValue(type, false)) : zero;
  return withSiblings(
    publishValue(type, schemas),
    {
      ...(description && { description }),
      ...(value !== undefined && schemas.version === 3 && { default: value }),
      ...(format && { format }),
      ...(listType && { "x-kubernetes-list-type": listType }),
      ...(listMapKeys && { "x-kubernetes-list-map-keys": listMapKeys }),
      ...(mapType && { "x-kubernetes-map-type": mapType }),
      ...(patch && { "x-kubernetes-patch-strategy": patch.strategies.join(",") }),
      ...(patch?.mergeKey && { "x-kubernetes-patch-merge-key": patch.mergeKey }),
    },
    schemas,
  );
}

/** A schema with further keywords. v3 ignores what stands beside a `$ref`, so there the reference moves into `allOf`. */
export function withSiblings(schema: Published, siblings: Published, { version }: Schemas): Published {
  if (version === 2 || schema["$ref"] === undefined) return { ...schema, ...siblings };
  return Object.keys(siblings).length === 0 ? schema : { ...siblings, allOf: [schema] };
}

function publishValue(type: ValueType, schemas: Schemas): Published {
  switch (type.of) {
    case "scalar":
      return publishScalar(type, schemas);
    case "struct":
      return schemas.refToStruct(type.struct);
    case "list":
      return { type: "array", items: publishElement(type.item, schemas) };
    case "map":
      return { type: "object", additionalProperties: publishElement(type.value, schemas) };
  }
}

function publishElement(type: ValueType, schemas: Schemas): Published {
  const zero = zeroValue(type, false);
  const siblings = zero === undefined || schemas.version === 2 ? {} : { default: zero };
  return withSiblings(publishValue(type, schemas), siblings, schemas);
}

/** Default that kube-apiserver publishes for a field whose Go type is no pointer; `omitEmpty`: zero scalars are not written. */
function zeroValue(type: ValueType, omitEmpty: boolean): unknown {
  if (type.of === "struct") return type.struct.union ? undefined : {};
  if (type.of !== "scalar" || omitEmpty) return undefined;
  return zeroScalars[type.scalar];
}

const zeroScalars: Partial<Record<Scalar, unknown>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

interface NamedScalar {
  readonly name: string;
  readonly description: string;
  readonly v3: Published;
  /** Default: the same as `v3`. */
  readonly v2?: Published;
}

const dateTime: Published = { type: "string", format: "date-time" };

/** Scalars that Go has types for, with schemas of their own. */
const namedScalars: Partial<Record<Scalar, NamedScalar>> = {
  time: {
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    description: "A time in RFC 3339, in seconds.",
    v3: dateTime,
  },
  microtime: {
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    description: "A time in RFC 3339, in microseconds.",
    v3: dateTime,
  },
  quantity: {
    name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
    description: "A number with an optional suffix, such as 1.5, 100m or 2Gi.",
    v3: { oneOf: [{ type: "string" }, { type: "number" }] },
    v2: { type: "string" },
  },
  intOrString: {
    name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    description: "An integer or a string, such as a port number or the name of a port.",
    v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    v2: { format: "int-or-string", type: "string" },
  },
  any: {
    name: "io.k8s.apimachinery.pkg.runtime.RawExtension",
    description: "An object of any kind.",
    v3: { type: "object" },
  },
};

const plainScalars: Readonly<
  Record<Exclude<Scalar, "time" | "microtime" | "quantity" | "intOrString" | "any">, Published>
> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  duration: { type: "string" },
};

function publishScalar({ scalar, alias }: ValueType & { of: "scalar" }, schemas: Schemas): Published {
  if (scalar === "any" && alias) {
    // FieldsV1 is an object, apiextensions' JSON any value.
    return schemas.define(alias.openApiName, () => (alias.name === "FieldsV1" ? { type: "object" } : {}));
  }
  const named = namedScalars[scalar];
  if (named) {
    const { name, description, v3, v2 = v3 } = named;
    return schemas.define(name, () => ({ description, ...(schemas.version === 3 ? v3 : v2) }));
  }
  const plain = plainScalars[scalar as keyof typeof plainScalars];
  return alias?.values ? { ...plain, enum: alias.values } : plain;
}
