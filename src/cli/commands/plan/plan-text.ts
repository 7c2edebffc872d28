import picocolors from "picocolors";
import { formatDuration, parseApiVersion } from "../../../model/core.js";
import { escapeText } from "../../../model/diff/yaml-text.js";
import type { ManifestPlan, PlanReport } from "../../../plane/management/contract.js";
import type { PlacedManifest } from "../../manifests/placed-manifests.js";
import { problemsIn } from "../../manifests/refusal.js";
import { address, indented, objectDiff } from "../../output/object-diff.js";

type Colors = ReturnType<typeof picocolors.createColors>;

/** Formats the plans of manifests; `manifests` are those that the plans are for, in the same order. */
export function planText(
  plans: readonly ManifestPlan[],
  manifests: readonly Pick<PlacedManifest, "place">[],
  colors: boolean,
): string {
  const paint = picocolors.createColors(colors);
  const blocks = plans.map((plan, at) => [
    objectText(plan, manifests[at]?.place, paint, colors),
    ...plan.controllers.map((run) => controllerText(run, paint, colors)),
  ]);
  return `${blocks.map((block) => block.join("\n")).join("\n\n")}\n\n${summary(plans)}\n`;
}

/** True if anything would change, in the API or outside. */
export function isChange({ object, controllers }: ManifestPlan): boolean {
  return (
    object.action !== "none" ||
    controllers.some(
      ({ changes, steps }) => changes.length > 0 || steps.some(({ outcome }) => outcome === "planned"),
    )
  );
}

/** True if the server or a controller would reject the manifest or fail. */
export function isProblem({ object, controllers }: ManifestPlan): boolean {
  return (
    object.problem !== undefined ||
    controllers.some(
      ({ changes, outcome }) =>
        changes.some(({ problem }) => problem !== undefined) ||
        outcome?.type === "fail" ||
        outcome?.type === "error",
    )
  );
}

function objectText(
  plan: ManifestPlan,
  place: PlacedManifest["place"] | undefined,
  paint: Colors,
  colors: boolean,
): string {
  const { object } = plan;
  const title = paint.bold(titleOf(plan));
  if (object.problem !== undefined) {
    const lines = problemsIn(object.problem, object.causes).map(({ field, message }) =>
      place === undefined ? message : `${place(field)}: ${message}`,
    );
    return `${paint.red("!")} ${title}: ${paint.red(linesOf(lines.join("\n"), "    "))}`;
  }
  const head = {
    create: `${paint.green("+")} ${title} would be created`,
    update: `${paint.yellow("~")} ${title} would be changed`,
    none: `  ${title} unchanged`,
  }[object.action];
  const diff = objectDiff(object.before, object.after, { colors, ignore: hidden });
  return diff === "" ? head : `${head}\n${indented(diff, "    ")}`;
}

/** Fields that the lines above show already. */
const hidden = [...address, "status"];

function controllerText(run: PlanReport, paint: Colors, colors: boolean): string {
  const head = `  then controller ${paint.bold(run.controller)}`;
  if (run.problem !== undefined) return `${head} cannot be planned: ${escapeText(run.problem)}`;
  const lines: string[] = [];
  for (const change of run.changes) {
    const { action, problem, before, after } = change;
    const sign = { create: paint.green("+"), update: paint.yellow("~"), delete: paint.red("-") }[action];
    const done = { create: "created", update: "changed", delete: "deleted" }[action];
    lines.push(`    ${sign} ${paint.bold(titleOf(change))} would be ${done}`);
    if (problem !== undefined)
      lines.push(`        ${paint.red(`rejected by the server: ${linesOf(problem, "          ")}`)}`);
    const diff =
      action === "delete"
        ? ""
        : objectDiff(before, after, { colors, ignore: [...hidden, "metadata.ownerReferences"] });
    if (diff !== "") lines.push(indented(diff, "        "));
  }
  for (const { name, outcome, error, detail } of run.steps) {
    const text =
      outcome === "planned"
        ? `○ step ${paint.bold(escapeText(name))} would run`
        : outcome === "skipped"
          ? paint.dim(`– step ${escapeText(name)} would be skipped`)
          : `${paint.red("✗")} step ${escapeText(name)}: ${escapeText(error ?? outcome)}`;
    lines.push(`    ${text}`);
    if (detail !== undefined && detail !== "") lines.push(detailText(detail, paint));
  }
  const nothing = lines.length === 0 ? " changes nothing" : ":";
  return [`${head}${nothing}`, ...lines, `    → ${outcomeText(run, paint)}`].join("\n");
}

/** Detail of a step, with the colours of a diff. */
function detailText(detail: string, paint: Colors): string {
  const painted = detail.split("\n").map((line) => {
    const text = escapeText(line);
    if (line.startsWith("+")) return paint.green(text);
    return line.startsWith("-") ? paint.red(text) : text;
  });
  return indented(painted.join("\n"), "        ");
}

function outcomeText({ outcome }: PlanReport, paint: Colors): string {
  switch (outcome?.type) {
    case "requeue":
      return `${paint.green("done")}, next run in ${formatDuration(outcome.after)}${outcome.reason === "" ? "" : `: ${escapeText(outcome.reason)}`}`;
    case "wait":
      return paint.yellow(`would wait: ${reasonText(outcome)}`);
    case "fail":
      return paint.red(`would fail permanently: ${reasonText(outcome)}`);
    case "error":
      return paint.red(`would fail and be retried: ${reasonText(outcome)}`);
    case "cancelled":
      return paint.yellow(`cancelled: ${escapeText(outcome.message)}`);
    default:
      return paint.green("done");
  }
}

function reasonText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return escapeText(message === "" ? reason : `${reason}: ${message}`);
}

/** Indents all lines of a message but the first. */
function linesOf(text: string, indent: string): string {
  const [first = "", ...more] = text.split("\n").map((line) => escapeText(line.trim()));
  return [first, ...more.map((line) => `${indent}${line}`)].join("\n");
}

function titleOf(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  const { apiVersion, kind, namespace, name } = object;
  const group = parseApiVersion(apiVersion)?.group ?? "";
  const where = namespace === "" || namespace === "default" ? "" : `${namespace}/`;
  return escapeText(`${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${where}${name}`);
}

function summary(plans: readonly ManifestPlan[]): string {
  const actions = plans.flatMap(({ object, controllers }) => [
    object.problem === undefined ? object.action : "problem",
    ...controllers.flatMap(({ changes }) => changes.map(({ action }) => action)),
  ]);
  const count = (action: string): number => actions.filter((each) => each === action).length;
  const steps = plans.flatMap(({ controllers }) => controllers.flatMap(({ steps }) => steps));
  const planned = steps.filter(({ outcome }) => outcome === "planned").length;
  const problems = count("problem");
  return [
    `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete`,
    `${planned} ${planned === 1 ? "step" : "steps"} to run`,
    ...(problems > 0 ? [`${problems} rejected`] : []),
  ].join("; ");
}
