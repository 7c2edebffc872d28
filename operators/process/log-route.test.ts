import { isNotFound } from "fettle";
import { systemClock } from "fettle/model";
import { fakeClient } from "fettle/testing";
import type { ExtensionRequest } from "fettle/server";
import { expect, test } from "vitest";
import { collect, launchOf, recordOf } from "./driver/contract.js";
import { memoryDriver } from "./driver/memory/memory-driver.js";
import { Process } from "./kinds.js";
import { logRoute } from "./log-route.js";

/** Log route of a control plane with one process, which ran once and wrote a line. */
async function route(): Promise<(path: string, query?: object) => Promise<string | undefined>> {
  const client = await fakeClient({ kinds: [Process] });
  const driver = memoryDriver({
    clock: systemClock,
    programs: { server: (process) => process.print("hello") },
  });
  const { metadata } = await client.create(Process, {
    metadata: { name: "web" },
    spec: { command: ["server"] },
  });
  await driver.start(metadata.uid ?? "", 1, launchOf(["server"]), recordOf());
  const extension = logRoute({ driver, client, checkRead: async () => {} });
  return async (path, query = {}) => {
    const request = {
      method: "GET",
      path,
      parameter: (name: string) => (query as Record<string, string>)[name],
      user: { name: "someone", groups: [] },
      signal: AbortSignal.timeout(5000),
    };
    const response = await extension.serve(request as unknown as ExtensionRequest);
    if (response === undefined || !("stream" in response)) return undefined;
    return Buffer.concat((await collect(response.stream)).map((each) => Buffer.from(each))).toString();
  };
}

test("the log of a process is served", async () => {
  const get = await route();
  expect(await get("logs/default/web")).toMatch(/ stdout F hello\n$/);
});

test.each(["..", ".", "a\0b", "%zz", "%2e%2e", "x".repeat(5000)])(
  "the name %j is that of no process",
  async (name) => {
    const get = await route();
    await expect(get(`logs/default/${name}`)).rejects.toSatisfy(isNotFound);
    await expect(get(`logs/${name}/web`)).rejects.toSatisfy(isNotFound);
  },
);

test.each(["", "logs", "logs/default", "logs/default/web/x", "other/default/web"])(
  "the path %j is not served",
  async (path) => {
    const get = await route();
    expect(await get(path)).toBeUndefined();
  },
);

test("a request that cannot be answered fails before the response begins", async () => {
  const get = await route();
  const refusal = (query: object): Promise<unknown> =>
    get("logs/default/web", query).catch((error: unknown) => String(error));
  expect(await refusal({ previous: "true" })).toContain("process web has no previous attempt");
  expect(await refusal({ tail: "" })).toContain("whole number");
  expect(await refusal({ tail: "0.5" })).toContain("whole number");
  expect(await refusal({ since: "1e400" })).toContain("whole number");
});
