import { expect, test } from "vitest";
import { ImportError } from "./import-problem.js";
import { importProcfile } from "./procfile.js";
import { expectMinimal } from "./fixtures/minimal-manifests.js";

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ImportError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("every line becomes a process", async () => {
  const { objects, warnings } = importProcfile(
    "# what runs\r\n\r\nweb: node web.js --port $PORT\r\nworker: node 'my worker.js'\r\nclock:  sh -c 'date' | cat  \r\n",
    { namespace: "shop", folder: "/srv/shop" },
  );
  expect(warnings).toEqual([]);
  expect(objects).toEqual([
    {
      apiVersion: "process.fettle.dev/v1",
      kind: "Process",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        command: ["/bin/sh", "-c", "exec node web.js --port $PORT"],
        workingDir: "/srv/shop",
        ports: [{ name: "http" }],
      },
    },
    {
      apiVersion: "process.fettle.dev/v1",
      kind: "Process",
      metadata: { name: "worker", namespace: "shop" },
      spec: { command: ["node", "my worker.js"], workingDir: "/srv/shop" },
    },
    {
      apiVersion: "process.fettle.dev/v1",
      kind: "Process",
      metadata: { name: "clock", namespace: "shop" },
      spec: { command: ["/bin/sh", "-c", "sh -c 'date' | cat"], workingDir: "/srv/shop" },
    },
  ]);
  await expectMinimal(objects);
});

test("variables of .env and of the line become the environment", async () => {
  const { objects } = importProcfile("api: B=line node api.js", {
    env: 'export A="one two" # comment\nB=file\nC=$(A)',
  });
  expect(objects[0]?.spec).toEqual({
    command: ["node", "api.js"],
    env: [
      { name: "A", value: "one two" },
      { name: "B", value: "line" },
      { name: "C", value: "$$(A)" },
    ],
  });
  await expectMinimal(objects);
});

test.each([
  ["api: node api.js -p ${PORT}", [{ name: "http" }]],
  ["api: node api.js -p ${PORT:-3000}", [{ name: "http" }]],
  ["api: sh -c 'node api.js $PORT'", [{ name: "http" }]],
  ["web: npm start", [{ name: "http" }]],
  ["web: PORT=80 npm start", undefined],
  ["api: node api.js $PORTS", undefined],
])("a port is allocated for processes that use one: %s", (text, ports) => {
  const [object] = importProcfile(text).objects;
  expect((object?.spec as { ports?: unknown } | undefined)?.ports).toEqual(ports);
});

test("a PORT in .env is the first port, as in foreman", () => {
  const { objects } = importProcfile("web: a\nworker: b\napi: c $PORT", { env: "PORT=5000" });
  expect(objects.map(({ spec }) => spec)).toEqual([
    { command: ["a"], ports: [{ name: "http", port: 5000 }] },
    { command: ["b"] },
    { command: ["/bin/sh", "-c", "exec c $PORT"], ports: [{ name: "http", port: 5200 }] },
  ]);
});

test("names become DNS labels, with a warning", () => {
  const { objects, warnings } = importProcfile("Web_Server: a\nok: b");
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(["web-server", "ok"]);
  expect(warnings).toEqual([
    {
      line: 1,
      column: 1,
      message: '"Web_Server" becomes web-server: names have lower-case letters, digits and "-"',
    },
  ]);
});

test("all invalid lines are reported", () => {
  const text = "web: a\nnonsense\nempty:\n___: b\nweb: c\nWEB: d\nname with spaces: e\nnul: a\0b";
  expect(problemsOf(() => importProcfile(text, { env: "x\nPORT=none" }))).toEqual([
    '2:1: expected "name: command", not "nonsense"',
    "3:7: empty has no command: write one after the colon",
    '4:1: "___" cannot be made a name: use up to 63 letters, digits and "-"',
    '5:1: "web" is already defined in line 1',
    '6:1: "WEB" would become web, as "web" of line 1 does',
    '7:1: expected "name: command", not "name with spaces: e"',
    "8:1: the command of nul contains a NUL character, which no process can receive",
    '.env:1:1: expected NAME=value, not "x"',
    ".env:1:1: PORT is none: use a port number",
  ]);
  expect(problemsOf(() => importProcfile("# nothing\n"))).toEqual([
    '1:1: no processes: write lines such as "web: node web.js"',
  ]);
});

test("a release task is not repeated after it succeeded", () => {
  const { objects } = importProcfile("release: node migrate.js\n", {});
  expect(objects[0]?.spec).toMatchObject({ restart: { policy: "OnFailure" } });
});
