import { ProxyConfig } from "../kinds/proxy.js";

type JsonSchema = Readonly<Record<string, unknown>>;

const { spec, status } = ProxyConfig.schema.properties ?? {};
const { listen, routes, ...others } = spec?.properties ?? {};
const { items: route } = routes ?? {};

/** Schema of the documents of configurations: that of the kind, with the shorter forms that are accepted as well. */
export const configSchema: JsonSchema = plain({
  type: "object",
  description: "Configuration of the proxy",
  properties: {
    id: { type: "string", description: "Name of the configuration", examples: ["shop"] },
    ...others,
    listen: { anyOf: [{ type: "integer", description: "Port without TLS" }, listen] },
    routes: {
      ...routes,
      items: {
        ...route,
        properties: {
          ...route?.properties,
          rateLimit: {
            anyOf: [
              { type: "integer", description: "Requests per second" },
              route?.properties?.["rateLimit"],
            ],
          },
        },
      },
    },
    priority: {
      anyOf: [{ enum: ["critical", "high", "normal", "low"] }, { type: "integer" }],
      description: "Decides when a change is applied, by the strategies of the control plane",
    },
    type: { type: "string", description: "Type of the last change, such as security_update" },
    status: { ...status, readOnly: true },
  },
});

/** Schema of the health of a backend. */
export const healthSchema: JsonSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    status: { enum: ["healthy", "degraded", "unhealthy", "unknown"] },
    healthy: { type: "integer", description: "Healthy targets" },
    total: { type: "integer" },
    targets: {
      type: "array",
      items: {
        type: "object",
        properties: {
          host: { type: "string" },
          port: { type: "integer" },
          addresses: { type: "array", items: { type: "string" } },
          health: { type: "string" },
          reason: { type: "string" },
          since: { type: "string" },
        },
      },
    },
    lastChange: { type: ["string", "null"] },
  },
};

/** A schema without the extensions of Kubernetes, which readers of OpenAPI do not know. */
function plain(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key.startsWith("x-kubernetes") ? undefined : value)),
  ) as JsonSchema;
}
