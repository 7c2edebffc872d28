import { describe, expect, test } from "vitest";
import { invalid as invalidField, required } from "../object/field-errors.js";
import { type ApiError, internal } from "./api-error.js";
import {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  forbidden,
  generateNameConflict,
  gone,
  invalid,
  methodNotSupported,
  modifiedConflict,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  resourceExpired,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from "./failures.js";

const widgets = { group: "demo.dev", resource: "widgets" };
const pods = { group: "", resource: "pods" };
const widget = { name: "x", group: "demo.dev", kind: "widgets" };

const cases: [ApiError, number, string, string, object?][] = [
  [notFound(widgets, "x"), 404, "NotFound", 'widgets.demo.dev "x" not found', widget],
  [notFound(pods, "x"), 404, "NotFound", 'pods "x" not found', { name: "x", kind: "pods" }],
  [alreadyExists(widgets, "x"), 409, "AlreadyExists", 'widgets.demo.dev "x" already exists', widget],
  [
    generateNameConflict(widgets, "x", 1),
    409,
    "AlreadyExists",
    'widgets.demo.dev "x" already exists, the server was not able to generate a unique name for the object',
    { ...widget, retryAfterSeconds: 1 },
  ],
  [
    conflict(widgets, "x", modifiedConflict),
    409,
    "Conflict",
    'Operation cannot be fulfilled on widgets.demo.dev "x": the object has been modified; please apply your changes to the latest version and try again',
    widget,
  ],
  [badRequest("no"), 400, "BadRequest", "no"],
  [unauthorized(), 401, "Unauthorized", "not authorized"],
  [unauthorized("Unauthorized"), 401, "Unauthorized", "Unauthorized"],
  [forbidden(widgets, "x", "why"), 403, "Forbidden", 'widgets.demo.dev "x" is forbidden: why', widget],
  [
    forbidden(widgets, "", "why"),
    403,
    "Forbidden",
    "widgets.demo.dev is forbidden: why",
    { group: "demo.dev", kind: "widgets" },
  ],
  [forbidden({ group: "", resource: "" }, "", "why"), 403, "Forbidden", "forbidden: why", {}],
  [
    methodNotSupported(widgets, "patch"),
    405,
    "MethodNotAllowed",
    'patch is not supported on resources of kind "widgets.demo.dev"',
    { group: "demo.dev", kind: "widgets" },
  ],
  [
    notAcceptable(["application/json", "application/yaml"]),
    406,
    "NotAcceptable",
    "only the following media types are accepted: application/json, application/yaml",
  ],
  [
    unsupportedMediaType(["application/json"]),
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json",
  ],
  [gone("it was"), 410, "Gone", "it was"],
  [resourceExpired("too old resource version: 1 (5)"), 410, "Expired", "too old resource version: 1 (5)"],
  [timeout("slow", 2), 504, "Timeout", "Timeout: slow", { retryAfterSeconds: 2 }],
  [timeout("slow"), 504, "Timeout", "Timeout: slow", {}],
  [
    tooLargeResourceVersion(10, 5n, 1),
    504,
    "Timeout",
    "Timeout: Too large resource version: 10, current: 5",
    {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  ],
  [
    serverTimeout(widgets, "list", 3),
    500,
    "ServerTimeout",
    "The list operation against widgets.demo.dev could not be completed at this time, please try again.",
    { name: "list", group: "demo.dev", kind: "widgets", retryAfterSeconds: 3 },
  ],
  [tooManyRequests("wait", 1), 429, "TooManyRequests", "wait", { retryAfterSeconds: 1 }],
  [requestEntityTooLarge("limit is 3"), 413, "RequestEntityTooLarge", "Request entity too large: limit is 3"],
  [serviceUnavailable("closing"), 503, "ServiceUnavailable", "closing"],
  [
    applyConflict([{ reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.x" }], "no"),
    409,
    "Conflict",
    "no",
    { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.x" }] },
  ],
  [
    internal(new Error("oops")),
    500,
    "InternalError",
    "Internal error occurred: oops",
    { causes: [{ message: "oops" }] },
  ],
];

describe("the Status of each failure", () => {
  test.each(cases)("%s", (error, code, reason, message, details) => {
    expect(error.status).toStrictEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...(details && { details }),
      code,
    });
    expect(error.message).toBe(message);
    expect([error.code, error.reason]).toEqual([code, reason]);
  });

  test("has its fields in Kubernetes' order", () => {
    expect(JSON.stringify(generateNameConflict(widgets, "x", 1).status)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.demo.dev \\"x\\" already exists, the server was not able to generate a unique name for the object","reason":"AlreadyExists","details":{"name":"x","group":"demo.dev","kind":"widgets","retryAfterSeconds":1},"code":409}',
    );
  });
});

describe("invalid", () => {
  const kind = { group: "demo.dev", kind: "Widget" };
  const size = invalidField("spec.size", 0, "must be greater than 0");

  test("one error", () => {
    const { status } = invalid(kind, "x", [size]);
    expect(status.message).toBe(
      'Widget.demo.dev "x" is invalid: spec.size: Invalid value: 0: must be greater than 0',
    );
    expect(status.details).toEqual({
      ...kind,
      name: "x",
      causes: [
        {
          reason: "FieldValueInvalid",
          message: "Invalid value: 0: must be greater than 0",
          field: "spec.size",
        },
      ],
    });
  });

  test("several errors, and none", () => {
    expect(invalid({ group: "", kind: "Pod" }, "x", [size, required("spec.a"), size]).message).toBe(
      'Pod "x" is invalid: [spec.size: Invalid value: 0: must be greater than 0, spec.a: Required value]',
    );
    expect(invalid(kind, "x", []).message).toBe('Widget.demo.dev "x" is invalid');
  });
});
