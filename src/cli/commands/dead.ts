import picocolors from "picocolors";
import { formatAge } from "../../model/core.js";
import type { DeadList } from "../../plane/management/contract.js";
import { UsageError, type Command, type Terminal } from "../command/command.js";
import { connect } from "../server/connect.js";
import { type ManagementClient } from "../server/management-client.js";
import { cellText, columns, headerRow } from "../terminal/columns.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";
import { parseControllerArguments, requireControllers, queueKey } from "../objects/resolve-controllers.js";
import { connectionOptions } from "../command/options.js";

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
  async run(words, options, terminal) {
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
    const { plane } = server;
    if (action === "list") {
      const list = await plane.dead();
      return await printValue(terminal, format, list, () => deadText(list, terminal.colors));
    }
    if (all) return await retryAll(plane, terminal);
    const { kind, name } = parseControllerArguments(target);
    const controllers = await requireControllers(kind, server);
    const { letters } = await plane.dead();
    for (const controller of controllers) {
      const key = name === undefined ? undefined : queueKey(controller, name, server.namespace);
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
  },
};

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

function deadText({ letters }: DeadList, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  if (letters.length === 0) return "no dead letters\n";
  const rows = letters.map(({ kind, key, controller, failures, at, reason }) => [
    { text: cellText(`${kind} ${key}`), paint: paint.bold },
    controller,
    String(failures),
    new Date(at).toISOString().slice(0, 19) + "Z",
    formatAge(Date.now() - at),
    { text: cellText(reason), paint: paint.red },
  ]);
  const titles = ["OBJECT", "CONTROLLER", "FAILURES", "GIVEN UP", "AGE", "REASON"];
  return columns([headerRow(titles, paint), ...rows]);
}
