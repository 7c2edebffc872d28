import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Comparable } from "./comparable.js";
import type { Side } from "./side.js";
import { parseStep, type Step } from "./step.js";

/** A request about an object of a built-in kind, and what kube-apiserver was seen to respond. */
interface RuleStep {
  readonly step: Step;
  readonly recorded: readonly string[];
}

/** Requests that follow each other in a namespace of their own. */
export interface RuleCase {
  readonly title: string;
  readonly steps: readonly RuleStep[];
}

const folder = new URL("./cases/rules/", import.meta.url);

/** Files with cases for the rules of built-in kinds. */
export function ruleFiles(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".txt"))
    .sort();
}

/**
 * Reads a file of cases. Blocks are separated by blank lines; each has a title after `#` and one request per line (see
 * step.ts), followed by the recorded response, each line after `>`. `let name text` in the first block defines an
 * abbreviation `$name`. With FETTLE_RECORD=1, comparison.test.ts records the responses anew.
 */
export function readRuleCases(file: string): readonly RuleCase[] {
  const [definitions = "", ...blocks] = readFileSync(new URL(file, folder), "utf8").trim().split(/\n\n+/);
  const abbreviations = definitions.split("\n").map((line): [name: string, text: string] => {
    const [, name = "", text = ""] = /^let (\w+) (.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`${file} begins with "let name text", not with: ${line}`);
    return [name, text];
  });
  // Later definitions may use earlier ones.
  const expand = (line: string): string =>
    abbreviations.reduceRight((text, [name, value]) => text.replaceAll(`$${name}`, () => value), line);
  return blocks.map((block) => {
    const [title = "", ...lines] = block.split("\n");
    const steps: { step: Step; recorded: string[] }[] = [];
    for (const line of lines) {
      if (line.startsWith("> ")) steps.at(-1)?.recorded.push(line.slice(2));
      else steps.push({ step: parseStep(expand(line)), recorded: [] });
    }
    return { title: title.slice(2), steps };
  });
}

/** Writes responses into a file of cases: one list of lines for each of its requests. */
export function recordResponses(file: string, responses: readonly (readonly string[])[]): void {
  const requests = responses.values();
  const url = new URL(file, folder);
  const lines = readFileSync(url, "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("> "))
    .flatMap((line) => {
      const recorded = /^[A-Z]+ /.test(line) ? (requests.next().value ?? []) : [];
      return [line].concat(recorded.map((text) => `> ${text}`));
    });
  writeFileSync(url, lines.join("\n"));
}

/** Runs the steps of a case on one server. Each response is summed up in lines. */
export async function runCase({ steps }: RuleCase, side: Side): Promise<readonly (readonly string[])[]> {
  const objects = new Map<string, Leaves>();
  const responses: (readonly string[])[] = [];
  for (const { step } of steps) {
    const answer = await side.run(step);
    responses.push(summary(step, answer, objects).map((line) => line.replaceAll(/\bn\d+\b/g, "$$ns")));
  }
  return responses;
}

type Leaves = ReadonlyMap<string, string>;

/** The code, then the causes of a failure or the fields that the response changed. */
function summary(step: Step, { code, body }: Comparable, objects: Map<string, Leaves>): string[] {
  if (code >= 300) return [String(code), ...causesIn(body)];
  const path = step.path.replace(/\?.*$/, "").replace(/\/status$/, "");
  const { metadata } = body as { readonly metadata: { readonly name: string } };
  const key = step.method === "POST" ? `${path}/${metadata.name}` : path;
  const before =
    step.method === "POST" ? leavesOf(JSON.parse(step.body ?? "{}")) : (objects.get(key) ?? new Map());
  const after = leavesOf(body);
  objects.set(key, after);
  const changed = [...after].filter(([field, value]) => before.get(field) !== value);
  const removed = [...before.keys()].filter((field) => !after.has(field));
  return [
    String(code),
    ...changed.map(([field, value]) => `${field} = ${value}`).sort(),
    ...removed.map((field) => `${field} removed`).sort(),
  ];
}

function causesIn(body: unknown): string[] {
  const { message = "", details } = body as {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
  };
  const causes = details?.causes?.map(({ field, message: text }) => `${field}: ${withoutGo(text)}`) ?? [
    message,
  ];
  // Kubernetes checks some fields twice, and the order in which it goes through maps is random.
  return [...new Set(causes)].sort();
}

/** A message without what Kubernetes prints of its Go structs: their fields, and differences between two of them. */
function withoutGo(message: string): string {
  return message.replace(/\n[^]*$/, "").replace(/(value: )\{.*\}(?=: |$)/, "$1{…}");
}

/** Fields that every server sets, and those that Fettle leaves to others on purpose (differences/workloads.ts). */
const ignored =
  /^(apiVersion|kind|rules)$|^metadata\.(uid|name|namespace|creationTimestamp|resourceVersion|managedFields|finalizers)\b|^metadata\.annotations\.deprecated\.daemonset|^status\.(lastPhaseTransitionTime|currentMetrics)$|^spec\.dataSource(Ref)?\.apiGroup$|^spec\.(tolerations|taints|priority$|preemptionPolicy)/;

/** Fields of a JSON value that contain no others, by path. */
function leavesOf(value: unknown, path = ""): Leaves {
  const leaves = new Map<string, string>();
  const visit = (inner: unknown, at: string): void => {
    if (ignored.test(at)) return;
    if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0) {
      leaves.set(at, JSON.stringify(inner));
    } else if (Array.isArray(inner))
      for (const [index, item] of inner.entries()) visit(item, `${at}[${index}]`);
    else for (const [name, item] of Object.entries(inner)) visit(item, at === "" ? name : `${at}.${name}`);
  };
  visit(value, path);
  return leaves;
}
