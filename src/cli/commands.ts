import type { Command } from "./command.js";

export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** All commands in the groups of `fettle --help`. The module of a command is loaded when the command is called. */
export const commandGroups: readonly {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}[] = [
  {
    title: "Run",
    commands: [
      { name: "up", summary: "start a control plane", load: () => import("./commands/up.js") },
      {
        name: "run",
        summary: "run controllers against Kubernetes or another control plane",
        load: () => import("./commands/run.js"),
      },
      {
        name: "config",
        summary: "show the effective configuration and the source of each value",
        load: () => import("./commands/config.js"),
      },
    ],
  },
  {
    title: "Objects",
    commands: [
      { name: "get", summary: "list objects, or show some by name", load: () => import("./commands/get.js") },
      { name: "describe", summary: "show objects in detail", load: () => import("./commands/describe.js") },
      {
        name: "apply",
        summary: "create or update objects from manifests",
        load: () => import("./commands/apply.js"),
      },
      { name: "delete", summary: "delete objects", load: () => import("./commands/delete.js") },
      { name: "edit", summary: "edit an object in your editor", load: () => import("./commands/edit.js") },
      {
        name: "watch",
        summary: "show changes of objects as they happen",
        load: () => import("./commands/watch.js"),
      },
      { name: "events", summary: "show events", load: () => import("./commands/events.js") },
      {
        name: "wait",
        summary: "wait until objects reach a state",
        load: () => import("./commands/wait.js"),
      },
      { name: "explain", summary: "show the fields of a kind", load: () => import("./commands/explain.js") },
    ],
  },
  {
    title: "Inspect",
    commands: [
      {
        name: "tree",
        summary: "show an object and everything it owns",
        load: () => import("./commands/tree.js"),
      },
      {
        name: "why",
        summary: "show why an object was reconciled, and the result",
        load: () => import("./commands/why.js"),
      },
      {
        name: "plan",
        summary: "preview an apply: changed objects, controller writes, steps",
        load: () => import("./commands/plan.js"),
      },
      {
        name: "diff",
        summary: "preview an apply: changed objects only",
        load: () => import("./commands/diff.js"),
      },
      {
        name: "history",
        summary: "list the versions of an object",
        load: () => import("./commands/history.js"),
      },
      {
        name: "rollback",
        summary: "restore an earlier spec of an object",
        load: () => import("./commands/rollback.js"),
      },
      {
        name: "top",
        summary: "show queues, rates, latencies and memory",
        load: () => import("./commands/top.js"),
      },
      {
        name: "debug",
        summary: "inspect store changes, stored data, runs and CPU usage",
        load: () => import("./commands/debug.js"),
      },
    ],
  },
  {
    title: "Operate",
    commands: [
      {
        name: "pause",
        summary: "stop reconciling an object or a kind",
        load: () => import("./commands/pause.js"),
      },
      { name: "resume", summary: "resume reconciling", load: () => import("./commands/resume.js") },
      {
        name: "enqueue",
        summary: "reconcile an object now or later",
        load: () => import("./commands/enqueue.js"),
      },
      {
        name: "retry",
        summary: "retry a failed object",
        load: () => import("./commands/retry.js"),
      },
      { name: "dead", summary: "list or retry dead letters", load: () => import("./commands/dead.js") },
      { name: "backup", summary: "save all objects to a file", load: () => import("./commands/backup.js") },
      {
        name: "restore",
        summary: "create a data folder from a backup",
        load: () => import("./commands/restore.js"),
      },
    ],
  },
  {
    title: "Build",
    commands: [
      { name: "init", summary: "create a project", load: () => import("./commands/init.js") },
      { name: "add", summary: "add a kind to a project", load: () => import("./commands/add.js") },
      {
        name: "generate",
        summary: "generate manifests for Kubernetes",
        load: () => import("./commands/generate.js"),
      },
      {
        name: "completion",
        summary: "print a shell completion script",
        load: () => import("./commands/completion.js"),
      },
    ],
  },
];
