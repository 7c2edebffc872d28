import { isMessage, sameCode, said, type Theme } from "./kept.js";

export const inFailures: Theme = {
  title: "Failures",
  kept: [
    {
      why: "A request that is wrong is answered with 400, 409 or 422, also where Kubernetes answers 500.",
      covers: ({ answers: [ours, theirs] }) => theirs.code === 500 && ours.code >= 400 && ours.code < 500,
    },
    {
      why: "Messages do not quote what is Go's: types, source lines, structs and maps as Go prints them, keys of etcd.",
      covers: (found) =>
        (isMessage(found) || found.path === "body.details.causes") &&
        sameCode(found) &&
        /Go (value|struct)|scheme\.go|\(\w+\.\w+\) to|map\[|StorageError|invalid character|\\?"(Name|Rule)\\?":|Invalid value: null: must/.test(
          JSON.stringify(found.theirs),
        ),
    },
    {
      why: "An object that is quoted in a message has its fields in the order in which they are stored.",
      covers: (found) =>
        isMessage(found) &&
        [found.ours, found.theirs].every((text) =>
          /patch: Invalid value: |^Invalid value: "\{/.test(said(text)),
        ),
    },
    {
      why: "Some texts are those of Kubernetes 1.35, which says more clearly what is wrong with label keys, lengths and owner references.",
      covers: (found) =>
        sameCode(found) &&
        found.path.startsWith("body.") &&
        /a valid label key must|no more than \d+ bytes|metadata\.ownerReferences\[/.test(
          JSON.stringify(found.answers[0].body),
        ),
    },
    {
      why: "A fault is named once. Kubernetes checks some fields twice and names what it finds there twice.",
      covers: ({ path, ours, theirs }) =>
        path === "body.details.causes" && JSON.stringify(ours) === JSON.stringify(once(theirs)),
    },
    {
      why: "That rules were not checked, because an object does not fit its schema, is said only then. Kubernetes says so for faults in metadata too.",
      covers: ({ path, answers: [, theirs] }) =>
        /^body\.(message|details\.causes)/.test(path) &&
        JSON.stringify(theirs.body).includes("some validation rules were not checked"),
    },
    {
      why: "What is wrong with a JSON patch is told, and a patch that is none is answered with 400; Kubernetes says of all of them only that something is wrong.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        step.headers["content-type"] === "application/json-patch+json" &&
        ours.code >= 400 &&
        JSON.stringify(theirs.body).includes(
          "the server rejected our request due to an error in our request",
        ) &&
        ofStatus(path),
    },
    {
      why: "A patch is read before its object is, and one that changes apiVersion or kind is answered with 400.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        step.method === "PATCH" &&
        ours.code === 400 &&
        (theirs.code === 404 || JSON.stringify(theirs.body).includes(" is invalid: patch: Invalid value")) &&
        ofStatus(path),
    },
    {
      why: "A body that is `null` is no object. Kubernetes takes it for an empty one.",
      covers: ({ step, path }) => (step.body === "null" || step.body === "") && ofStatus(path),
    },
    {
      why: "Metadata alone, asked for where there is a list, is refused as any other form that there is not.",
      covers: (found) =>
        isMessage(found) && said(found.theirs).includes("you requested PartialObjectMetadata"),
    },
    {
      why: "JSON patches follow RFC 6902: what is replaced has to be there. Kubernetes adds it.",
      covers: ({ step, path }) =>
        step.line.includes('"op":"replace","path":"/data/none"') ||
        (step.headers["content-type"] === "application/json-patch+json" &&
          /f:none|data\.none|resourceVersion/.test(path)),
    },
    {
      why: "YAML is read by another parser, which words what is wrong with it in its own way.",
      covers: (found) => isMessage(found) && sameCode(found) && said(found.theirs).includes("yaml: "),
    },
    {
      why: "Of a field that stands twice in a body the last one counts. Kubernetes mixes two maps.",
      covers: ({ step }) => step.line.includes('"data":{"k":"v","k":"w"},"data":{"z":"1"}'),
    },
    {
      why: "Custom kinds know the same methods as built-in ones: no POST to the path of an object, no PUT or PATCH to that of a list.",
      covers: ({ step, answers: [ours] }) =>
        ours.code === 405 && /^(POST widgets\/|(PUT|PATCH) widgets )/.test(step.line),
    },
    {
      why: "What tells of the server (`/version`, `/api`, `/apis`) can only be read; anything else is not found.",
      covers: ({ step }) => /^(PUT|POST|DELETE) \/(version|api|apis)\b( |$)/.test(step.line),
    },
    {
      why: "An exact version that is still to come is worth another try in a second, as every other version is.",
      covers: ({ path, ours }) => path === "body.details.retryAfterSeconds" && ours === 1,
    },
    {
      why: "A fault of an event names the group in which it was written.",
      covers: ({ step }) => step.path.includes("/apis/events.k8s.io/"),
    },
  ],
};

/** Whether it is in what a Status says, or the code itself. */
function ofStatus(path: string): boolean {
  return /^(code|body\.(message|reason|code|details(\..*)?))$/.test(path);
}

/** Without those that are the same as an earlier one. */
function once(causes: unknown): unknown {
  if (!Array.isArray(causes)) return causes;
  const texts = causes.map((cause) => JSON.stringify(cause));
  return causes.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}
