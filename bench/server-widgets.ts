const filler = "x".repeat(600);
export const collection = "/apis/demo.dev/v1/namespaces/default/widgets";

/** Name of an object; the order of names differs from the order of indexes. */
export function nameOf(index: number): string {
  return `widget-${((index * 2654435761) % 2 ** 32).toString(16).padStart(8, "0")}`;
}

/** JSON of an object that has about a kilobyte once the server has added its fields. */
export function widget(name: string): string {
  return JSON.stringify({
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name, labels: { app: "bench" } },
    spec: { color: "red", size: filler },
  });
}

const properties = {
  spec: { type: "object", properties: { color: { type: "string" }, size: { type: "string" } } },
  status: { type: "object", properties: { seen: { type: "integer" } } },
};

export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.demo.dev" },
  spec: {
    group: "demo.dev",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties } },
      },
    ],
  },
};
