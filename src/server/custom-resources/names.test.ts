import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import type { Definition, DefinitionNames } from "./definition.js";
import { acceptedNames, nextStatus } from "./names.js";

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const now = "2026-01-01T00:00:00Z";

const widgetNames = {
  plural: "widgets",
  singular: "widget",
  shortNames: ["wg"],
  kind: "Widget",
  listKind: "WidgetList",
};

function definition(names: DefinitionNames, accepted?: DefinitionNames, group = "demo.dev"): Definition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names, scope: "Namespaced", versions: [] },
    status: { storedVersions: ["v1"], ...(accepted && { acceptedNames: accepted }) },
  };
}

const noConflicts = {
  type: "NamesAccepted",
  status: "True",
  lastTransitionTime: now,
  reason: "NoConflicts",
  message: "no conflicts found",
};
const isEstablished = {
  type: "Established",
  status: "True",
  lastTransitionTime: now,
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};
const notEstablished = {
  type: "Established",
  status: "False",
  lastTransitionTime: now,
  reason: "NotAccepted",
  message: "not all names are accepted",
};

test("free names are accepted and the kind is established", () => {
  const others = [definition({ plural: "others", kind: "Other" }, { plural: "others", kind: "Other" })];
  expect(nextStatus(definition(widgetNames), others.map(acceptedNames), clock)).toEqual({
    storedVersions: ["v1"],
    conditions: [noConflicts, isEstablished],
    acceptedNames: widgetNames,
  });
});

test("an up-to-date status is returned unchanged", () => {
  const first = definition({ ...widgetNames, categories: ["all"] });
  const settled = { ...first, status: nextStatus(first, [acceptedNames(first)], clock) };
  expect(settled.status.acceptedNames).toEqual({ ...widgetNames, categories: ["all"] });
  expect(nextStatus(settled, [acceptedNames(settled)], clock)).toBe(settled.status);
});

describe("a name that is taken", () => {
  const taken: DefinitionNames = {
    plural: "gadgets",
    singular: "gadget",
    shortNames: ["gd", "ga"],
    kind: "Gadget",
    listKind: "GadgetList",
  };

  test.each<[string, Partial<DefinitionNames>, string, Partial<DefinitionNames>]>([
    ["PluralConflict", { plural: "gadget" }, '"gadget" is already in use', { plural: "" }],
    ["SingularConflict", { singular: "gd" }, '"gd" is already in use', { singular: undefined }],
    [
      "ShortNamesConflict",
      { shortNames: ["gadgets", "wg"] },
      '"gadgets" is already in use',
      { shortNames: undefined },
    ],
    [
      "ShortNamesConflict",
      { shortNames: ["gd", "ga", "gd"] },
      '["gd" is already in use, "ga" is already in use]',
      { shortNames: undefined },
    ],
    ["KindConflict", { kind: "GadgetList" }, '"GadgetList" is already in use', { kind: "" }],
    ["ListKindConflict", { listKind: "Gadget" }, '"Gadget" is already in use', { listKind: undefined }],
    [
      "ListKindConflict",
      { plural: "gadgets", listKind: "Gadget" },
      '"Gadget" is already in use',
      { plural: "", listKind: undefined },
    ],
  ])("%s: %j", (reason, wanted, message, got) => {
    const asks = definition({ ...widgetNames, ...wanted });
    const conflict = { type: "NamesAccepted", status: "False", lastTransitionTime: now, reason, message };
    const expected = {
      storedVersions: ["v1"],
      conditions: [conflict, notEstablished],
      acceptedNames: { ...widgetNames, ...got },
    };
    expect(nextStatus(asks, [acceptedNames(definition(taken, taken))], clock)).toEqual(expected);
    expect(nextStatus(asks, [{ ...taken, group: "demo.dev" }], clock)).toEqual(expected);
  });

  test("conflicts only when accepted, and only within its group", () => {
    const asks = definition({ ...widgetNames, plural: "gadgets" });
    const others = [definition(taken), definition(taken, taken, "other.dev")].map(acceptedNames);
    expect(nextStatus(asks, [...others, { ...taken, group: "" }], clock).conditions).toEqual([
      noConflicts,
      isEstablished,
    ]);
  });

  test("requested later leaves the accepted names and the kind established", () => {
    const first = definition(widgetNames);
    const settled = { ...first, status: nextStatus(first, [], clock) };
    const changed = {
      ...settled,
      spec: { ...settled.spec, names: { ...widgetNames, shortNames: ["gd"], singular: "thing" } },
    };
    const status = nextStatus(changed, [acceptedNames(definition(taken, taken))], clock);
    expect(status.acceptedNames).toEqual({ ...widgetNames, singular: "thing" });
    expect(status.conditions).toEqual([
      { ...noConflicts, status: "False", reason: "ShortNamesConflict", message: '"gd" is already in use' },
      isEstablished,
    ]);
    // And once the name is free:
    const freed = nextStatus({ ...changed, status }, [], clock);
    expect(freed.acceptedNames).toEqual({ ...widgetNames, singular: "thing", shortNames: ["gd"] });
    expect(freed.conditions).toEqual([noConflicts, isEstablished]);
  });
});

test.each([
  [
    "https://github.com/a/b/pull/1",
    "True",
    "ApprovedAnnotation",
    "approved in https://github.com/a/b/pull/1",
  ],
  ["unapproved, x", "False", "UnapprovedAnnotation", 'not approved: "unapproved, x"'],
])(
  "a kind of Kubernetes' own groups says whether it is approved: %s",
  (annotation, status, reason, message) => {
    const crd = definition(widgetNames, undefined, "x.k8s.io");
    const annotated = {
      ...crd,
      metadata: { ...crd.metadata, annotations: { "api-approved.kubernetes.io": annotation } },
    };
    expect(nextStatus(annotated, [], clock).conditions?.[2]).toEqual({
      type: "KubernetesAPIApprovalPolicyConformant",
      status,
      lastTransitionTime: now,
      reason,
      message,
    });
  },
);
