import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, kubectl, kubernetes } from "../components/index.js";
import { Both, type Outcome } from "./both.js";
import { advertisedAddress, type Comparable } from "./comparable.js";
import { differencesBetween, showDifference } from "./difference.js";
import { themes } from "./differences.js";
import { kubectlSession } from "./kubectl-session.js";
import { readRuleCases, recordResponses, ruleFiles, runCase } from "./rule-cases.js";
import { recordedScenarios } from "./recorded.js";
import { readScenarios } from "./scenario.js";
import { publishedTypes } from "./published-types.js";
import { parseStep } from "./step.js";

/*
 * Sends the same requests to Fettle and to a real kube-apiserver and compares the responses. The cases are in `cases/`;
 * differences on purpose are in differences.ts.
 */
const comparedServer = kubernetes.with({
  args: [
    // Snapshots in the watch cache would serve compacted history.
    "--feature-gates=ListFromCacheSnapshot=false",
    // Publishes its endpoints, which must not have a loopback address.
    "--endpoint-reconciler-type=master-count",
    `--advertise-address=${advertisedAddress}`,
  ],
});

const knownDifferences = themes.flatMap((theme) => theme.differences);

describeWith("compared with Kubernetes", comparedServer, (get) => {
  let both: Both;
  const met = new Set<(typeof knownDifferences)[number]>();

  beforeAll(async () => {
    both = await Both.start(get());
  });

  afterAll(async () => {
    await both[Symbol.asyncDispose]();
  });

  /** Differences that are not listed, as text. */
  function surprising({ step, answers, differences }: Outcome): readonly string[] {
    const left = differences.filter((difference) => {
      const reasons = knownDifferences.filter(({ covers }) => covers({ ...difference, step, answers }));
      for (const reason of reasons) met.add(reason);
      return reasons.length === 0;
    });
    return left.length === 0 ? [] : [[step.line, ...left.map(showDifference)].join("\n")];
  }

  for (const { theme, title, steps } of [...readScenarios(), ...recordedScenarios()]) {
    test(`${theme}: ${title}`, async () => {
      const surprises = (await both.run(steps)).flatMap(surprising);
      expect(surprises, surprises.join("\n")).toHaveLength(0);
    });
  }

  test.each(ruleFiles())("rules of built-in kinds: Kubernetes responds as recorded in %s", async (file) => {
    const cases = readRuleCases(file);
    const responses: (readonly string[])[] = [];
    for (const each of cases) {
      const [, theirs] = await both.sides();
      responses.push(...(await runCase(each, theirs)));
    }
    if (process.env["FETTLE_RECORD"]) recordResponses(file, responses);
    else expect(responses).toEqual(cases.flatMap(({ steps }) => steps.map(({ recorded }) => recorded)));
  });

  test("OpenAPI documents of all groups publish the same types", async () => {
    const [index] = await both.run([parseStep("GET /openapi/v3")]);
    const body = index?.answers[0].body as { readonly paths: Readonly<Record<string, unknown>> } | undefined;
    const documents = Object.keys(body?.paths ?? {});
    expect(documents.length).toBeGreaterThan(15);
    const outcomes = await both.run(documents.map((path) => parseStep(`GET /openapi/v3/${path}`)));
    const surprises = outcomes.flatMap(({ step, answers }) => {
      const [ours, theirs] = answers.map(({ body }) => publishedTypes(body));
      const names = Object.keys(ours ?? {});
      expect(names, step.path).not.toEqual([]);
      const differences = names.flatMap((name) => differencesBetween(ours?.[name], theirs?.[name], name));
      return surprising({ step, answers, differences });
    });
    expect(surprises, surprises.join("\n")).toHaveLength(0);
  });

  describeWith("with kubectl", kubectl, () => {
    test("a session of kubectl has the same output", async () => {
      const tool = await kubectl.obtain();
      const [ours, theirs] = await Promise.all(both.kubeconfigs.map((path) => kubectlSession(tool, path)));
      const answer = (body: unknown): Comparable => ({ code: 200, headers: {}, body });
      const surprises = surprising({
        step: parseStep("GET /kubectl"),
        answers: [answer(ours), answer(theirs)],
        differences: differencesBetween(ours, theirs),
      });
      expect(surprises, surprises.join("\n")).toHaveLength(0);
    });
  });

  test("every listed difference comes up in some case", () => {
    expect(knownDifferences.filter((difference) => !met.has(difference)).map(({ why }) => why)).toEqual([]);
  });

  test("the server reports no internal errors", () => {
    expect(both.errors).toEqual([]);
  });
});
