import type { Theme } from "./known-difference.js";

export const responses: Theme = {
  title: "Responses",
  differences: [
    {
      why: "List items have apiVersion and kind, also those of built-in kinds: objects are sent as they are stored.",
      covers: ({ path, theirs }) =>
        /^body\.items\[\d+\]\.(apiVersion|kind)$/.test(path) && theirs === undefined,
    },
    {
      why: "The last page of a list of custom objects has no `continue`, like that of built-in kinds. Kubernetes sends an empty one.",
      covers: ({ path, ours, theirs }) =>
        path === "body.metadata.continue" && ours === undefined && theirs === "",
    },
    {
      why: "A list field that is always written is `[]` when empty, never `null`.",
      covers: ({ path, ours, theirs }) =>
        theirs === null && JSON.stringify(ours) === "[]" && path.startsWith("body.status."),
    },
    {
      why: "Column descriptions of tables are Fettle's own.",
      covers: ({ path }) => /columnDefinitions\[\d+\]\.description$/.test(path),
    },
    {
      why: "Responses are JSON or YAML, never protobuf, and 406 and 415 responses list the supported types accordingly.",
      covers: ({ path, answers: [ours] }) =>
        [406, 415].includes(ours.code) && ["body.message", "body.details"].includes(path),
    },
    {
      why: "`Accept: application/*` accepts every supported type.",
      covers: ({ step }) => step.headers["accept"] === "application/*",
    },
    {
      why: "`/version` has a version of Kubernetes with Fettle's version as suffix.",
      covers: ({ step }) => step.path === "/version",
    },
    {
      why: "`autoscaling/v1` is served for scales only; horizontal pod autoscalers are `autoscaling/v2`.",
      covers: ({ step, path }) => step.path === "/apis" && /versions/.test(path),
    },
    {
      why: "Aggregated discovery has the version of every kind, also in the core group.",
      covers: ({ path, theirs }) => path.endsWith(".responseKind.version") && theirs === "",
    },
    {
      why: "Definitions are stored as `apiextensions.k8s.io/v1`, so their storageVersionHash differs.",
      covers: ({ step, path }) => step.path.includes("apiextensions") && path.endsWith(".storageVersionHash"),
    },
    {
      why: "Access reviews and token requests are not served: `authorize` decides about access.",
      covers: ({ step, path, theirs }) =>
        /\/apis\/auth(entication|orization)\.k8s\.io\//.test(step.path) ||
        (path.endsWith(".subresources") && JSON.stringify(theirs).includes("TokenRequest")),
    },
  ],
};
