import { describe, expect, test } from "vitest";
import { createLog, type LogOptions } from "./create-log.js";
import { lazyChild, silent, type Log } from "./log.js";
import { withoutSecrets } from "./secrets.js";

function collect(options: Omit<LogOptions, "destination"> = {}): {
  readonly log: Log;
  readonly lines: string[];
} {
  const lines: string[] = [];
  const log = createLog({ ...options, destination: { write: (line: string) => void lines.push(line) } });
  return { log, lines };
}

const parse = (line: string | undefined): unknown => JSON.parse(line ?? "");

describe("the log", () => {
  test("writes lines of JSON with what they are about", () => {
    const { log, lines } = collect();
    log.debug({}, "not this one");
    const run = log.child({ controller: "sites.demo.dev", object: "Site default/hello", run: "4f1c" });
    run.warn(
      { reason: "StepFailed", err: new Error("no answer", { cause: new Error("refused") }) },
      "failed",
    );
    expect(lines).toHaveLength(1);
    expect(parse(lines[0])).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      controller: "sites.demo.dev",
      object: "Site default/hello",
      run: "4f1c",
      reason: "StepFailed",
      err: {
        type: "Error",
        message: "no answer",
        stack: expect.stringContaining("create-log.test") as string,
        cause: { type: "Error", message: "refused" },
      },
      msg: "failed",
    });
  });

  test("writes lines for people", () => {
    const { log, lines } = collect({ pretty: true });
    log.info(
      { controller: "sites.demo.dev", object: "Site default/hello", count: 3, text: "a\u001B[2Jb" },
      "found",
    );
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}sites\.demo\.dev Site default\/hello: found count=3 text=a\\u001b\[2Jb\n$/,
    );
    log.error({ err: new Error("no answer", { cause: "refused" }) }, "failed");
    expect(lines[1]).toMatch(/error failed\n {4}Error: no answer\n[^]*because: refused\n$/);
  });

  test("refuses a level that there is not", () => {
    expect(() => createLog({ level: "loud" as never })).toThrow(
      "unknown log level loud: use one of debug, info, warn, error",
    );
  });

  test("hides secrets, also in children and errors", () => {
    const { log, lines } = collect();
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "login",
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"data":"hunter2"}' },
      },
      data: { user: "hunter2" },
      stringData: { password: "hunter2" },
    };
    log.child({ token: "hunter2" }).info({ secret, list: [{ clientSecret: "hunter2" }] }, "seen");
    const error = Object.assign(new Error("refused"), { request: { headers: { authorization: "hunter2" } } });
    log.error({ err: error, headers: { Authorization: "Bearer hunter2" } }, "failed");
    expect(lines.join("")).not.toContain("hunter2");
    expect(lines[0]).toContain("login");
  });
});

test("what hides nothing is not copied", () => {
  const plain = { a: [{ b: "c" }], secretName: "login", tokens: 3, at: new Date(0), err: new Error("x") };
  expect(withoutSecrets(plain)).toBe(plain);
});

describe("a child that may never say anything", () => {
  test("is made by its first line, and once", () => {
    const made: unknown[] = [];
    const said: string[] = [];
    const log: Log = {
      ...silent,
      isLevelEnabled: (level) => level !== "debug",
      child(fields) {
        made.push(fields);
        return { ...silent, warn: (_, text) => void said.push(text), child: () => silent };
      },
    };
    const child = lazyChild(log, () => ({ run: "4f1c" }));
    child.debug({}, "reconciled");
    expect(made).toEqual([]);
    child.warn({}, "one");
    child.warn({}, "two");
    expect(made).toEqual([{ run: "4f1c" }]);
    expect(said).toEqual(["one", "two"]);
  });

  test("is nothing where nothing is said", () => {
    expect(lazyChild(silent, () => ({}))).toBe(silent);
  });
});
