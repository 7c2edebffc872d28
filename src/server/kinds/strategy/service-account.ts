import { names } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import { nameColumn } from "../../output-formats/columns.js";
import { builtInAgeColumn, column, countIn } from "./columns.js";
import type { KindRules } from "./kind-rules.js";

export const serviceAccount: KindRules = {
  columns: [
    nameColumn,
    column("Secrets", "Number of referenced secrets.", countIn("secrets")),
    builtInAgeColumn,
  ],
  strategy: {
    validateName: names.nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    returnsDeleted: true,
    prepareCreate: cleanSecrets,
    prepareUpdate: cleanSecrets,
    warnings,
  },
};

/** References to secrets keep the name only. */
function cleanSecrets(object: Draft): void {
  const secrets = object["secrets"] as readonly { readonly name?: string }[] | undefined;
  if (secrets) object["secrets"] = secrets.map(({ name }) => (name ? { name } : {}));
}

const enforceMountable = "kubernetes.io/enforce-mountable-secrets";

function warnings({ metadata }: Draft): string[] {
  const annotations = metadata["annotations"] as Readonly<Record<string, string>> | undefined;
  if (!annotations || !Object.hasOwn(annotations, enforceMountable)) return [];
  return [
    `metadata.annotations[${enforceMountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}
