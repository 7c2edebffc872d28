import { readFileSync } from "node:fs";
import type { Scenario } from "./scenario.js";
import { parseStep, type Step } from "./step.js";

/**
 * Scenarios recorded from Kubernetes' field manager for the tests of apply, as requests about gadgets. Omits those about
 * several versions or the status subresource, which `cases/` covers.
 */
export function recordedScenarios(): readonly Scenario[] {
  const file = new URL("../../src/model/apply/fixtures/recorded.txt", import.meta.url);
  const blocks = readFileSync(file, "utf8").trim().replaceAll("Widget", "Gadget").split("\n\n");
  return blocks.flatMap((block) => {
    const [title = "", ...lines] = block.split("\n");
    const requests = lines.filter((line) => !line.startsWith(" "));
    if (requests.some((line) => !/^(apply|update) \S+ (force )?\{/.test(line))) return [];
    const steps = requests.flatMap((line, index) => requestsOf(line, index === 0));
    return [{ theme: "recorded", title: title.slice(2), steps }];
  });
}

function requestsOf(line: string, first: boolean): Step[] {
  const start = line.indexOf("{");
  const [command = "", who = "", force] = line.slice(0, start).trim().split(" ");
  const body = JSON.parse(line.slice(start)) as { readonly metadata?: object };
  const manager = who === "-" ? "" : `?fieldManager=${who}`;
  const write = (method: string, target: string, metadata: object): Step =>
    parseStep(
      `${method} ${target} ${JSON.stringify({ ...body, metadata: { name: "g", ...body.metadata, ...metadata } })}`,
    );
  if (command === "apply")
    return [write("PATCH", `gadgets/g${manager}${force ? "&force=true" : ""} apply`, {})];
  if (first) return [write("POST", `gadgets${manager}`, {})];
  return [
    parseStep("live = GET gadgets/g"),
    write("PUT", `gadgets/g${manager}`, { resourceVersion: "$live.rv" }),
  ];
}
