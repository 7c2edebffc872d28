import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { command } from "../../src/cli/commands/run.js";
import { command as completion } from "../../src/cli/commands/completion.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import { Site } from "../../examples/site/index.js";
import { folderWith } from "./folder.js";

const module = fileURLToPath(new URL("../../examples/site/index.ts", import.meta.url));
const hello = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello" },
  spec: { title: "Hello" },
};

let home: ControlPlane;
let cwd: string;

beforeEach(async () => {
  cwd = await folderWith();
  home = await controlPlane({ store: "memory", data: join(cwd, ".fettle"), listen: { port: 0 } });
});
afterEach(() => home.stop());

test("fettle run reconciles against the server of the folder and releases its lease", async () => {
  const terminal = recordingTerminal({ cwd, tty: true });
  const running = command.run?.([module], { healthPort: "0", leaderElection: true }, terminal);
  await terminal.shows("Controllers are running");
  await home.apply(hello);
  await terminal.shows(/✓ Site default\/hello {2}created Page hello-1 · ready: Published/);
  const [, health = ""] = /health +(http:\S+)\/readyz/.exec(terminal.out()) ?? [];
  expect((await fetch(`${health}/readyz`)).status).toBe(200);
  terminal.interrupt();
  expect(await running).toBe(0);
  expect(terminal.out()).toContain(`against ${home.url}`);
  expect(terminal.out()).toContain("lease   default/sites.demo.dev");
  expect(terminal.out()).toMatch(/Stopped\.\n$/);
});

test("fettle run --shards shares the objects", async () => {
  const terminal = recordingTerminal({ cwd, tty: true });
  const running = command.run?.([module], { healthPort: "0", leaderElection: true, shards: "8" }, terminal);
  await terminal.shows("Controllers are running");
  expect(terminal.out()).toContain("lease   default/sites.demo.dev-shards: assigns shards to processes");
  await home.apply(hello);
  await terminal.shows(/✓ Site default\/hello {2}created Page hello-1 · ready: Published/);
  terminal.interrupt();
  expect(await running).toBe(0);
});

test("logs JSON when standard output is not a terminal", async () => {
  const terminal = recordingTerminal({ cwd });
  const running = command.run?.([module], { healthPort: "0", leaderElection: false }, terminal);
  await terminal.shows(/"msg":"fettle runs"/);
  terminal.interrupt();
  await running;
  for (const line of terminal.out().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");
});

test("takes over the definition of another field manager only with --force-definitions", async () => {
  const { group, version } = Site;
  const { plural, singular, listKind, kind } = Site;
  await home.client.apply(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { plural, singular, listKind, kind },
        scope: "Namespaced",
        versions: [
          { name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    } as never,
    { fieldManager: "helm" },
  );
  const options = { healthPort: "0", leaderElection: false };
  await expect(command.run?.([module], options, recordingTerminal({ cwd }))).rejects.toThrow(
    /belongs to helm .*or take it over with --force-definitions/,
  );
  const skipped = { ...options, forceDefinitions: true, definitions: "skip" };
  await expect(command.run?.([module], skipped, recordingTerminal({ cwd }))).rejects.toThrow(/contradict/);
  const terminal = recordingTerminal({ cwd });
  const running = command.run?.([module], { ...options, forceDefinitions: true }, terminal);
  await terminal.shows(/"msg":"fettle runs"/);
  terminal.interrupt();
  expect(await running).toBe(0);
});

test("rejects missing modules and manifests with a hint", async () => {
  const run = (...words: readonly string[]) =>
    command.run?.(words, { healthPort: "0" }, recordingTerminal({ cwd }));
  await expect(run()).rejects.toThrow("missing module that exports controllers");
  await expect(
    run(fileURLToPath(new URL("../../examples/site/hello.yaml", import.meta.url))),
  ).rejects.toThrow("fettle run takes modules, not manifests");
});

test("completes kinds and names of the server", async () => {
  await home.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "lamp" } });
  const terminal = recordingTerminal({ cwd });
  await completion.commands?.["candidates"]?.run?.(["get", "configmaps", "la"], {}, terminal);
  expect(terminal.out()).toBe("lamp\n");
});

test("completes nothing, silently, without a server", async () => {
  await home.stop();
  const terminal = recordingTerminal({ cwd });
  await completion.commands?.["candidates"]?.run?.(["get", ""], {}, terminal);
  expect(terminal.out() + terminal.err()).toBe("");
});
