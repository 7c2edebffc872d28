import { orderless } from "../comparable.js";
import { said, type Theme } from "./kept.js";

export const inDefinitions: Theme = {
  title: "Definitions and their objects",
  kept: [
    {
      why: "Faults in a definition are told where they stand. Kubernetes names a place that only its older form has, when there is one version.",
      covers: ({ step, path, ours, theirs }) =>
        step.path.includes("customresourcedefinitions") &&
        /^body\.(message|details\.causes\[\d+\]\.(field|message))$/.test(path) &&
        orderless(inOlderForm(said(ours))) === orderless(inOlderForm(said(theirs))),
    },
    {
      why: "A version may have selectable fields when all versions have one schema, which Kubernetes refuses by mistake.",
      covers: ({ answers: [, theirs] }) =>
        JSON.stringify(theirs.body).includes(
          "may only be set when `version.schema.openAPIV3Schema` is not included",
        ),
    },
    {
      why: "Conversion webhooks are refused; versions of a kind differ in their schema only.",
      covers: ({ answers: [ours] }) =>
        JSON.stringify(ours.body).includes("does not call conversion webhooks"),
    },
    {
      why: "The deletion of a definition is a change of what it asks for, so its generation is counted on.",
      covers: ({ step, path }) =>
        step.method === "DELETE" &&
        step.path.includes("customresourcedefinitions") &&
        path === "body.metadata.generation",
    },
    {
      why: "A scale below zero is refused as a scale.",
      covers: ({ step }) => step.line.startsWith('PATCH widgets/a/scale merge {"spec":{"replicas":-1}}'),
    },
    {
      why: "A custom object's scale can be applied. Kubernetes answers 500.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        (theirs.code === 500 && ours.code === 200) ||
        (step.line === "GET widgets/a" && /resourceVersion|generation|managedFields|replicas/.test(path)),
    },
  ],
};

/** A place in a definition, as the form with one version for all calls it. */
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
