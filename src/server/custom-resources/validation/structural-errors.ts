import { fieldErrors, checkStructural, type StructuralSchema } from "../../../model/core.js";
import type { FieldPath } from "../../../model/object/field-path.js";

const kinds = [
  ["Required value", fieldErrors.required],
  ["Forbidden", fieldErrors.forbidden],
] as const;

/** A JSON text: the value that a problem shows. */
const shown = /^(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|[\w.+-]+)(?=: )/;

/** What keeps a schema from being structural, as faults of fields. */
export function structuralErrors(schema: StructuralSchema, path: FieldPath): fieldErrors.FieldError[] {
  // A list of keys is shown again for each of its keys that is wrong, and read only once.
  const known = new Map<string, fieldErrors.FieldError>();
  return checkStructural(schema, path).map(({ path: field, message }) => {
    const before = known.get(message);
    if (before?.field === field) return before;
    const error = asFieldError(field, message);
    known.set(message, error);
    return error;
  });
}

function asFieldError(field: FieldPath, message: string): fieldErrors.FieldError {
  for (const [title, make] of kinds) {
    if (message.startsWith(`${title}: `)) return make(field, message.slice(title.length + 2));
  }
  const [title = "", ...rest] = message.split(": ");
  const said = rest.join(": ");
  const type = title === "Unsupported value" ? "FieldValueNotSupported" : "FieldValueInvalid";
  const text = shown.exec(said)?.[0] ?? "";
  return { type, field, badValue: valueOf(text), detail: said.slice(text === "" ? 0 : text.length + 2) };
}

/** Some problems show a text as it is, between quotes. */
function valueOf(text: string): unknown {
  try {
    return text === "" ? text : JSON.parse(text);
  } catch {
    return text.replaceAll(/^"|"$/g, "");
  }
}
