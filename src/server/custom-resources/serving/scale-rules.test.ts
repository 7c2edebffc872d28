import { expect, test } from "vitest";
import { fieldErrors } from "../../../model/core.js";
import { validateScaled } from "./scale-rules.js";

const paths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

test.each<[object, string[]]>([
  [{}, []],
  [{ spec: null }, []],
  [{ spec: { replicas: 0 }, status: { replicas: 2_147_483_647, selector: "a=b" } }, []],
  [{ spec: { replicas: -1 } }, [".spec.replicas: Invalid value: -1: should be a non-negative integer"]],
  [
    { status: { replicas: 2_147_483_648 } },
    [".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
  ],
  [
    { spec: { replicas: "three" } },
    [
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: three is of the type string, expected int64",
    ],
  ],
  [
    { spec: { replicas: 1.5 } },
    [
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64",
    ],
  ],
  [
    { spec: "x" },
    [
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}",
    ],
  ],
  [
    { status: { selector: null } },
    [
      '.status.selector: Invalid value: "": .status.selector accessor error: <nil> is of the type <nil>, expected string',
    ],
  ],
])("%j", (parts, errors) => {
  const object = { apiVersion: "demo.dev/v1", kind: "Widget", metadata: {}, ...parts };
  expect(validateScaled(object, paths).map(fieldErrors.renderFieldError)).toEqual(errors);
});
