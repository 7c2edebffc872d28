import { textOf, type Theme } from "./known-difference.js";

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
      why: "`kubectl explain` has Fettle's own descriptions of `apiVersion`, `kind` and `metadata`.",
      covers: ({ path, ours, theirs }) =>
        / explain .*\.out$/.test(path) && withoutDescriptions(ours) === withoutDescriptions(theirs),
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
      why: "Compact JSON always ends with a newline. Kubernetes leaves it out of some errors for requests with an `Accept` header.",
      covers: ({ step, path, ours, answers: [{ code }] }) =>
        path === "headers.newline" && ours === true && code >= 400 && step.headers["accept"] !== undefined,
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
      why: "Aggregated discovery has group and version of every kind, also of built-in ones.",
      covers: ({ path, theirs }) => /\.responseKind\.(group|version)$/.test(path) && theirs === "",
    },
    {
      why: "Definitions are stored as `apiextensions.k8s.io/v1`, so their storageVersionHash differs.",
      covers: ({ step, path }) => step.path.includes("apiextensions") && path.endsWith(".storageVersionHash"),
    },
    {
      why: "Token requests are not served.",
      covers: ({ path, theirs }) =>
        path.endsWith(".subresources") && JSON.stringify(theirs).includes("TokenRequest"),
    },
    {
      why: "The reason of an allowed access review is that of `authorize`, not of a role binding, and the rules of a user are those that it lists.",
      covers: ({ step, path, theirs }) =>
        (path === "body.status.reason" && textOf(theirs).startsWith("RBAC: allowed by")) ||
        (step.path.endsWith("/selfsubjectrulesreviews") && path.startsWith("body.status.")),
    },
  ],
};

/** Output of `kubectl explain` without the descriptions of fields that every kind has. */
function withoutDescriptions(output: unknown): string {
  return textOf(output).replaceAll(/( {2}(?:apiVersion|kind|metadata)\t<\w+>\n)(?: {4}.*\n)+/g, "$1");
}
