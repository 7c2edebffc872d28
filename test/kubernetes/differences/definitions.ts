import { orderless } from "../comparable.js";
import { textOf, type Theme } from "./known-difference.js";

export const definitions: Theme = {
  title: "CustomResourceDefinitions and their objects",
  differences: [
    {
      why: "Errors in a definition have the path of v1. Kubernetes reports the path of v1beta1 when there is one version.",
      covers: ({ step, path, ours, theirs }) =>
        step.path.includes("customresourcedefinitions") &&
        /^body\.(message|details\.causes\[\d+\]\.(field|message))$/.test(path) &&
        orderless(inOlderForm(textOf(ours))) === orderless(inOlderForm(textOf(theirs))),
    },
    {
      why: "Selectable fields are allowed when all versions have the same schema, which Kubernetes rejects by mistake.",
      covers: ({ answers: [, theirs] }) =>
        JSON.stringify(theirs.body).includes(
          "may only be set when `version.schema.openAPIV3Schema` is not included",
        ),
    },
    {
      why: "Conversion webhooks are rejected; versions of a kind differ in their schema only.",
      covers: ({ answers: [ours] }) =>
        JSON.stringify(ours.body).includes("does not call conversion webhooks"),
    },
    {
      why: "Deleting a definition increments its generation.",
      covers: ({ step, path }) =>
        step.method === "DELETE" &&
        step.path.includes("customresourcedefinitions") &&
        path === "body.metadata.generation",
    },
    {
      why: "A negative scale is rejected as an invalid Scale.",
      covers: ({ step }) => step.line.startsWith('PATCH widgets/a/scale merge {"spec":{"replicas":-1}}'),
    },
    {
      why: "The scale of a custom object can be applied. Kubernetes responds with 500.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        (theirs.code === 500 && ours.code === 200) ||
        (step.line === "GET widgets/a" && /resourceVersion|generation|managedFields|replicas/.test(path)),
    },
  ],
};

/** Path in a definition, in the form of v1beta1 with one version for all. */
function inOlderForm(text: string): string {
  return text
    .replaceAll("spec.versions[0].schema.openAPIV3Schema", "spec.validation.openAPIV3Schema")
    .replaceAll(/spec\.versions\[0\]\.(subresources|additionalPrinterColumns)/g, "spec.$1")
    .replaceAll(/spec\.validation\.\S+ in body/g, " in body")
    .replaceAll(
      /Invalid value: (apiextensions\.ValidationRule\{.*?\}|\{"Rule".*?\}): /g,
      "Invalid value: <rule>: ",
    );
}
