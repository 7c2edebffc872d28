import { resource } from "fettle";
import { z } from "zod";

const workload = z.object({ image: z.string(), replicas: z.int().min(1) });

const phases = ["Pending", "Provisioning", "Running", "Failed", "Terminating"] as const;

/** A customer with a namespace of its own, which has Redis, a server and network policies. */
export const Tenant = resource("neurallog.io/v1", "Tenant", {
  scope: "Cluster",
  spec: z.object({
    displayName: z.string(),
    redis: workload.default({ image: "redis:7", replicas: 1 }),
    server: workload.default({ image: "neurallog/server:1", replicas: 1 }),
  }),
  status: z.object({
    phase: z.enum(phases),
    namespace: z.string(),
    redisStatus: z.string(),
    serverStatus: z.string(),
    message: z.string(),
  }),
  columns: [
    { name: "Phase", path: ".status.phase" },
    { name: "Namespace", path: ".status.namespace" },
    { name: "Redis", path: ".status.redisStatus" },
    { name: "Server", path: ".status.serverStatus" },
  ],
});
