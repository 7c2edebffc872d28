import type { ForeignKind } from "fettle";
import type { Api, ResourceType } from "fettle/server";
import { resourceTypesOf } from "../src/server/custom-resources/resource-types-of.js";

/**
 * Has an API serve kinds of Kubernetes' own that Fettle has no use for by itself, such as Deployments: stored and watched
 * like all others, with nobody who runs pods for them and no schema to check them by.
 */
export function serveForeign(api: Api, kinds: readonly ForeignKind[]): void {
  const { types } = api.registry;
  const missing = kinds.filter(({ apiVersion, kind }) => types.ofKind(apiVersion, kind) === undefined);
  types.set("foreign", missing.flatMap(typesOf));
}

function typesOf({ apiVersion, kind, plural, scope }: ForeignKind): readonly ResourceType[] {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const names = { kind, plural };
  const established = { type: "Established", status: "True", reason: "", message: "" } as const;
  const [type] = resourceTypesOf(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names,
        scope,
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            subresources: { status: {} },
          },
        ],
      },
      status: { acceptedNames: names, conditions: [{ ...established, lastTransitionTime: "" }] },
    },
    { schemaRevision: 0 },
  );
  // No definition can have the core group, which is written without a slash.
  const storage = { prefix: `/${group || "core"}/${plural}/`, apiVersion };
  return type === undefined ? [] : [{ ...type, storage: { ...type.storage, ...storage } }];
}
