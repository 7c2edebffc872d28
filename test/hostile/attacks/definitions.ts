import { definitions } from "../../server/http/paths.js";
import type { Attacker } from "../attack.js";

/** Creates a namespaced kind of the group `hostile.dev`, with a schema for its spec. */
export async function defineKind(attacker: Attacker, plural: string, spec: object): Promise<void> {
  const singular = plural.slice(0, -1);
  const { code, message } = await attacker.ask("POST", definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.hostile.dev` },
    spec: {
      group: "hostile.dev",
      scope: "Namespaced",
      names: { plural, singular, kind: `${singular[0]?.toUpperCase()}${singular.slice(1)}` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
  if (code !== 201) throw new Error(`the kind ${plural} could not be defined: ${message}`);
}

/** Object of a kind that {@link defineKind} created. */
export function objectOf(plural: string, name: string, spec: object, metadata: object = {}): object {
  const singular = plural.slice(0, -1);
  const kind = `${singular[0]?.toUpperCase()}${singular.slice(1)}`;
  return { apiVersion: "hostile.dev/v1", kind, metadata: { name, ...metadata }, spec };
}

export function pathOf(plural: string, name?: string, namespace = "default"): string {
  const collection = `/apis/hostile.dev/v1/namespaces/${namespace}/${plural}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** A spec with any fields. */
export const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
