import { getOwn, isJsonArray, type Json } from "../object/json.js";

/** Limit for a quoted value; longer ones are truncated. */
const maxLength = 1000;

/** Renders a value like Go's `%v`, as Kubernetes' messages do: `map[name:a ports:[80 81]]`. */
export function goFormat(value: Json): string {
  const parts: string[] = [];
  write(value, { parts, room: maxLength }, goScalar);
  return parts.join("");
}

/** Renders a value like Go's `%s`, including its odd output for values other than strings. */
export function goStringFormat(value: Json): string {
  const parts: string[] = [];
  write(value, { parts, room: maxLength }, (scalar) =>
    typeof scalar === "string"
      ? scalar
      : `%!s(${scalar === null ? "" : `${goType(scalar)}=`}${goScalar(scalar)})`,
  );
  return parts.join("");
}

/** Go type of a value; `%!s(<nil>)` for null. */
export function goType(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (isJsonArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "string":
      return "string";
    case "boolean":
      return "bool";
    default:
      return Number.isInteger(value) ? "int64" : "float64";
  }
}

type Scalar = null | boolean | number | string;

function goScalar(value: Scalar): string {
  if (value === null) return "<nil>";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

interface Output {
  readonly parts: string[];
  /** Remaining characters. This also bounds the depth of the recursion. */
  room: number;
}

function write(value: Json, page: Output, scalar: (value: Scalar) => string): void {
  if (page.room <= 0) return;
  if (isJsonArray(value)) {
    append(page, "[");
    for (const [index, item] of value.entries()) {
      if (page.room <= 0) return;
      if (index > 0) append(page, " ");
      write(item, page, scalar);
    }
    append(page, "]");
  } else if (typeof value === "object" && value !== null) {
    append(page, "map[");
    for (const [index, key] of Object.keys(value).sort().entries()) {
      if (page.room <= 0) return;
      append(page, `${index > 0 ? " " : ""}${key}:`);
      write(getOwn(value, key) ?? null, page, scalar);
    }
    append(page, "]");
  } else {
    append(page, scalar(value));
  }
}

function append(page: Output, text: string): void {
  if (page.room <= 0) return;
  page.parts.push(text.length > page.room ? `${text.slice(0, page.room)}…` : text);
  page.room -= text.length;
}
