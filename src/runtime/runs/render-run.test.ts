import { expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "./fixtures/sample-run.js";
import { renderRun } from "./render-run.js";

const start = Date.UTC(2026, 0, 1, 12, 30);

test("renders triggers, timing, steps, writes and outcome", () => {
  const run = runOf({
    generation: 3,
    startedAt: start,
    wait: 3,
    duration: 117,
    triggers: [
      { type: "updated", version: "13", at: start - 3.25 },
      { type: "child", text: "updated", by: "Page default/hello-1", version: "15", at: start - 1 },
      { type: "requeue", text: "check the certificate", at: start - 43_200_000, due: start },
    ],
    steps: [
      { name: "certificate", startedAt: start, duration: 0, attempts: 0, outcome: "skipped" },
      { name: "publish", startedAt: start, duration: 80, attempts: 2, outcome: "done" },
    ],
    writes: [
      writeOf({
        kind: kindOf("Page"),
        name: "hello-1",
        before: objectOf("Page", "hello-1", "15", { spec: { html: "<h1>drift</h1>", lang: "en" } }),
        after: objectOf("Page", "hello-1", "16", { spec: { html: "<h1>Hello</h1>", lang: "en" } }),
      }),
      writeOf({ kind: kindOf("Page"), name: "hello-2", verb: "delete" }),
      writeOf({
        kind: kindOf("Site"),
        name: "hello",
        verb: "patch",
        subresource: "status",
        before: objectOf("Site", "hello", "13", { status: { published: 2 } }),
        after: objectOf("Site", "hello", "17", { status: { published: 1 } }),
      }),
    ],
    outcome: { type: "requeue", after: 43_200_000, reason: "check the certificate" },
    traceId: "0af7651916cd43dd8448eb211c80319c",
  });
  expect(renderRun(run)).toBe(
    `
Site default/hello · 2026-01-01 12:30:00.000Z · sites.demo.dev
  because  it was changed (3ms earlier)
           Page default/hello-1 was updated (1ms earlier)
           it requested another run: check the certificate
  timing   waited 3ms for a worker, took 117ms, generation 3
  steps    – certificate (nothing to do)
           ✓ publish (80ms, 2 attempts)
  wrote    changed Page default/hello-1
               spec:
             -   html: "<h1>drift</h1>"
             +   html: "<h1>Hello</h1>"
                 lang: en
           deleted Page default/hello-2
           changed Site default/hello (status)
               status:
             -   published: 2
             +   published: 1
  outcome  done, again in 12h: check the certificate
  run      4f1c2a9e · trace 0af7651916cd43dd8448eb211c80319c
`.trim(),
  );
});

test("renders durations below a millisecond as <1ms", () => {
  const triggers = [{ type: "manual" as const, text: "look at it", at: start }];
  const text = renderRun(runOf({ startedAt: start, wait: 0, duration: 0, triggers, droppedTriggers: 1 }));
  expect(text).toContain(
    "because  it was requested: look at it\n           and 1 earlier reason not recorded\n",
  );
  expect(text).toContain("timing   started at once, took <1ms, generation 1\n");
  expect(renderRun(runOf({ duration: 61_234 }))).toContain("took 1m1s,");
});

test("renders failed steps, failed writes and the error", () => {
  const run = runOf({
    startedAt: start,
    duration: 10_000,
    failures: 2,
    timedOut: true,
    droppedTriggers: 4,
    triggers: [{ type: "retry", text: "StepFailed: the gateway was down", at: start - 20, due: start }],
    steps: [
      {
        name: "upload",
        startedAt: start,
        duration: 12,
        attempts: 1,
        outcome: "done",
        undo: { ok: false, error: "no space left" },
      },
      {
        name: "publish",
        startedAt: start,
        duration: 9988,
        attempts: 4,
        outcome: "failed",
        error: "the gateway did not answer",
      },
    ],
    writes: [writeOf({ kind: kindOf("Page"), name: "hello-1", error: "pages is forbidden" })],
    outcome: { type: "error", reason: "StepFailed", message: 'step "publish" failed\u001B[2J' },
  });
  expect(renderRun(run)).toBe(
    `
Site default/hello · 2026-01-01 12:30:00.000Z · sites.demo.dev
  because  the last run failed: StepFailed: the gateway was down
           and 4 earlier reasons not recorded
  timing   started at once, took 10s, cancelled by its timeout, generation 1, after 2 failures in a row
  steps    ✓ upload (12ms, could not be undone: no space left)
           ✗ publish (9.988s, 4 attempts): the gateway did not answer
  wrote    apply Page default/hello-1 failed: pages is forbidden
  outcome  failed: StepFailed: step "publish" failed\\u001b[2J; it will be retried
  run      4f1c2a9e
`.trim(),
  );
});

test("shows which entries of a Secret changed, not their contents", () => {
  const secret = (version: string, data: Record<string, string>) => ({
    ...objectOf("Secret", "login", version),
    apiVersion: "v1",
    data,
  });
  const run = runOf({
    writes: [
      writeOf({
        kind: kindOf("Secret", "v1"),
        name: "login",
        before: secret("1", { user: "cm9vdA==", password: "b2xk" }),
        after: secret("2", { user: "cm9vdA==", password: "bmV3", extra: "eA==" }),
      }),
    ],
  });
  const text = renderRun(run);
  expect(text).not.toMatch(/cm9vdA|b2xk|bmV3|eA==/);
  expect(text).toContain('+   password: "[hidden] changed"');
  expect(text).toContain('+   extra: "[hidden]"');
});

test("shows what was sent when the object before the write is not known", () => {
  const map = objectOf("ConfigMap", "map", "2", { data: { a: "2", b: "1" } });
  const password = { ...objectOf("Secret", "login", "2"), data: { password: "bmV3" } };
  const write = { kind: kindOf("ConfigMap", "v1"), name: "map", after: map };
  const text = renderRun(
    runOf({
      writes: [
        writeOf({ ...write, verb: "patch", sent: { metadata: { name: "map" }, data: { a: "2" } } }),
        writeOf({ ...write, verb: "patch", sent: [{ op: "remove", path: "/data/c" }] }),
        writeOf({ ...write, verb: "apply", sent: { data: { a: "2" } } }),
        writeOf({
          kind: kindOf("Secret", "v1"),
          name: "login",
          after: password,
          sent: { data: password.data },
        }),
        writeOf({ kind: kindOf("Secret", "v1"), name: "login", after: password, sent: [{ value: "bmV3" }] }),
      ],
    }),
  );
  expect(text).toContain(
    `
  wrote    changed ConfigMap default/map (previous state unknown; this was sent)
             data:
               a: "2"
           changed ConfigMap default/map (previous state unknown; this was sent)
             - op: remove
               path: /data/c
           applied ConfigMap default/map (previous state unknown; this was sent)
             data:
               a: "2"
           applied Secret default/login (previous state unknown; this was sent)
             data:
               password: "[hidden]"
           applied Secret default/login (previous state unknown; this was sent)
             "[hidden]"
`,
  );
});

test("shows the number of dropped writes before the last one", () => {
  const writes = ["a", "b", "c"].map((name) => writeOf({ kind: kindOf("Page"), name, verb: "delete" }));
  expect(renderRun(runOf({ writes, droppedWrites: 52 }))).toContain(
    `
  wrote    deleted Page default/a
           deleted Page default/b
           and 52 writes not recorded
           deleted Page default/c
`,
  );
});

test("adds colours only on request", () => {
  expect(renderRun(runOf(), { colors: true })).toContain("\u001B[32mdone\u001B[39m");
  expect(renderRun(runOf())).not.toContain("\u001B");
});
