import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareApiVersions } from "./version-priority.js";

describe("the order of versions", () => {
  it("matches Kubernetes", () => {
    const ordered = [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
      "v1gamma1",
      "v99999999999999999999",
    ];
    expect([...ordered].reverse().sort(compareApiVersions)).toEqual(ordered);
  });

  it("is a total order", () => {
    const version = fc.oneof(
      fc.stringMatching(/^v[1-9]{1,2}((alpha|beta)[1-9]{1,2})?$/),
      fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(version), (versions) => {
        const sorted = [...versions].sort(compareApiVersions);
        expect([...versions].reverse().sort(compareApiVersions)).toEqual(sorted);
        for (const [index, one] of sorted.entries()) {
          for (const other of sorted.slice(index + 1)) expect(compareApiVersions(one, other)).toBeLessThan(0);
        }
      }),
    );
  });
});
