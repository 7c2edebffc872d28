import type { Database } from "./engine.js";
import { query } from "./query.js";

/** The numbers a file keeps about itself; each only grows. See the schema for what they mean. */
type Mark = "floor" | "swept" | "indexed";

export function readMark(database: Database, name: Mark): number {
  const [id] = query<[number]>(database, "SELECT id FROM marks WHERE name = ?").get(name) ?? [];
  return id ?? 0;
}

export function raiseMark(database: Database, name: Mark, id: number): void {
  database.prepare("UPDATE marks SET id = ? WHERE name = ? AND id < ?").run(id, name, id);
}
