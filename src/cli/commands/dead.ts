import { formatAge } from "../../model/core.js";
import type { DeadList } from "../../plane/management/contract.js";
import { connectionOptions, UsageError, type Command, type OptionValues, type Terminal } from "../command.js";
import { connect } from "../connect.js";
import { managementClient, type ManagementClient } from "../management-client.js";
import { cellText, columns } from "../output/columns.js";
import { controllersNamed, keyFor, targetWords } from "../understand/target-words.js";
import { valueFormatOf, valueOption, valueText } from "../understand/value-output.js";

export const command: Command = {
  arguments: "[action] [object] [name]",
  description:
    "Shows what was given up: objects that failed for good or too often, which nothing but a change of theirs brings back. With retry, tries one of them again, all of a kind, or all there are.",
  options: [
    ...connectionOptions,
    { flags: "--all", summary: "retry everything that was given up" },
    valueOption,
  ],
  examples: [
    ["fettle dead", "what was given up, and why"],
    ["fettle dead retry site/hello", "try this one again"],
    ["fettle dead retry site", "try all sites again that were given up"],
    ["fettle dead retry --all", "try everything again"],
  ],
  run: dead,
};

async function dead(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const [action = "list", ...target] = words;
  if (action !== "list" && action !== "retry") {
    throw new UsageError(`${JSON.stringify(action)} is neither list nor retry`);
  }
  const all = options["all"] === true;
  if (action === "list" && (all || target.length > 0))
    throw new UsageError("fettle dead list shows all of them");
  if (action === "retry" && all === target.length > 0) {
    throw new UsageError("say what to try again: KIND/NAME, KIND, or --all for everything");
  }
  const format = valueFormatOf(options);
  await using server = await connect(options, terminal);
  const plane = managementClient(server, terminal.signal);
  if (action === "list") {
    const list = await plane.dead();
    terminal.stdout.write(format === undefined ? deadText(list) : await valueText(list, format));
    return;
  }
  if (all) return await retryAll(plane, terminal);
  const { kind, name } = targetWords(target);
  const meant = await controllersNamed(
    kind,
    (await plane.controllers()).controllers,
    server,
    terminal.signal,
  );
  const { letters } = await plane.dead();
  for (const controller of meant) {
    const key = name === undefined ? undefined : keyFor(controller, name, server.namespace);
    const title = key === undefined ? controller.kind : `${controller.kind} ${key}`;
    const isDead = letters.some(
      (each) => each.controller === controller.name && (key === undefined || each.key === key),
    );
    if (!isDead) {
      if (key !== undefined)
        throw new Error(`${title} was not given up; fettle retry ${kind}/${name} tries it again anyway`);
      terminal.stdout.write(`no ${title} was given up\n`);
      continue;
    }
    const { count } = await plane.instruct(controller.name, "retry", { key });
    terminal.stdout.write(
      key === undefined ? `${count} of ${title} will be tried again\n` : `${title} will be tried again\n`,
    );
  }
}

async function retryAll(plane: ManagementClient, { stdout }: Terminal): Promise<void> {
  let total = 0;
  for (const { name, queue } of (await plane.controllers()).controllers) {
    if (queue.dead === 0) continue;
    const { count } = await plane.instruct(name, "retry", {});
    total += count;
    stdout.write(`${count} of controller ${name} will be tried again\n`);
  }
  if (total === 0) stdout.write("nothing was given up\n");
}

function deadText({ letters }: DeadList): string {
  if (letters.length === 0) return "nothing was given up\n";
  const rows = letters.map(({ kind, key, controller, failures, at, reason }) => [
    `${kind} ${key}`,
    controller,
    String(failures),
    formatAge(Date.now() - at),
    cellText(reason),
  ]);
  return columns([["OBJECT", "CONTROLLER", "FAILURES", "SINCE", "WHY"], ...rows]);
}
