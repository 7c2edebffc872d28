import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import { storeConformance } from "../conformance/index.js";
import type { Store } from "../store.js";
import { openSqliteStore } from "./sqlite-store.js";

describe.each([
  { name: "mutations waiting to be indexed", indexAfter: undefined },
  { name: "mutations indexed all the time", indexAfter: 3 },
])("the SQLite store conforms to the contract with $name", ({ indexAfter }) => {
  const clock = new VirtualClock();
  const base = mkdtempSync(join(tmpdir(), "fettle-store-"));
  const directories = new WeakMap<Store, string>();
  let count = 0;
  afterAll(() => rmSync(base, { recursive: true }));

  const open = async (directory: string): Promise<Store> => {
    const retention = { age: "100000h", count: Infinity } as const;
    const store = await openSqliteStore(directory, { clock, retention, indexAfter });
    directories.set(store, directory);
    return store;
  };
  const cases = storeConformance({
    create: () => open(join(base, String(count++))),
    reopen: (closed) => open(directories.get(closed) ?? ""),
    // No openSecond: a data directory belongs to one store at a time.
    advance: (milliseconds) => clock.advance(milliseconds),
  });
  // Random histories are slow when every step waits for the disk.
  for (const { name, run } of cases) test(name, run, 120_000);
});
