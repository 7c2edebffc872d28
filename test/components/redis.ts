import { component } from "./component.js";
import { exchange } from "./process/probe.js";

/**
 * Redis with its defaults, which keep data in memory and sometimes write a snapshot. A suite that kills it and needs
 * all acknowledged writes starts it with `{ args: ["--appendonly", "yes", "--appendfsync", "always"] }`.
 */
export const redis = component({
  name: "redis",
  program: { name: "redis-server", package: "redis-server" },
  ports: ["client"],
  args: ({ dir, ports }) => ["--bind", "127.0.0.1", "--port", `${ports.client}`, "--dir", dir],
  async ready({ ports }) {
    try {
      return (await exchange(ports.client, "PING\r\n")) === "+PONG\r\n";
    } catch {
      return false;
    }
  },
  expose: ({ ports }) => ({ url: `redis://127.0.0.1:${ports.client}` }),
});
