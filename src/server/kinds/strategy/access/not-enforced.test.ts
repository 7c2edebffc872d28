import { expect, test } from "vitest";
import { created, typeOf } from "../fixtures/apply-rules.js";

test.each(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"])(
  "a warning says that a %s is not enforced",
  (kind) => {
    const warnings = typeOf(kind).strategy.warnings?.(created(kind, {}));
    expect(warnings).toEqual([expect.stringContaining(`not enforced here: this ${kind} is stored`)]);
  },
);
