import type { CommandGroup } from "../command/command.js";

/** All commands in the groups of `fettle --help`. The module of a command is loaded when the command is called. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Run",
    commands: [
      { name: "up", summary: "start a control plane", load: async () => (await import("./up.js")).command },
      {
        name: "run",
        summary: "run controllers against Kubernetes or another control plane",
        load: async () => (await import("./run.js")).command,
      },
      {
        name: "config",
        summary: "show the effective configuration and the source of each value",
        load: async () => (await import("./config.js")).command,
      },
    ],
  },
  {
    title: "Objects",
    commands: [
      {
        name: "get",
        summary: "list objects, or show some by name",
        load: async () => (await import("./get.js")).command,
      },
      {
        name: "describe",
        summary: "show objects in detail",
        load: async () => (await import("./describe.js")).command,
      },
      {
        name: "apply",
        summary: "create or update objects from manifests",
        load: async () => (await import("./apply.js")).command,
      },
      {
        name: "create",
        summary: "create objects from manifests",
        load: async () => (await import("./create.js")).command,
      },
      {
        name: "patch",
        summary: "change some fields of an object",
        load: async () => (await import("./patch.js")).command,
      },
      {
        name: "label",
        summary: "set or remove labels",
        load: async () => (await import("./label.js")).label,
      },
      {
        name: "annotate",
        summary: "set or remove annotations",
        load: async () => (await import("./label.js")).annotate,
      },
      { name: "delete", summary: "delete objects", load: async () => (await import("./delete.js")).command },
      {
        name: "edit",
        summary: "edit an object in your editor",
        load: async () => (await import("./edit.js")).command,
      },
      {
        name: "watch",
        summary: "show changes of objects as they happen",
        load: async () => (await import("./watch.js")).command,
      },
      { name: "events", summary: "show events", load: async () => (await import("./events.js")).command },
      {
        name: "wait",
        summary: "wait until objects reach a state",
        load: async () => (await import("./wait.js")).command,
      },
      {
        name: "explain",
        summary: "show the fields of a kind",
        load: async () => (await import("./explain.js")).command,
      },
      {
        name: "api-resources",
        summary: "list the kinds that the server serves",
        load: async () => (await import("./api-resources.js")).command,
      },
    ],
  },
  {
    title: "Inspect",
    commands: [
      {
        name: "tree",
        summary: "show an object and everything it owns",
        load: async () => (await import("./tree.js")).command,
      },
      {
        name: "why",
        summary: "show why an object was reconciled, and the result",
        load: async () => (await import("./why.js")).command,
      },
      {
        name: "logs",
        summary: "say where to look instead of container logs",
        replaceable: true,
        load: async () => (await import("./logs.js")).command,
      },
      {
        name: "exec",
        summary: "run a command where an operator runs programs",
        replaceable: true,
        load: async () => (await import("./exec.js")).command,
      },
      {
        name: "plan",
        summary: "preview an apply: changed objects, controller writes, steps",
        load: async () => (await import("./plan.js")).command,
      },
      {
        name: "diff",
        summary: "preview an apply: changed objects only",
        load: async () => (await import("./diff.js")).command,
      },
      {
        name: "history",
        summary: "list the versions of an object",
        load: async () => (await import("./history.js")).command,
      },
      {
        name: "rollback",
        summary: "restore an earlier spec of an object",
        load: async () => (await import("./rollback.js")).command,
      },
      {
        name: "top",
        summary: "show queues, rates, latencies and memory",
        load: async () => (await import("./top.js")).command,
      },
      {
        name: "health",
        summary: "run the health checks of the control plane",
        load: async () => (await import("./health.js")).command,
      },
      {
        name: "findings",
        summary: "show which controllers loop, and which writers fight over a field",
        load: async () => (await import("./findings.js")).command,
      },
      {
        name: "alerts",
        summary: "list alerts of performance thresholds",
        load: async () => (await import("./alerts.js")).command,
      },
      {
        name: "debug",
        summary: "inspect store changes, stored data, runs, CPU and memory usage",
        load: async () => (await import("./debug.js")).command,
      },
    ],
  },
  {
    title: "Operate",
    commands: [
      {
        name: "pause",
        summary: "stop reconciling an object or a kind",
        load: async () => (await import("./queue.js")).pause,
      },
      {
        name: "resume",
        summary: "resume reconciling",
        load: async () => (await import("./queue.js")).resume,
      },
      {
        name: "enqueue",
        summary: "reconcile an object, a kind or everything, now or later",
        load: async () => (await import("./queue.js")).enqueue,
      },
      {
        name: "retry",
        summary: "retry a failed object",
        load: async () => (await import("./queue.js")).retry,
      },
      {
        name: "queue",
        summary: "list queued objects: retries, delays, dead letters",
        load: async () => (await import("./queued.js")).command,
      },
      {
        name: "breakers",
        summary: "list or reset circuit breakers",
        load: async () => (await import("./breakers.js")).command,
      },
      {
        name: "dead",
        summary: "list or retry dead letters",
        load: async () => (await import("./dead.js")).command,
      },
      {
        name: "subscriptions",
        summary: "list subscriptions to events, and the events they could not handle",
        load: async () => (await import("./subscriptions.js")).command,
      },
      {
        name: "peers",
        summary: "list the planes whose objects are pulled, with lag and conflicts",
        load: async () => (await import("./peers.js")).command,
      },
      {
        name: "backup",
        summary: "save all objects to a file",
        load: async () => (await import("./backup.js")).command,
      },
      {
        name: "restore",
        summary: "create a data folder from a backup",
        load: async () => (await import("./restore.js")).command,
      },
      {
        name: "verify",
        summary: "check a data folder for damage",
        load: async () => (await import("./verify.js")).command,
      },
      {
        name: "salvage",
        summary: "write what a damaged data folder still proves to a new one",
        load: async () => (await import("./salvage.js")).command,
      },
    ],
  },
  {
    title: "Build",
    commands: [
      { name: "init", summary: "create a project", load: async () => (await import("./init.js")).command },
      {
        name: "add",
        summary: "add a kind to a project",
        load: async () => (await import("./add.js")).command,
      },
      {
        name: "generate",
        summary: "generate manifests for Kubernetes, or systemd units",
        load: async () => (await import("./generate.js")).command,
      },
      {
        name: "completion",
        summary: "print a shell completion script",
        load: async () => (await import("./completion.js")).command,
      },
      {
        name: "version",
        summary: "print versions of this command and the server",
        load: async () => (await import("./version.js")).command,
      },
    ],
  },
];
