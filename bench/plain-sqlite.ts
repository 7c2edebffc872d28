import { rmSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { rate } from "./report.js";

/** Keys and values to write, by index. */
export interface Objects {
  key(index: number): string;
  value(index: number): Uint8Array;
}

/**
 * SQLite in a loop that blocks its thread: durable inserts into one table, with default settings besides the PRAGMAs in
 * `tuning`.
 */
export function plainSqlite(path: string, size: number, objects: Objects, tuning: string) {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${tuning}`);
  database.exec("CREATE TABLE plain (key TEXT PRIMARY KEY, value BLOB)");
  const insert = database.prepare("INSERT INTO plain VALUES (?, ?)");
  const upsert = database.prepare(
    "INSERT INTO plain VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const transaction = (count: number, statement: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    for (let each = 0; each < count; each++) statement();
    database.exec("COMMIT");
  };
  let next = 0;
  const add = (): void => void insert.run(objects.key(next), objects.value(next++));
  const change = (): void =>
    void upsert.run(objects.key(Math.floor(Math.random() * size)), objects.value(next++));
  while (next < size) transaction(Math.min(10_000, size - next), add);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    insert: (group: number, period: number) => rate(period, group, () => transaction(group, add)),
    upsert: (group: number, period: number) => rate(period, group, () => transaction(group, change)),
    close() {
      database.close();
      rmSync(path);
    },
  };
}
