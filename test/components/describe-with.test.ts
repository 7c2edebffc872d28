import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { component, describeWith } from "./index.js";

const root = fileURLToPath(new URL("./fixtures", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs a suite whose component is unavailable. */
function runMissing(ci: string, fixture = "missing") {
  const { PATH = "" } = process.env;
  const args = [vitest, "run", `${fixture}.fixture.ts`, "--root", root, "--reporter", "json"];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    env: { PATH, CI: ci },
    encoding: "utf8",
  });
  const report: Report = JSON.parse(stdout);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { status, stderr, tests };
}

const absence = "fettle-no-such-program is not on this machine; put it on the PATH";

describe("a suite whose component is unavailable", () => {
  test.each(["", "false", "0"])("is skipped loudly with CI=%s", (ci) => {
    const { status, stderr, tests } = runMissing(ci);
    expect(status).toBe(0);
    expect(stderr).toContain(`SKIPPED "a suite" needs absent: ${absence}`);
    expect(tests.map(({ fullName, status }) => [fullName, status])).toEqual([
      ["a suite needs absent first", "skipped"],
      ["a suite needs absent second", "skipped"],
    ]);
  });

  test("fails with CI=true", () => {
    const { status, tests } = runMissing("true");
    expect(status).toBe(1);
    expect(tests).toMatchObject([{ fullName: "a suite needs absent", status: "failed" }]);
    expect(tests[0]?.failureMessages.join()).toContain(absence);
  });

  test.each(["", "true"])("for want of another language's toolchain is skipped loudly with CI=%s", (ci) => {
    const { status, stderr, tests } = runMissing(ci, "toolchain");
    expect(status).toBe(0);
    expect(stderr).toContain('SKIPPED "a suite" needs absent: absent is built with Go');
    expect(tests).toMatchObject([{ fullName: "a suite needs absent first", status: "skipped" }]);
  });
});

const counted = { started: 0, stopped: 0 };

/** Minimal component. */
const fake = {
  ...component({
    name: "fake",
    program: { name: "node" },
    ports: [],
    args: () => [],
    ready: async () => true,
    expose: () => ({}),
  }),
  async start() {
    counted.started++;
    return {
      async [Symbol.asyncDispose]() {
        counted.stopped++;
      },
    };
  },
  with: () => fake,
};

describeWith("a suite whose component is available", fake, (get) => {
  let inHook: unknown;
  let early: unknown;
  try {
    get();
  } catch (error) {
    early = error;
  }

  beforeAll(() => {
    inHook = get();
  });

  test("cannot use it while tests are collected", () => {
    expect(early).toMatchObject({
      message: 'fake runs only during the tests and hooks of "a suite whose component is available"',
    });
  });

  test("can use it in hooks and tests, started once", () => {
    expect(get()).toBe(inHook);
    expect(counted).toEqual({ started: 1, stopped: 0 });
  });
});

describeWith("a suite with two components", fake, (outer) => {
  describeWith("can use both", fake, (inner) => {
    test("gets a different one for each", () => {
      expect(inner()).not.toBe(outer());
      expect(counted).toEqual({ started: 3, stopped: 1 });
    });
  });
});

describe("after a suite", () => {
  test("all components are stopped", () => {
    expect(counted).toEqual({ started: 3, stopped: 3 });
  });
});
