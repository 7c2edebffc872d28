import type { Theme } from "./kept.js";

export const inAnswers: Theme = {
  title: "Answers",
  kept: [
    {
      why: "Items of lists say their apiVersion and kind, also those of built-in kinds: objects are sent as they are stored.",
      covers: ({ path, theirs }) =>
        /^body\.items\[\d+\]\.(apiVersion|kind)$/.test(path) && theirs === undefined,
    },
    {
      why: "The last page of a list of custom objects has no `continue`, as that of built-in kinds; Kubernetes sends an empty one.",
      covers: ({ path, ours, theirs }) =>
        path === "body.metadata.continue" && ours === undefined && theirs === "",
    },
    {
      why: "A list that always has to be there is `[]` when it is empty, never `null`.",
      covers: ({ path, ours, theirs }) =>
        theirs === null && JSON.stringify(ours) === "[]" && path.startsWith("body.status."),
    },
    {
      why: "Columns of tables are described in Fettle's own words.",
      covers: ({ path }) => /columnDefinitions\[\d+\]\.description$/.test(path),
    },
    {
      why: "Answers are JSON or YAML, never protobuf, and the list of what is accepted says so.",
      covers: ({ path, answers: [ours] }) =>
        [406, 415].includes(ours.code) && ["body.message", "body.details"].includes(path),
    },
    {
      why: "`Accept: application/*` is taken at its word.",
      covers: ({ step }) => step.headers["accept"] === "application/*",
    },
    {
      why: "`/version` tells a version of Kubernetes with Fettle's own behind it.",
      covers: ({ step }) => step.path === "/version",
    },
    {
      why: "`autoscaling/v1` is not served but for scales; horizontal pod autoscalers are `autoscaling/v2`.",
      covers: ({ step, path }) => step.path === "/apis" && /versions/.test(path),
    },
    {
      why: "Discovery names the version of every kind, also in the core group.",
      covers: ({ path, theirs }) => path.endsWith(".responseKind.version") && theirs === "",
    },
    {
      why: "Definitions are stored as `apiextensions.k8s.io/v1`, which their storageVersionHash tells.",
      covers: ({ step, path }) => step.path.includes("apiextensions") && path.endsWith(".storageVersionHash"),
    },
    {
      why: "Access reviews and token requests are not served: who may do what is up to `authorize`.",
      covers: ({ step, path, theirs }) =>
        /\/apis\/auth(entication|orization)\.k8s\.io\//.test(step.path) ||
        (path.endsWith(".subresources") && JSON.stringify(theirs).includes("TokenRequest")),
    },
  ],
};
