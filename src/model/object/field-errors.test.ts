import { describe, expect, test } from "vitest";
import { omitValue } from "./bad-value.js";
import {
  duplicate,
  type FieldError,
  fieldErrorCause,
  forbidden,
  internal,
  invalid,
  notFound,
  notSupported,
  renderFieldError,
  renderFieldErrors,
  required,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  typeInvalid,
} from "./field-errors.js";

const cases: [FieldError, string, string][] = [
  [required("f", "why"), "FieldValueRequired", "f: Required value: why"],
  [required("f"), "FieldValueRequired", "f: Required value"],
  [invalid("f", "x", "why"), "FieldValueInvalid", 'f: Invalid value: "x": why'],
  [invalid("f", 3, "why"), "FieldValueInvalid", "f: Invalid value: 3: why"],
  [invalid("f", omitValue, "why"), "FieldValueInvalid", "f: Invalid value: why"],
  [invalid("f", { b: 1, a: 2 }, "why"), "FieldValueInvalid", 'f: Invalid value: {"a":2,"b":1}: why'],
  [typeInvalid("f", "x", "why"), "FieldValueTypeInvalid", 'f: Invalid value: "x": why'],
  [
    notSupported("f", "x", ["a", "b"]),
    "FieldValueNotSupported",
    'f: Unsupported value: "x": supported values: "a", "b"',
  ],
  [notSupported("f", "x"), "FieldValueNotSupported", 'f: Unsupported value: "x"'],
  [duplicate("f", "x"), "FieldValueDuplicate", 'f: Duplicate value: "x"'],
  [notFound("f", "x"), "FieldValueNotFound", 'f: Not found: "x"'],
  [forbidden("f", "why"), "FieldValueForbidden", "f: Forbidden: why"],
  [tooLong("f", 63), "FieldValueTooLong", "f: Too long: may not be more than 63 bytes"],
  [tooLong("f", 1), "FieldValueTooLong", "f: Too long: may not be more than 1 byte"],
  [tooShort("f", "x", 2), "FieldValueTooShort", "f: Too short: must be at least 2 characters"],
  [tooMany("f", 3, 2), "FieldValueTooMany", "f: Too many: 3: must have at most 2 items"],
  [tooMany("f", undefined, 1), "FieldValueTooMany", "f: Too many: must have at most 1 item"],
  [tooFew("f", 0, 1), "FieldValueTooFew", "f: Too few: 0: must have at least 1 item"],
  [internal("f", "why"), "InternalError", "f: Internal error: why"],
];

describe("one error", () => {
  test.each(cases)("%o", (error, type, text) => {
    expect(error.type).toBe(type);
    expect(renderFieldError(error)).toBe(text);
  });

  test.each(cases)("as a cause: %o", (error, reason, text) => {
    expect(fieldErrorCause(error)).toEqual({ reason, message: text.slice("f: ".length), field: "f" });
  });
});

describe("several errors", () => {
  test("are put in brackets and deduplicated", () => {
    const [a, b] = [required("a"), required("b")];
    expect(renderFieldErrors([a])).toBe("a: Required value");
    expect(renderFieldErrors([a, a])).toBe("a: Required value");
    expect(renderFieldErrors([a, b, a])).toBe("[a: Required value, b: Required value]");
  });
});
