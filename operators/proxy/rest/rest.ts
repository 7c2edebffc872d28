import { restResource } from "fettle";
import type { RestResource } from "fettle/plane";
import type { BackendHealth } from "../backends/health-view.js";
import { Backend, ProxyConfig, type BackendObject } from "../kinds/proxy.js";
import { fromConfigDocument, toConfigDocument, toConfigField } from "./config-document.js";
import { configSchema, healthSchema } from "./document-schemas.js";

/** Paths of the REST API: `/config` and `/backends`. */
export function proxyRest(
  health: (backend: BackendObject) => Promise<BackendHealth>,
): readonly RestResource[] {
  return [
    restResource({
      path: "config",
      kind: ProxyConfig,
      description: "Configurations of the proxy",
      toResource: toConfigDocument,
      toObject: fromConfigDocument,
      toField: toConfigField,
      schema: configSchema,
    }),
    restResource({
      path: "backends",
      kind: Backend,
      description: "Servers that requests are passed to",
      views: {
        health: {
          description: "Health of a backend and of each of its targets",
          get: (backend) => health(backend),
          schema: healthSchema,
        },
      },
    }),
  ];
}
