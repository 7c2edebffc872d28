import type { StructuralSchema } from "../../../model/core.js";

/** Target of a field path in a schema. */
export interface FieldPathTarget {
  readonly fields: readonly string[];
  readonly schema?: StructuralSchema | undefined;
  /** Reason why there is no target. */
  readonly fault?: string | undefined;
}

const nowhere = "does not refer to a valid field";
const token = /'(?:[^'\\]|\\.|\\$)*'|[.[\]]|[^.[\]]+/gy;

/**
 * Follows `.spec.size` through a schema: the paths of selectable fields and of CEL rules, in Kubernetes' words.
 * With `brackets`, `['name']` is a step as well.
 */
export function findField(
  path: string,
  root: StructuralSchema,
  { brackets }: { readonly brackets: boolean },
): FieldPathTarget {
  const tokens = path.match(token) ?? [];
  const fields: string[] = [];
  let schema: StructuralSchema | undefined = root;
  for (let index = 0; index < tokens.length;) {
    const start = tokens[index++];
    if (start !== "." && start !== "[") return { fields, fault: `expected [ or . but got: ${start ?? ""}` };
    if (start === "[" && !brackets) return { fields, fault: "array notation is not allowed" };
    const text = tokens[index++];
    if (text === undefined) return { fields, fault: "unexpected end of JSON path" };
    let name = text;
    if (start === "[") {
      if (!/^'.*'$/s.test(text)) return { fields, fault: `expected single quoted string but got ${text}` };
      name = text.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
    }
    schema = stepInto(schema, name);
    if (schema === undefined) return { fields, fault: nowhere };
    fields.push(name);
    if (start === "[") {
      const close = tokens[index++];
      if (close === undefined) return { fields, fault: "unexpected end of JSON path" };
      if (close !== "]") return { fields, fault: `expected ] but got ${close}` };
    }
  }
  return { fields, schema };
}

function stepInto(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.keys(properties).length > 0)
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
