import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import { type Json, jsonEqual } from "../object/json.js";
import { renderDiff } from "./render.js";

const containers: Json = [
  {
    name: "web",
    image: "nginx:1.24",
    ports: [{ containerPort: 80 }],
    env: [
      { name: "MODE", value: "prod" },
      { name: "PORT", value: "80" },
      { name: "REGION", value: "eu" },
    ],
  },
  { name: "log", image: "fluent:2", args: ["--quiet"] },
];

const changedContainers: Json = [
  {
    name: "web",
    image: "nginx:1.25",
    ports: [{ containerPort: 80 }],
    env: [
      { name: "MODE", value: "prod" },
      { name: "PORT", value: "80" },
      { name: "LOG_LEVEL", value: "debug" },
      { name: "REGION", value: "eu" },
    ],
  },
  { name: "log", image: "fluent:2", args: ["--quiet"] },
  { name: "probe", image: "probe:1", command: ["sh", "-c", "true"] },
];

const deployment = deepFreeze({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    namespace: "default",
    resourceVersion: "41",
    labels: { app: "web", tier: "front", "app.kubernetes.io/part-of": "shop" },
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers,
      },
    },
  },
});

describe("a Deployment", () => {
  const changed = deepFreeze({
    ...deployment,
    metadata: {
      ...deployment.metadata,
      resourceVersion: "42",
      labels: { app: "web", "app.kubernetes.io/part-of": "shop" },
    },
    spec: {
      ...deployment.spec,
      replicas: 3,
      template: {
        ...deployment.spec.template,
        spec: {
          containers: changedContainers,
        },
      },
    },
  });
  const ignore = ["metadata.resourceVersion"];

  test("with a little context", () => {
    const text = renderDiff(deployment, changed, {
      color: false,
      context: 1,
      ignore,
      title: "Deployment default/web",
    });
    expect(text).toMatchInlineSnapshot(`
      "Deployment default/web
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
          namespace: default
          labels:
            app: web
      -     tier: front
            app.kubernetes.io/part-of: shop
        spec:
      -   replicas: 2
      +   replicas: 3
          selector: … 2 unchanged lines
          template:
            metadata: … 2 unchanged lines
            spec:
              containers:
                - name: web
      -           image: nginx:1.24
      +           image: nginx:1.25
                  ports:
                    - containerPort: 80
                  env:
                    - name: MODE … 1 more line
                    - name: PORT
                      value: "80"
      +             - name: LOG_LEVEL
      +               value: debug
                    - name: REGION
                      value: eu
                - name: log … 3 more lines
      +         - name: probe
      +           image: probe:1
      +           command:
      +             - sh
      +             - -c
      +             - "true""
    `);
  });

  test("without context", () => {
    expect(renderDiff(deployment, changed, { color: false, context: 0, ignore })).toMatchInlineSnapshot(`
      "  … 2 unchanged fields
        metadata:
          … 2 unchanged fields
          labels:
            app: web
      -     tier: front
            app.kubernetes.io/part-of: shop
        spec:
      -   replicas: 2
      +   replicas: 3
          selector: … 2 unchanged lines
          template:
            metadata: … 2 unchanged lines
            spec:
              containers:
                - name: web
      -           image: nginx:1.24
      +           image: nginx:1.25
                  ports: … 1 unchanged line
                  env:
                    … 2 unchanged items
      +             - name: LOG_LEVEL
      +               value: debug
                    - name: REGION … 1 more line
                - name: log … 3 more lines
      +         - name: probe
      +           image: probe:1
      +           command:
      +             - sh
      +             - -c
      +             - "true""
    `);
  });

  test("with full context", () => {
    const text = renderDiff(deployment, changed, { color: false, context: Infinity, ignore });
    const stays = text.split("\n").filter((line) => !line.startsWith("-"));
    const created = renderDiff(undefined, changed, { color: false, context: 0, ignore });
    expect(stays.map((line) => line.slice(2))).toEqual(created.split("\n").map((line) => line.slice(2)));
  });

  test("created and deleted", () => {
    const small = { kind: "Site", spec: { pages: 1, tags: [] } };
    expect(renderDiff(undefined, small, { color: false, context: 3 })).toMatchInlineSnapshot(`
      "+ kind: Site
      + spec:
      +   pages: 1
      +   tags: []"
    `);
    expect(renderDiff(small, undefined, { color: false, context: 3 })).toMatchInlineSnapshot(`
      "- kind: Site
      - spec:
      -   pages: 1
      -   tags: []"
    `);
  });
});

function plain(from: Json, to: Json, context = 1): string {
  return renderDiff(from, to, { color: false, context });
}

