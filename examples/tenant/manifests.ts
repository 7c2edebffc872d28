import type { ObjectOf } from "fettle";
import type { Tenant } from "./tenant.js";

type Spec = ObjectOf<typeof Tenant>["spec"];

const ports = { redis: 6379, server: 3030 };

const app = (name: string) => ({ app: name });

const pods = (
  name: keyof typeof ports,
  image: string,
  env: readonly { name: string; value: string }[] = [],
) => ({
  metadata: { labels: app(name) },
  spec: { containers: [{ name, image, env, ports: [{ containerPort: ports[name] }] }] },
});

export const redis = ({ redis: { image, replicas } }: Spec) => ({
  spec: {
    serviceName: "redis",
    replicas,
    selector: { matchLabels: app("redis") },
    template: pods("redis", image),
  },
});

export const server = ({ server: { image, replicas } }: Spec) => ({
  spec: {
    replicas,
    selector: { matchLabels: app("server") },
    template: pods("server", image, [{ name: "REDIS_URL", value: `redis://redis:${ports.redis}` }]),
  },
});

export const service = (name: keyof typeof ports) => ({
  spec: { selector: app(name), ports: [{ port: ports[name] }] },
});

/** Network policies: clients reach only the server, and only the server reaches Redis. */
export const policies = {
  "deny-all": { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
  "allow-server": {
    spec: { podSelector: { matchLabels: app("server") }, ingress: [{ ports: [{ port: ports.server }] }] },
  },
  "allow-redis": {
    spec: {
      podSelector: { matchLabels: app("redis") },
      ingress: [{ from: [{ podSelector: { matchLabels: app("server") } }], ports: [{ port: ports.redis }] }],
    },
  },
};
