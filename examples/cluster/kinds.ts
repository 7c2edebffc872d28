import { resource } from "fettle";
import { z } from "zod";

export const Cluster = resource("example.io/v1", "Cluster", {
  spec: z.object({ version: z.string(), nodes: z.array(z.string()).default([]) }),
  status: z.object({ up: z.int() }),
  columns: [
    { name: "Version", path: ".spec.version" },
    { name: "Up", path: ".status.up" },
  ],
});

/** One machine of a cluster, which determines its version. */
export const Node = resource("example.io/v1", "Node", {
  spec: z.object({ cluster: z.string() }),
  status: z.object({ version: z.string() }),
  columns: [
    { name: "Cluster", path: ".spec.cluster" },
    { name: "Version", path: ".status.version" },
  ],
});
