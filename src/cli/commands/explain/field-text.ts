import { typeName, type Schema, type GroupSchemas } from "./schema.js";

/** A type in a few signs: `string`, `[]Container`, `map[string]string`. */
export function typeText(schema: Schema, schemas: GroupSchemas): string {
  const whole = schemas.resolve(schema);
  if (whole["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (whole.type === "array")
    return `[]${whole.items === undefined ? "Object" : typeText(whole.items, schemas)}`;
  const named = typeName(schema);
  const isObject = whole.type === "object" || whole.type === undefined;
  if (!isObject) return whole.type ?? "Object";
  if (whole.properties !== undefined) return named ?? "Object";
  const { additionalProperties } = whole;
  if (typeof additionalProperties === "object")
    return `map[string]${typeText(additionalProperties, schemas)}`;
  return named ?? "Object";
}

/** Constraints of a value besides its type: `one of red, green; default red`. */
export function rulesText(schema: Schema): string {
  const { enum: values, default: standard, minimum, maximum, minLength, maxLength, pattern, format } = schema;
  const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  const rules = [
    values === undefined ? "" : `one of ${values.map(show).join(", ")}`,
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
    minLength === undefined ? "" : `at least ${minLength} characters`,
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    pattern === undefined ? "" : `matches ${pattern}`,
    format === undefined || format.startsWith("int") ? "" : format,
    standard === undefined || isEmpty(standard) ? "" : `default ${show(standard)}`,
  ];
  return rules.filter((rule) => rule !== "").join("; ");
}

/** True for the zero value of a type, which servers written in Go publish as a default of almost every field. */
function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** What is inside a field: its own fields, or those of its items or values. */
export function insideOf(schema: Schema, schemas: GroupSchemas): Schema {
  const whole = schemas.resolve(schema);
  if (whole.properties !== undefined) return whole;
  if (whole.items !== undefined) return insideOf(whole.items, schemas);
  if (typeof whole.additionalProperties === "object") return insideOf(whole.additionalProperties, schemas);
  return whole;
}

/** Wraps text at word boundaries. */
export function wrap(text: string, indent: string, width: number): string {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(/\s+/).filter((each) => each !== "")) {
      if (line !== "" && indent.length + line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.map((line) => `${line === "" ? "" : indent + line}\n`).join("");
}
