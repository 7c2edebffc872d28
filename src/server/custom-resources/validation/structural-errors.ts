import { fieldErrors, checkStructural, type StructuralSchema } from "../../../model/core.js";
import type { FieldPath } from "../../../model/object/field-path.js";

const kinds = [
  ["Required value", fieldErrors.required],
  ["Forbidden", fieldErrors.forbidden],
] as const;

/** JSON text of the value in a problem. */
const shown = /^(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|[\w.+-]+)(?=: )/;

/** Field errors of a schema that is not structural. */
export function structuralErrors(schema: StructuralSchema, path: FieldPath): fieldErrors.FieldError[] {
  // Each wrong key of a list repeats the list, which is parsed once.
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

/** Some problems quote the text as it is. */
function valueOf(text: string): unknown {
  try {
    return text === "" ? text : JSON.parse(text);
  } catch {
    return text.replaceAll(/^"|"$/g, "");
  }
}