describe("details", () => {
  test("compares multi-line strings by line", () => {
    const from = "user nginx;\nworkers 1;\n\nevents {\n  connections 1024;\n}\n\nhttp {\n  timeout 65;\n}\n";
    const to = from.replace("workers 1", "workers auto").replace("65;\n}\n", "30;\n}");
    expect(plain({ "nginx.conf": from }, { "nginx.conf": to })).toMatchInlineSnapshot(`
      "- nginx.conf: |
      + nginx.conf: |-
          user nginx;
      -   workers 1;
      +   workers auto;

          … 4 unchanged lines
          http {
      -     timeout 65;
      +     timeout 30;
          }"
    `);
  });

  test("distinguishes types, empty values and null", () => {
    const from = { a: "1", b: "x", c: {}, d: null, e: "true", f: [], g: { h: 1 }, "i: j": "" };
    const to = { a: 1, b: { x: "y" }, c: [], e: true, f: [null], g: {}, "i: j": " " };
    expect(plain(from, to)).toMatchInlineSnapshot(`
      "- a: "1"
      + a: 1
      - b: x
      + b:
      +   x: "y"
      - c: {}
      + c: []
      - d: null
      - e: "true"
      + e: true
        f:
      +   - null
        g:
      -   h: 1
      - "i: j": ""
      + "i: j": " ""
    `);
  });

  test("identifies items by an unchanged field or their position", () => {
    const from: Json = { rules: [{ host: "a", to: ["x", "y"] }, { port: 1 }, [[1], 2]] };
    const to: Json = { rules: [{ host: "a", to: ["x", "z"] }, { port: 2 }, [[1, 3], 2]] };
    expect(plain(from, to)).toMatchInlineSnapshot(`
      "  rules:
          - host: a
            to:
              - x
      -       - "y"
      +       - z
          - # [1]
      -     port: 1
      +     port: 2
          - # [2]
            - # [0]
              - 1
      +       - 3
            - 2"
    `);
  });

  test("truncates long unchanged values but not changed ones", () => {
    const long = "x".repeat(200);
    expect(plain({ a: long, b: 1 }, { a: long, b: 2 }).split("\n")[0]).toBe(`  a: ${"x".repeat(117)}…`);
    expect(plain({ a: long }, { a: `${long}y` })).toContain(`+ a: ${long}y`);
  });

  test("uses colours", () => {
    const text = renderDiff(
      { a: 1, b: 1, c: 1, d: 1 },
      { a: 2, b: 1, c: 1, d: 1 },
      { color: true, context: 0, title: "t" },
    );
    expect(text.replaceAll("\u001b", "ESC")).toMatchInlineSnapshot(`
      "ESC[1mtESC[22m
      ESC[31m- a: 1ESC[39m
      ESC[32m+ a: 2ESC[39m
        ESC[2m… 3 unchanged fieldsESC[22m"
    `);
  });

  test.each<[string, string]>([
    ["\u001b[31mred", '"\\u001b[31mred"'],
    ["\u009b31m", '"\\u009b31m"'],
    ["\u202Eevil", '"\\u202eevil"'],
    ["a\r\nb", '"a\\r\\nb"'],
    ["a\n\u001b[2J", '"a\\n\\u001b[2J"'],
    ["\u{e0041}", '"\\U000e0041"'],
    ["\ud800", '"\\ud800"'],
    ["a: b", '"a: b"'],
    ["a #b", '"a #b"'],
    ["a:b#c", "a:b#c"],
    ["http://x.y/z?q=1", "http://x.y/z?q=1"],
    ["größe 5", "größe 5"],
    ["--flag=x", "--flag=x"],
    ["- x", '"- x"'],
    ["-", '"-"'],
    ["1.25", '"1.25"'],
    ["0x1F", '"0x1F"'],
    ["1e3", '"1e3"'],
    ["10.0.0.1", "10.0.0.1"],
    ["100m", "100m"],
    ["12:30", '"12:30"'],
    ["2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"'],
    ["Yes", '"Yes"'],
    ["*", '"*"'],
    ["end ", '"end "'],
  ])("renders %j as %s, as value and as name", (text, written) => {
    expect(plain({}, { a: text })).toBe(`+ a: ${written}`);
    expect(plain({}, { [text]: 1 })).toBe(`+ ${written}: 1`);
  });

  test("escapes control characters in the title", () => {
    expect(renderDiff(1, 2, { color: false, context: 0, title: "a\u001b[2Jb" })).toBe(
      "a\\u001b[2Jb\n- 1\n+ 2",
    );
  });

  test("handles nesting far deeper than the call stack", () => {
    const text = plain(nested(20_000, 1), nested(20_000, 2));
    expect(text).toContain("nested too deeply to show");
    expect(plain({ a: nested(20_000, 1), b: 1 }, { a: nested(20_000, 1), b: 2 })).toMatchInlineSnapshot(`
      "  a: … 20000 unchanged lines
      - b: 1
      + b: 2"
    `);
  });
});

test("is empty exactly if the documents are equal", () => {
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, 1, "", "x", "a\nb", "a\nc\n", "\n", "\u001b[2J"),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom("a", "name", "__proto__", "\u202e"), tie("value")),
    ),
  }));
  fc.assert(
    fc.property(
      value.map(deepFreeze),
      value.map(deepFreeze),
      fc.integer({ min: 0, max: 3 }),
      (from, to, context) => {
        const text = renderDiff(from, to, { color: false, context });
        expect(text === "").toBe(jsonEqual(from, to));
        for (const unsafe of "\u001b\u202e") expect(text).not.toContain(unsafe);
        // Every line has a sign or none, and some line says what is different.
        for (const line of text.split("\n")) expect(line).toMatch(/^(?:[-+ ] .*|[-+]?)$/);
        expect(/^[-+]/m.test(text)).toBe(text !== "");
      },
    ),
    { numRuns: 1000 },
  );
});

function nested(depth: number, leaf: number): Json {
  let value: Json = leaf;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}
