/** What an OpenAPI document says of types, without the words: descriptions and defaults. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** The types in a document, each with its fields. */
export function shapesIn(document: unknown): Shapes {
  const { schemas = {} } = (document as Document).components ?? {};
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { properties = {} }]) => {
      const fields = Object.entries(properties).map(([field, type]) => [field, shapeOf(type, schemas)]);
      return [name, Object.fromEntries(fields) as Readonly<Record<string, unknown>>];
    }),
  );
}

const told = [
  "type",
  "format",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];

/** What is so unless told, or is told in other ways too. */
const plain: ReadonlySet<unknown> = new Set(["granular", "int-or-string"]);

function shapeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  // A reference that has more to say stands in a list of one.
  const reference = (schema.$ref ?? schema.allOf?.[0]?.$ref ?? "").split("/").pop();
  const target = schemas[reference ?? ""];
  // What has no fields may as well be said in place: times, quantities.
  if (target !== undefined && target.properties === undefined) return shapeOf(target, schemas);
  const { items, additionalProperties } = schema;
  const says = told.filter((key) => schema[key] !== undefined && !plain.has(schema[key]));
  return {
    ...(target !== undefined && { reference }),
    ...Object.fromEntries(says.map((key) => [key, schema[key]])),
    ...(items && { items: shapeOf(items, schemas) }),
    ...(typeof additionalProperties === "object" && { values: shapeOf(additionalProperties, schemas) }),
  };
}
