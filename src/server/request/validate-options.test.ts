import { describe, expect, test } from "vitest";
import { anonymous } from "../access/user.js";
import type { ApiRequest, RequestWriteOptions } from "./api-request.js";
import {
  readDeleteOptions,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWriteOptions,
} from "./validate-options.js";

function creating(options: RequestWriteOptions): ApiRequest<"create"> {
  const resource = { group: "demo.dev", version: "v1", resource: "widgets" };
  return { user: anonymous, verb: "create", resource, scope: {}, options, program: "other" };
}

describe("validateWriteOptions", () => {
  test("reads all options of a write; the field manager defaults to the program", () => {
    expect(
      validateWriteOptions(creating({ dryRun: ["All"], fieldManager: "me", fieldValidation: "Strict" })),
    ).toEqual({ dryRun: true, fieldManager: "me", fieldValidation: "Strict", force: undefined });
    expect(validateWriteOptions(creating({}))).toEqual({
      dryRun: false,
      fieldManager: "other",
      fieldValidation: undefined,
      force: undefined,
    });
  });

  test.each<[RequestWriteOptions, string]>([
    [
      { dryRun: ["yes"] },
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["yes"]: supported values: "All"',
    ],
    [
      { fieldValidation: "Foo" },
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": ' +
        'supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [
      { fieldManager: "x".repeat(129) },
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
  ])("refuses %j", (options, message) => {
    expect(() => validateWriteOptions(creating(options))).toThrow(
      expect.objectContaining({ code: 422, message }),
    );
  });
});

describe("validatePatchOptions", () => {
  test("accepts force only for apply", () => {
    const options = { fieldManager: "me", force: true };
    expect(() => validatePatchOptions("apply", options)).not.toThrow();
    expect(() => validatePatchOptions("merge", options)).toThrow(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });

  test("requires a field manager for apply", () => {
    expect(() => validatePatchOptions("apply", {})).toThrow(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });
});

test("validateListOptions refuses numbers that are not integers", () => {
  expect(validateListOptions({ limit: 5 })).toEqual({ limit: 5 });
  expect(() => validateListOptions({ limit: 1.5 })).toThrow(
    'strconv.ParseInt: parsing "1.5": invalid syntax',
  );
});

describe("DeleteOptions", () => {
  test("are read from a body", () => {
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
      preconditions: { uid: "abc" },
      gracePeriodSeconds: null,
    };
    expect(validateDeleteOptions(readDeleteOptions(body))).toMatchObject({
      propagationPolicy: "Background",
      preconditions: { uid: "abc" },
      dryRun: false,
    });
    expect(validateDeleteOptions(readDeleteOptions({}))).toMatchObject({ dryRun: false });
  });

  test.each([
    [{ kind: "Widget" }, 400],
    [[], 400],
    ["text", 400],
    [null, 400],
    [{ gracePeriodSeconds: "1" }, 400],
    [{ gracePeriodSeconds: 1.5 }, 400],
    [{ propagationPolicy: 5 }, 400],
    [{ preconditions: [] }, 400],
    [{ preconditions: { uid: 5 } }, 400],
    [{ dryRun: "All" }, 400],
    [{ dryRun: ["Some"] }, 422],
    [{ propagationPolicy: "Sometimes" }, 422],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, 422],
  ])("%j are refused with %i", (body, code) => {
    expect(() => validateDeleteOptions(readDeleteOptions(body))).toThrow(expect.objectContaining({ code }));
  });

  test("of a caller in this process must be whole numbers too", () => {
    expect(() => validateDeleteOptions({ gracePeriodSeconds: 1.5 })).toThrow(
      "gracePeriodSeconds: Invalid value: 1.5: must be a whole number",
    );
  });
});
