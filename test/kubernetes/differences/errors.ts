import { isMessage, sameCode, textOf, type Theme } from "./known-difference.js";

export const errors: Theme = {
  title: "Errors",
  differences: [
    {
      why: "Invalid requests get 400, 409 or 422, also where Kubernetes responds with 500.",
      covers: ({ answers: [ours, theirs] }) => theirs.code === 500 && ours.code >= 400 && ours.code < 500,
    },
    {
      why: "Messages do not contain Go's types, source lines, structs and maps, or keys of etcd.",
      covers: (found) =>
        (isMessage(found) || found.path === "body.details.causes") &&
        sameCode(found) &&
        /Go (value|struct)|scheme\.go|\(\w+\.\w+\) to|map\[|StorageError|invalid character|\\?"(Name|Rule)\\?":|Invalid value: null: must/.test(
          JSON.stringify(found.theirs),
        ),
    },
    {
      why: "Objects in messages have their fields in storage order.",
      covers: (found) =>
        isMessage(found) &&
        [found.ours, found.theirs].every((text) =>
          /patch: Invalid value: |^Invalid value: "\{/.test(textOf(text)),
        ),
    },
    {
      why: "Messages about label keys, lengths and owner references are those of Kubernetes 1.35, which are clearer.",
      covers: (found) =>
        sameCode(found) &&
        found.path.startsWith("body.") &&
        /a valid label key must|no more than \d+ bytes|metadata\.ownerReferences\[/.test(
          JSON.stringify(found.answers[0].body),
        ),
    },
    {
      why: "An error is reported once. Kubernetes checks some fields twice and reports their errors twice.",
      covers: ({ path, ours, theirs }) =>
        path === "body.details.causes" && JSON.stringify(ours) === JSON.stringify(once(theirs)),
    },
    {
      why: "`some validation rules were not checked` is reported only when an object does not match its schema. Kubernetes reports it for errors in metadata, too.",
      covers: ({ path, answers: [, theirs] }) =>
        /^body\.(message|details\.causes)/.test(path) &&
        JSON.stringify(theirs.body).includes("some validation rules were not checked"),
    },
    {
      why: "Errors of JSON patches are reported in detail, and a malformed patch gets 400. Kubernetes reports only that there is an error.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        step.headers["content-type"] === "application/json-patch+json" &&
        ours.code >= 400 &&
        JSON.stringify(theirs.body).includes(
          "the server rejected our request due to an error in our request",
        ) &&
        ofStatus(path),
    },
    {
      why: "A patch is parsed before its object is read, and one that changes apiVersion or kind gets 400.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        step.method === "PATCH" &&
        ours.code === 400 &&
        (theirs.code === 404 || JSON.stringify(theirs.body).includes(" is invalid: patch: Invalid value")) &&
        ofStatus(path),
    },
    {
      why: "The body `null` is rejected. Kubernetes treats it as an empty object.",
      covers: ({ step, path }) => (step.body === "null" || step.body === "") && ofStatus(path),
    },
    {
      why: "PartialObjectMetadata is rejected for lists like any other unsupported type.",
      covers: (found) =>
        isMessage(found) && textOf(found.theirs).includes("you requested PartialObjectMetadata"),
    },
    {
      why: "JSON patches follow RFC 6902: `replace` needs an existing value. Kubernetes adds it.",
      covers: ({ step, path }) =>
        step.line.includes('"op":"replace","path":"/data/none"') ||
        (step.headers["content-type"] === "application/json-patch+json" &&
          /f:none|data\.none|resourceVersion/.test(path)),
    },
    {
      why: "YAML is read by another parser, with its own error messages.",
      covers: (found) => isMessage(found) && sameCode(found) && textOf(found.theirs).includes("yaml: "),
    },
    {
      why: "The last of duplicate fields in a body counts. Kubernetes merges two maps.",
      covers: ({ step }) => step.line.includes('"data":{"k":"v","k":"w"},"data":{"z":"1"}'),
    },
    {
      why: "Custom kinds have the same methods as built-in ones: no POST to the path of an object, no PUT or PATCH to that of a list.",
      covers: ({ step, answers: [ours] }) =>
        ours.code === 405 && /^(POST widgets\/|(PUT|PATCH) widgets )/.test(step.line),
    },
    {
      why: "`/version`, `/api` and `/apis` support GET only; other methods get 404.",
      covers: ({ step }) => /^(PUT|POST|DELETE) \/(version|api|apis)\b( |$)/.test(step.line),
    },
    {
      why: "A resourceVersion in the future gets retryAfterSeconds 1, also with resourceVersionMatch=Exact.",
      covers: ({ path, ours }) => path === "body.details.retryAfterSeconds" && ours === 1,
    },
    {
      why: "Errors of access reviews name their kind, and those of a Binding or Eviction with the name of another pod are worded like those of other objects.",
      covers: ({ step, path, answers: [ours] }) =>
        (step.path.endsWith("accessreviews") &&
          ours.code === 422 &&
          /message$|^body\.details\.kind$/.test(path)) ||
        (/\/(binding|eviction)$/.test(step.path) &&
          JSON.stringify(ours.body).includes("does not match the name on the URL") &&
          path === "body.message"),
    },
    {
      why: "An address outside of the range of services is refused with the range, and a dry run checks that an address is free.",
      covers: ({ step, path, theirs, answers: [ours, other] }) =>
        (textOf(theirs).includes("the provided network does not match the current range") &&
          path.endsWith("message")) ||
        (step.path.includes("/services?dryRun=All") && ours.code === 422 && other.code === 201),
    },
    {
      why: "Errors of events name the group of the request.",
      covers: ({ step }) => step.path.includes("/apis/events.k8s.io/"),
    },
  ],
};

/** True for a path in a Status, or for the code. */
function ofStatus(path: string): boolean {
  return /^(code|body\.(message|reason|code|details(\..*)?))$/.test(path);
}

/** Removes duplicates. */
function once(causes: unknown): unknown {
  if (!Array.isArray(causes)) return causes;
  const texts = causes.map((cause) => JSON.stringify(cause));
  return causes.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}
