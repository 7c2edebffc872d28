/** Kind of the objects that the clients of a history write. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "registers.history.dev" },
  spec: {
    group: "history.dev",
    scope: "Namespaced",
    names: { plural: "registers", singular: "register", kind: "Register" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { data: { type: "object", additionalProperties: { type: "string" } } },
          },
        },
      },
    ],
  },
};

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const registersPath = "/apis/history.dev/v1/namespaces/default/registers";

/** Few names, so that writers get into each other's way. */
export const names = Array.from({ length: 8 }, (_, index) => `r${index}`);

/** Manifest of a register. */
export function manifest(name: string, side: string, data: object, resourceVersion?: number): object {
  return {
    apiVersion: "history.dev/v1",
    kind: "Register",
    metadata: {
      name,
      labels: { side },
      ...(resourceVersion !== undefined && { resourceVersion: String(resourceVersion) }),
    },
    data,
  };
}

/** Path of a list with its query. */
export function listPath(query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  return `${registersPath}?${parameters.toString()}`;
}
