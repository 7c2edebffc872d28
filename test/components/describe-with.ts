/* oxlint-disable vitest/expect-expect, vitest/no-conditional-tests, vitest/no-disabled-tests,
   vitest/valid-describe-callback, vitest/valid-title -- this file makes suites and is none */
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Component, Need } from "./component.js";
import { MissingToolchain, Unavailable } from "./machine/program.js";

/**
 * A suite that needs a component. The component is installed when it is missing, started before the first test and
 * stopped after the last one; `get()` gives the running one inside tests and hooks.
 *
 * If the component is unavailable, the suite is skipped with a message on standard error; under CI it fails instead, so
 * that a green build has tested everything. Only what another language's toolchain would have to build is skipped there
 * too.
 *
 * @example describeWith("the etcd store", etcd, (get) => {
 *   test("is reached over HTTP", async () => {
 *     expect((await fetch(`${get().url}/version`)).status).toBe(200);
 *   });
 * });
 *
 * @example A tool that is not started, and a component with options. describeWith("kubectl", kubectl, () => { … });
 * describeWith("crash", redis.with({ args: ["--appendonly", "yes"] }), (get) => { … });
 */
export function describeWith<Running extends AsyncDisposable, Options>(
  name: string,
  component: Component<Running, Options>,
  body: (get: () => Running) => void | Promise<void>,
): void;
export function describeWith(name: string, need: Need, body: () => void | Promise<void>): void;
export function describeWith<Running extends AsyncDisposable>(
  name: string,
  need: Need & Partial<Pick<Component<Running>, "start">>,
  body: (get: () => Running) => void | Promise<void>,
): void {
  describe(name, async () => {
    let running: Running | undefined;
    const get = (): Running => {
      if (running !== undefined) return running;
      throw new Error(`${need.name} runs only during the tests and hooks of "${name}"`);
    };
    const missing = await absence(need);
    if (missing !== undefined && underCi() && !(missing instanceof MissingToolchain)) {
      test(`needs ${need.name}`, () => {
        throw missing;
      });
      return;
    }
    if (missing !== undefined) {
      process.stderr.write(`\nSKIPPED "${name}" needs ${need.name}: ${missing.message}\n\n`);
      describe.skip(`needs ${need.name}`, () => body(get));
      return;
    }
    if (need.start !== undefined) {
      beforeAll(async () => {
        running = await need.start?.();
      });
      afterAll(async () => {
        await running?.[Symbol.asyncDispose]();
        running = undefined;
      });
    }
    await body(get);
  });
}

/** Reason why a component is unavailable; other errors are thrown. */
async function absence(need: Need): Promise<Unavailable | undefined> {
  try {
    await need.obtain();
    return undefined;
  } catch (error) {
    if (error instanceof Unavailable) return error;
    throw error;
  }
}

function underCi(): boolean {
  return !["", "0", "false"].includes(process.env["CI"] ?? "");
}
