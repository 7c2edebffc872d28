/** Types in an OpenAPI v3 document, by name, in a form in which two servers can be compared. */
export function publishedTypes(document: unknown): Readonly<Record<string, unknown>> {
  const { components } = document as {
    readonly components?: { readonly schemas?: Readonly<Record<string, object>> };
  };
  return Object.fromEntries(
    Object.entries(components?.schemas ?? {}).map(([name, schema]) => [name, comparable(schema)]),
  );
}

/**
 * A schema without descriptions, which each server words for itself. A reference stands beside its siblings: it is wrapped
 * in `allOf` as soon as there is a description. The order in `required` and `enum` means nothing.
 */
function comparable(schema: object): unknown {
  const { description: _, allOf, ...rest } = schema as Readonly<Record<string, unknown>>;
  const [only, ...others] = (allOf ?? []) as readonly { readonly $ref?: string }[];
  const flat =
    allOf === undefined
      ? rest
      : only?.$ref && others.length === 0
        ? { ...rest, ...only }
        : { ...rest, allOf };
  return Object.fromEntries(
    Object.entries(flat).map(([keyword, value]) => [keyword, comparableKeyword(keyword, value)]),
  );
}

function comparableKeyword(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Readonly<Record<string, object>>).map(([name, property]) => [
          name,
          comparable(property),
        ]),
      );
    case "items":
    case "not":
    case "additionalProperties":
      return typeof value === "object" && value !== null ? comparable(value) : value;
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as readonly object[]).map(comparable);
    case "required":
    case "enum":
      return [...(value as readonly string[])].sort();
    default:
      return value;
  }
}
