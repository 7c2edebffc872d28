import { controlCharacters } from "../../object/quote.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";

const token = /'(?:[^'\\]|\\.|\\$)*'|[.[\]]|[^.[\]]+/gy;

/**
 * Converts the `fieldPath` of a rule to the form used in errors; undefined if there is no such field.
 *
 * @example
 * ruleFieldPath(".labels['app']", schema); // "labels[app]"
 */
export function ruleFieldPath(path: string, root: StructuralSchema): string | undefined {
  const tokens = path.match(token) ?? [];
  let result = "";
  let schema: StructuralSchema | undefined = root;
  for (let index = 0; index < tokens.length;) {
    const start = tokens[index++];
    const text = tokens[index++];
    if ((start !== "." && start !== "[") || text === undefined) return undefined;
    let name = text;
    if (start === "[") {
      if (!/^'[^]*'$/.test(text) || tokens[index++] !== "]") return undefined;
      name = text
        .slice(1, -1)
        .replaceAll(/\\([^])/g, (_, letter: string) => controlCharacters.get(letter) ?? letter);
    }
    const { properties, additionalProperties }: StructuralSchema = schema;
    if (properties) {
      schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      result += result === "" ? name : `.${name}`;
    } else {
      schema = typeof additionalProperties === "object" ? additionalProperties : undefined;
      result += `[${name}]`;
    }
    if (!schema) return undefined;
  }
  return result;
}
