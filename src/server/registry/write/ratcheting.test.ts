import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

/*
 * A kind before and after it learned what it wants: whoever already has what is wrong now may keep it. What is said here has been
 * seen of a kube-apiserver; `test/kubernetes/cases/ratcheting.txt` asks both.
 */
let api: TestApi;
/** In the version that takes everything. */
let loose: TestResource;
let strict: TestResource;
let name: string;
let count = 0;
let warnings: string[] = [];
const warn = (text: string): void => void warnings.push(text);

beforeAll(async () => {
  api = await testApi();
  const number = { type: "integer" };
  const list = (item: object): object => ({
    type: "array",
    maxItems: 9,
    items: { type: "object", properties: { n: { ...number, ...item } } },
  });
  const version = (level: object, step: object, status: object, more: object): object => ({
    spec: { type: "object", properties: { level: { ...number, ...level }, steps: list(step) }, ...more },
    status: { type: "object", properties: { level: { ...number, ...status } } },
  });
  const rule = { "x-kubernetes-validations": [{ rule: "self % 2 == 0", message: "is odd" }] };
  loose = await api.define("Valve", {
    versions: [
      { properties: version({}, {}, {}, {}) as never },
      {
        name: "v2",
        properties: version(rule, { maximum: 5 }, { minimum: 1 }, { required: ["steps"] }) as never,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.level", statusReplicasPath: ".status.level" },
        },
      },
    ],
  });
  strict = loose.at("v2");
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => {
  name = `v${count++}`;
  warnings = [];
});

const odd = 'spec.level: Invalid value: "integer": is odd';

test("warns about a violated rule when its value did not change", async () => {
  await loose.make(name, { spec: { level: 3, steps: [] } });
  const labels = { metadata: { labels: { a: "b" } } };
  await strict.patch(name, "merge", labels, { warn });
  await strict.patch(name, "merge", labels, { warn, dryRun: true });
  await strict.update(await strict.get(name), { warn });
  await strict.patch(name, "merge", { status: { level: 2 } }, { warn, subresource: "status" });
  await strict.apply(name, "me", { spec: { steps: [{ n: 1 }] } }, { warn, force: true });
  expect(warnings).toEqual([odd, odd, odd, odd, odd]);
  await strict.patch(name, "merge", { spec: { level: 4 } }, { warn });
  await strict.patch(name, "merge", { metadata: { labels: { a: "c" } } }, { warn });
  expect(warnings).toHaveLength(5);
});

test("warns about it also when the write is refused for another reason", async () => {
  await loose.make(name, { spec: { level: 3, steps: [] } });
  expect(await refusal(strict.patch(name, "merge", { spec: { steps: [{ n: 6 }] } }, { warn }))).toMatch(
    /steps\[0\]\.n: Invalid value: 6: /,
  );
  expect(warnings).toEqual([odd]);
});

test("treats items of lists without keys as new, even after a write that left them unchanged", async () => {
  await loose.make(name, { spec: { steps: [{ n: 9 }] } });
  await strict.patch(name, "merge", { spec: { level: 2 } }, { warn });
  const add = [{ op: "add", path: "/spec/steps/-", value: { n: 1 } }];
  expect(await refusal(strict.patch(name, "json", add))).toMatch(
    /spec\.steps\[0\]\.n: Invalid value: 9: spec\.steps\[0\]\.n in body should be less than or equal to 5$/,
  );
  expect(warnings).toEqual([]);
});

test("a status update validates only the status", async () => {
  await loose.make(name, { spec: { level: -2 } });
  const write = (level: number): Promise<unknown> =>
    strict.patch(name, "merge", { status: { level } }, { subresource: "status" });
  await write(1);
  expect(await refusal(write(0))).toMatch(
    /is invalid: status\.level: Invalid value: 0: level in body should be greater than or equal to 1$/,
  );
  expect(await refusal(strict.patch(name, "merge", { spec: { level: -4 } }))).toMatch(
    /spec\.steps: Required value.*\.spec\.level: Invalid value: -4: should be a non-negative integer/,
  );
});
