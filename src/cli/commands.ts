import type { Command } from "./command.js";

export interface CommandEntry {
  readonly name: string;
  /** A line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** All commands, in groups as the help shows them. A module is loaded when its command is asked for, and not before. */
export const commandGroups: readonly {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}[] = [
  {
    title: "Run",
    commands: [
      { name: "up", summary: "start the control plane", load: () => import("./commands/up.js") },
      {
        name: "run",
        summary: "run controllers against a cluster or another Fettle",
        load: () => import("./commands/run.js"),
      },
      {
        name: "config",
        summary: "show the effective configuration and where it comes from",
        load: () => import("./commands/config.js"),
      },
    ],
  },
  {
    title: "Objects",
    commands: [
      { name: "get", summary: "show objects", load: () => import("./commands/get.js") },
      { name: "describe", summary: "show all about an object", load: () => import("./commands/describe.js") },
      { name: "apply", summary: "make objects as manifests say", load: () => import("./commands/apply.js") },
      { name: "delete", summary: "delete objects", load: () => import("./commands/delete.js") },
      { name: "edit", summary: "change an object in an editor", load: () => import("./commands/edit.js") },
      { name: "watch", summary: "follow the changes of objects", load: () => import("./commands/watch.js") },
      { name: "events", summary: "show what happened", load: () => import("./commands/events.js") },
      {
        name: "wait",
        summary: "wait until objects are as they should be",
        load: () => import("./commands/wait.js"),
      },
      { name: "explain", summary: "show the fields of a kind", load: () => import("./commands/explain.js") },
    ],
  },
  {
    title: "Understand",
    commands: [
      { name: "tree", summary: "show an object with all it owns", load: () => import("./commands/tree.js") },
      {
        name: "why",
        summary: "show why an object was reconciled, and what came of it",
        load: () => import("./commands/why.js"),
      },
      {
        name: "plan",
        summary: "show what applying manifests would change, inside and outside",
        load: () => import("./commands/plan.js"),
      },
      {
        name: "diff",
        summary: "show what applying manifests would change of the objects themselves",
        load: () => import("./commands/diff.js"),
      },
      {
        name: "history",
        summary: "show the versions of an object",
        load: () => import("./commands/history.js"),
      },
      {
        name: "rollback",
        summary: "return to an old spec of an object",
        load: () => import("./commands/rollback.js"),
      },
      {
        name: "top",
        summary: "show queues, rates, latencies and memory",
        load: () => import("./commands/top.js"),
      },
      {
        name: "debug",
        summary: "look inside: events, state, traces, profiles",
        load: () => import("./commands/debug.js"),
      },
    ],
  },
  {
    title: "Operate",
    commands: [
      {
        name: "pause",
        summary: "begin no runs of an object or a controller",
        load: () => import("./commands/pause.js"),
      },
      { name: "resume", summary: "begin runs again", load: () => import("./commands/resume.js") },
      {
        name: "enqueue",
        summary: "look at an object now, and say why",
        load: () => import("./commands/enqueue.js"),
      },
      {
        name: "retry",
        summary: "try an object again that failed",
        load: () => import("./commands/retry.js"),
      },
      { name: "dead", summary: "show or retry what was given up", load: () => import("./commands/dead.js") },
      { name: "backup", summary: "save all data while running", load: () => import("./commands/backup.js") },
      {
        name: "restore",
        summary: "make a data folder from a backup",
        load: () => import("./commands/restore.js"),
      },
    ],
  },
  {
    title: "Build",
    commands: [
      { name: "init", summary: "start a project", load: () => import("./commands/init.js") },
      { name: "add", summary: "add a kind to a project", load: () => import("./commands/add.js") },
      {
        name: "generate",
        summary: "make manifests for Kubernetes",
        load: () => import("./commands/generate.js"),
      },
      {
        name: "completion",
        summary: "make the shell complete fettle's commands",
        load: () => import("./commands/completion.js"),
      },
    ],
  },
];
