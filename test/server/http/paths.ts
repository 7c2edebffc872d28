/** Paths used by several tests. */
export const configMaps = "/api/v1/namespaces/default/configmaps";
export const widgets = "/apis/demo.dev/v1/namespaces/default/widgets";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const protobuf = "application/vnd.kubernetes.protobuf";
export const asYaml = { "content-type": "application/yaml" };

export function configMap(name: string, data: Record<string, string> = {}, more: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}
