import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import picocolors from "picocolors";
import { kindsOf } from "../../plane/definitions/kinds-of.js";
import type { Applied } from "../../plane/apply-manifests.js";
import { isWildcard, namesOfHost } from "../../server/http/auth/hosts.js";
import type { Config } from "../../plane/config/config.js";
import type { Terminal } from "../command/command.js";
import { quoted } from "../command/quoted.js";
import type { ModuleExports } from "../modules/found.js";
import { ownProgram } from "../templates/own-package.js";

/** Parts of a control plane that was started from modules. */
export interface StartedExports extends Pick<ModuleExports, "controllers" | "kinds"> {
  readonly schedules: readonly { readonly name: string }[];
  /** Includes the pipeline, plugins and sinks. */
  readonly subscriptions: readonly { readonly name: string }[];
  /** The first command of each operator. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}

export interface Running {
  readonly url: string;
  readonly kubeconfig: string;
  readonly config: Config;
  readonly found: StartedExports;
  readonly applied: readonly Applied[];
  /** Milliseconds. */
  readonly took: number;
}

/** Banner of `fettle up`: what runs where, and commands to paste into another terminal. */
export function banner(running: Running, terminal: Terminal): string {
  const { url, config, found, took } = running;
  const paint = picocolors.createColors(terminal.colors);
  const facts: (readonly [string, string])[] = [
    ["API", url],
    ...(isWildcard(config.listen.host)
      ? [["reachable", `from other machines, as ${reachableNames(config).join(", ")}`] as const]
      : []),
    [
      "data",
      config.store === "memory" ? "in memory, lost when it stops" : displayPath(config.data, terminal.cwd),
    ],
    ["kubeconfig", displayPath(running.kubeconfig, terminal.cwd)],
    [
      "controllers",
      found.controllers.map(({ name }) => name).join(", ") || "none (add some with: fettle up FILE.ts)",
    ],
    ...(found.schedules.length === 0
      ? []
      : [["schedules", found.schedules.map(({ name }) => name).join(", ")] as const]),
    ...(found.subscriptions.length === 0
      ? []
      : [["events to", found.subscriptions.map(({ name }) => name).join(", ")] as const]),
    ...(running.applied.length === 0 ? [] : [["applied", appliedText(running.applied)] as const]),
  ];
  const next = whatNext(running, terminal);
  return [
    `${paint.bold(`Fettle ${terminal.version}`)} is up ${paint.dim(`after ${Math.round(took)} ms`)}`,
    ...facts.map(([name, value]) => `  ${paint.cyan(name.padEnd(12))}${value}`),
    "",
    `Try in another terminal${next.folder}:`,
    ...next.lines.map((line) => `  ${paint.green(line)}`),
    "",
    paint.dim("Stop with Ctrl-C. Activity:"),
    "",
  ].join("\n");
}

/** Names for clients on other machines. */
function reachableNames({ listen: { hosts, host } }: Config): readonly string[] {
  return [...new Set([...hosts, ...namesOfHost(host)])].slice(0, 4);
}

function appliedText(applied: readonly Applied[]): string {
  const counts = (["created", "configured", "unchanged"] as const)
    .map((outcome) => [outcome, applied.filter((each) => each.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return counts.join(", ");
}

/** Path relative to the working directory, or absolute where that is shorter. */
export function displayPath(path: string, cwd: string): string {
  const here = relative(cwd, path) || ".";
  return here.startsWith("../..") ? path : here;
}

function whatNext(
  { kubeconfig, config, found, applied }: Running,
  { env, cwd }: Terminal,
): { readonly folder: string; readonly lines: readonly string[] } {
  const fettle = ownCommand(env, cwd);
  const where = displayPath(kubeconfig, cwd);
  // Commands use this kubeconfig by default, unless KUBECONFIG is set.
  const isFound = where === join(".fettle", "kubeconfig") && !env["KUBECONFIG"];
  const flag = isFound ? "" : ` --kubeconfig ${quoted(where)}`;
  const kinds = kindsOf(found.controllers, found.kinds);
  const plural = found.controllers[0]?.options.for.plural ?? kinds[0]?.plural ?? "namespaces";
  const first = applied.find(({ object }) =>
    found.controllers.some(({ options }) => options.for.kind === object.kind),
  )?.object;
  const named = first === undefined ? undefined : `${first.kind.toLowerCase()}/${first.metadata.name ?? ""}`;
  const inNamespace =
    first?.metadata.namespace === undefined || first.metadata.namespace === "default"
      ? ""
      : ` -n ${first.metadata.namespace}`;
  return {
    // Relative paths and npx work only in this folder.
    folder: where.startsWith("/") && !fettle.startsWith("n") ? "" : ", in this folder",
    lines: [
      `${fettle} get ${plural}${inNamespace}${flag}`,
      ...(named === undefined
        ? []
        : [`${fettle} tree ${named}${inNamespace}${flag}`, `${fettle} why ${named}${inNamespace}${flag}`]),
      ...found.commands.map(({ name }) => `${fettle} ${name}${inNamespace}${flag}`),
      ...(found.subscriptions.length === 0 ? [] : [`${fettle} subscriptions${flag}`]),
      // kubectl sends no token over plain HTTP.
      ...(config.listen.tls && isOnPath("kubectl", env)
        ? [`kubectl --kubeconfig ${quoted(where)} get ${plural}${inNamespace}`]
        : []),
    ],
  };
}

/** Command line that runs fettle in another terminal, which lacks the PATH entries that npm adds. */
function ownCommand(env: Terminal["env"], cwd: string): string {
  if (isOnPath("fettle", env)) return "fettle";
  if (env["npm_command"] === "exec" || existsSync(join(cwd, "node_modules", ".bin", "fettle"))) {
    return "npx fettle";
  }
  return `node ${quoted(displayPath(ownProgram(), cwd))}`;
}

function isOnPath(program: string, env: Terminal["env"]): boolean {
  const folders = (env["PATH"] ?? "").split(delimiter);
  return folders
    .filter((folder) => folder !== "" && !folder.endsWith(join("node_modules", ".bin")))
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
