import { component } from "./component.js";
import { answersHttp } from "./process/probe.js";

/** etcd with one member. */
export const etcd = component({
  name: "etcd",
  program: { name: "etcd", package: "etcd-server" },
  ports: ["client", "peer"],
  args({ ports }) {
    const client = `http://127.0.0.1:${ports.client}`;
    const peer = `http://127.0.0.1:${ports.peer}`;
    return [
      "--data-dir=data",
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--logger=zap",
    ];
  },
  // Healthy means that it has a leader and can commit, not only that it listens.
  ready: ({ ports }) => answersHttp(`http://127.0.0.1:${ports.client}/health`),
  expose: ({ ports }) => ({ url: `http://127.0.0.1:${ports.client}` }),
});
