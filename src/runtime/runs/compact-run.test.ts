import { expect, test } from "vitest";
import { changesOf } from "../../plane/management/redact.js";
import { compactRun } from "./compact-run.js";
import { kindOf, objectOf, runOf, writeOf } from "./fixtures/sample-run.js";
import type { Run } from "./run.js";

/** As it is read back from disk. */
function stored(run: Run): Run {
  return JSON.parse(JSON.stringify(compactRun(run))) as Run;
}

const page = kindOf("Page");

test("keeps the differences of a write and drops what did not change", () => {
  const before = objectOf("Page", "a", "1", {
    spec: {
      html: "old",
      lang: "en",
      big: "x".repeat(10_000),
      tags: ["a", "b"],
      nested: { keep: 1, drop: 2 },
    },
    status: { conditions: [{ type: "Ready", status: "False" }], seen: 1 },
  });
  const after = objectOf("Page", "a", "2", {
    spec: { html: "new", lang: "en", big: "x".repeat(10_000), tags: ["a", "c"], nested: { keep: 1, add: 3 } },
    status: { conditions: [{ type: "Ready", status: "True" }], seen: 1 },
  });
  const [write] = stored(runOf({ writes: [writeOf({ kind: page, name: "a", before, after })] })).writes;
  expect(changesOf(write?.before, write?.after, false)).toEqual(changesOf(before, after, false));
  expect(write?.after).toEqual({
    apiVersion: "demo.dev/v1",
    kind: "Page",
    metadata: { name: "a", namespace: "default", resourceVersion: "2" },
    spec: { html: "new", tags: ["a", "c"], nested: { add: 3 } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
});

test("keeps a created object without the server's bookkeeping", () => {
  const after = objectOf("Page", "a", "2", { spec: { html: "new" } });
  const full = {
    ...after,
    metadata: { ...after.metadata, labels: { tier: "1" }, generation: 1, managedFields: [] },
  };
  const [write] = stored(runOf({ writes: [writeOf({ kind: page, name: "a", after: full })] })).writes;
  expect(write?.before).toBeUndefined();
  expect(write?.after).toEqual({
    ...after,
    metadata: { name: "a", namespace: "default", resourceVersion: "2", labels: { tier: "1" } },
  });
});

test("stores which entries of a Secret changed, not their contents", () => {
  const secret = (version: string, data: object) => ({
    ...objectOf("Secret", "login", version, { data }),
    apiVersion: "v1",
  });
  const before = secret("1", { user: "cm9vdA==", password: "b2xk" });
  const after = secret("2", { user: "cm9vdA==", password: "bmV3", extra: "eA==" });
  const kind = kindOf("Secret", "v1");
  const writes = [
    writeOf({ kind, name: "login", before, after }),
    writeOf({ kind, name: "login", verb: "patch", after, sent: { data: { password: "bmV3" } } }),
    writeOf({ kind, name: "login", verb: "create", after }),
    writeOf({ kind, name: "login", verb: "delete", before, after }),
  ];
  const run = stored(runOf({ writes }));
  expect(JSON.stringify(run)).not.toMatch(/cm9vdA|b2xk|bmV3|eA==/);
  expect(changesOf(run.writes[0]?.before, run.writes[0]?.after, false)).toEqual(
    changesOf(before, after, false),
  );
  expect(run.writes[1]?.sent).toMatchObject({ data: { password: "[hidden]" } });
});

test("stores a kind without its schema, and names that are special in JavaScript", () => {
  const before = objectOf("Page", "a", "1", {
    spec: JSON.parse('{"__proto__":1,"constructor":2}') as object,
  });
  const after = objectOf("Page", "a", "2", { spec: {} });
  const kind = { ...page, versions: [{ schema: "large" }] };
  const [write] = stored(runOf({ writes: [writeOf({ kind, name: "a", before, after })] })).writes;
  expect(write?.kind).toEqual(page);
  expect(JSON.stringify(write?.before)).toContain('"spec":{"__proto__":1,"constructor":2}');
  expect(write?.after).toMatchObject({ spec: {} });
});

test("survives objects that are nested deeply", () => {
  const deep = (leaf: number): object => {
    let value: object = { leaf };
    for (let depth = 0; depth < 1000; depth++) value = { value };
    return value;
  };
  const before = objectOf("Page", "a", "1", { spec: deep(1) });
  const after = objectOf("Page", "a", "2", { spec: deep(2) });
  const [write] = stored(runOf({ writes: [writeOf({ kind: page, name: "a", before, after })] })).writes;
  expect(write?.after).toEqual({
    ...after,
    metadata: { name: "a", namespace: "default", resourceVersion: "2" },
  });
});
