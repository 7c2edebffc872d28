import { fieldErrors, type Json, type KubeObject, names } from "../../../model/core.js";
import { keyPath } from "../../../model/object/field-path.js";
import { utf8Length } from "../../../model/object/utf8.js";
import { jsonEqual } from "../../../model/object/json.js";
import type { Draft } from "../../resources/resource-type.js";
import { base64Length } from "../typed/base64.js";
import { nameColumn } from "../../output-formats/columns.js";
import { builtInAgeColumn, column, countIn } from "./columns.js";
import { largestData, validateDataKey } from "./data-keys.js";
import type { KindRules } from "./kind-rules.js";

export const configMap: KindRules = {
  columns: [
    nameColumn,
    column("Data", "Number of entries.", countIn("data", "binaryData")),
    builtInAgeColumn,
  ],
  strategy: {
    validateName: names.nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    validate,
    validateUpdate: (object, old) => {
      const { data, binaryData } = old as unknown as Draft;
      // Identical data was validated when it was written.
      const isSame = object["data"] === data && object["binaryData"] === binaryData;
      return [
        ...validateUnchangedData(object, old, "data", "binaryData"),
        ...(isSame ? [] : validate(object)),
      ];
    },
  },
};

type Texts = Readonly<Record<string, string>>;

function validate(object: Draft): fieldErrors.FieldError[] {
  const data: Texts = (object["data"] as Texts | undefined) ?? {};
  const binaryData: Texts = (object["binaryData"] as Texts | undefined) ?? {};
  const errors: fieldErrors.FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const fault of validateDataKey(key)) {
      errors.push(fieldErrors.invalid(keyPath("data", key), key, fault));
    }
    if (Object.hasOwn(binaryData, key)) {
      errors.push(fieldErrors.invalid(keyPath("data", key), key, "duplicate of key present in binaryData"));
    }
    size += utf8Length(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    for (const fault of validateDataKey(key)) {
      errors.push(fieldErrors.invalid(keyPath("binaryData", key), key, fault));
    }
    size += base64Length(value);
  }
  if (size > largestData) errors.push(fieldErrors.tooLong("", largestData));
  return errors;
}

/** Checks that an immutable object stays immutable and these fields unchanged. */
export function validateUnchangedData(
  object: Draft,
  old: KubeObject,
  ...fields: readonly string[]
): fieldErrors.FieldError[] {
  const before = old as unknown as Draft;
  if (before["immutable"] !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const errors: fieldErrors.FieldError[] = [];
  if (object["immutable"] !== true) errors.push(fieldErrors.forbidden("immutable", detail));
  for (const field of fields) {
    const now = (object[field] ?? {}) as Json;
    if (!jsonEqual(now, (before[field] ?? {}) as Json)) errors.push(fieldErrors.forbidden(field, detail));
  }
  return errors;
}
