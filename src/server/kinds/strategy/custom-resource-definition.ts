import { names } from "../../../model/core.js";
import type { KindStrategy } from "../../resources/resource-type.js";
import { nameColumn } from "../../output-formats/columns.js";
import { column } from "./columns.js";
import type { KindRules } from "./kind-rules.js";

/** CustomResourceDefinitions; `more` has the rules for what they define. */
export function definitionRules(more: Partial<KindStrategy> = {}): KindRules {
  return {
    columns: [
      nameColumn,
      column("Created At", "Creation time.", ({ metadata }) => metadata.creationTimestamp ?? "", {
        type: "date",
      }),
    ],
    strategy: {
      validateName: names.nameIsDns1123Subdomain,
      generation: true,
      allowUnconditionalUpdate: false,
      allowCreateOnUpdate: false,
      ...more,
    },
  };
}
