#!/usr/bin/env node
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const usage = `fettle: a declarative control plane in one package

  fettle            shows what there is so far, on a store in a temporary folder
  fettle up         starts the API server (fettle up --help)
  fettle --version  prints the version
  fettle --help     prints this
`;

const [word] = process.argv.slice(2);
if (word === "--version" || word === "-v") console.log(await version());
else if (word === "--help" || word === "-h") process.stdout.write(usage);
else if (word === undefined) await show();
else if (word === "up")
  await run(async () => (await import("./up.js")).up(process.argv.slice(3), await version()));
else {
  process.stderr.write(`fettle: there is no command "${word}" yet\n\n${usage}`);
  process.exitCode = 2;
}

/** Runs a command; what goes wrong is said in a line. */
async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.stderr.write(`fettle: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function version(): Promise<string> {
  const { createRequire } = await import("node:module");
  const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
  return version;
}

/** A walk through what works today: a durable store with revisions, history and watch. */
async function show(): Promise<void> {
  const { openSqliteStore } = await import("../store/sqlite/sqlite-store.js");
  const directory = await mkdtemp(join(tmpdir(), "fettle-"));
  const text = (value: Uint8Array): string => new TextDecoder().decode(value);
  try {
    const started = performance.now();
    await using store = await openSqliteStore(directory);
    console.log(`Fettle ${await version()}: the object model, the revisioned store and the API server.\n`);
    console.log(`opened a durable store in ${(performance.now() - started).toFixed(0)} ms`);

    const watch = store.watch({ prefix: "/sites/", previous: true });
    const put = (title: string) =>
      store.commit([{ type: "put", key: "/sites/hello", value: new TextEncoder().encode(title) }]);
    const first = await put("Hello");
    await put("Hello, world");
    await store.commit([{ type: "delete", key: "/sites/hello" }]);
    const { revision } = await store.status();
    console.log(`three commits, each synced to disk, at revision ${revision}`);

    for await (const { events } of watch) {
      for (const event of events) {
        const what = event.type === "put" ? `"${text(event.entry.value)}"` : "deleted";
        console.log(`  watch: revision ${event.revision}: ${event.key} ${what}`);
      }
      if (watch.revision >= revision) break;
    }
    const before = await store.get("/sites/hello", { revision: first.revision });
    console.log(`and at revision ${first.revision} it still reads "${before ? text(before.value) : ""}"`);
    console.log(
      "\nNext: npx fettle up starts the API server, docs/ explains it and the store, npm test runs everything.",
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}
