import type { CommandEntry } from "fettle/cli";

/** Commands that the operator adds to `fettle`. */
export const commands: readonly CommandEntry[] = [
  { name: "ps", summary: "list processes", load: async () => (await import("./ps.js")).command },
  {
    name: "logs",
    summary: "print the output of processes",
    load: async () => (await import("./logs.js")).command,
  },
  {
    name: "start",
    summary: "start stopped processes",
    load: async () => (await import("./control.js")).start,
  },
  { name: "stop", summary: "stop processes", load: async () => (await import("./control.js")).stop },
  { name: "restart", summary: "restart processes", load: async () => (await import("./control.js")).restart },
  {
    name: "reload",
    summary: "let processes read their configuration again",
    load: async () => (await import("./control.js")).reload,
  },
  {
    name: "import",
    summary: "convert a Procfile or a compose file to processes",
    load: async () => (await import("./import.js")).command,
  },
];
