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
    "List dead letters: objects whose retries are used up or that failed permanently. They are not reconciled until they change or are retried. With retry: retry one object, all of a kind, or all.",
  options: [...connectionOptions, { flags: "--all", summary: "retry all dead letters" }, valueOption],
  examples: [
    ["fettle dead", "list dead letters with reasons"],
    ["fettle dead retry site/hello", "retry one object"],
    ["fettle dead retry site", "retry all sites"],
    ["fettle dead retry --all", "retry all"],
  ],
  run: dead,
};

async function dead(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const [action = "list", ...target] = words;
  if (action !== "list" && action !== "retry") {
    throw new UsageError(`unknown action ${JSON.stringify(action)}; use list or retry`);
  }
  const all = options["all"] === true;
  if (action === "list" && (all || target.length > 0))
    throw new UsageError("fettle dead list takes no arguments");
  if (action === "retry" && all === target.length > 0) {
    throw new UsageError("missing object: KIND/NAME, KIND, or --all");
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
        throw new Error(`${title} is not a dead letter; to retry it anyway: fettle retry ${kind}/${name}`);
      terminal.stdout.write(`no dead letters of kind ${title}\n`);
      continue;
    }
    const { count } = await plane.instruct(controller.name, "retry", { key });
    terminal.stdout.write(
      key === undefined ? `${count} ${title} objects will be retried\n` : `${title} will be retried\n`,
    );
  }
}

async function retryAll(plane: ManagementClient, { stdout }: Terminal): Promise<void> {
  let total = 0;
  for (const { name, queue } of (await plane.controllers()).controllers) {
    if (queue.dead === 0) continue;
    const { count } = await plane.instruct(name, "retry", {});
    total += count;
    stdout.write(`${count} objects of controller ${name} will be retried\n`);
  }
  if (total === 0) stdout.write("no dead letters\n");
}

function deadText({ letters }: DeadList): string {
  if (letters.length === 0) return "no dead letters\n";
  const rows = letters.map(({ kind, key, controller, failures, at, reason }) => [
    `${kind} ${key}`,
    controller,
    String(failures),
    formatAge(Date.now() - at),
    cellText(reason),
  ]);
  return columns([["OBJECT", "CONTROLLER", "FAILURES", "AGE", "REASON"], ...rows]);
}
