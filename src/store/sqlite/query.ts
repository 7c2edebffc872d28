import { StoreDamaged } from "../errors.js";
import { resultCode, resultCodeOf, type Database } from "./engine.js";

type Parameter = string | number | Uint8Array | null;

/** A prepared statement whose rows are tuples: they are made faster than objects with names. */
export interface Query<Row> {
  get(...parameters: Parameter[]): Row | undefined;
  all(...parameters: Parameter[]): Row[];
}

/** Prepares a query. It and its runs throw {@link StoreDamaged} where SQLite finds the file to be damaged. */
export function query<Row extends unknown[]>(database: Database, sql: string): Query<Row> {
  const statement = explaining(() => database.prepare(sql));
  statement.setReturnArrays(true);
  return {
    get: (...parameters) => explaining(() => statement.get(...parameters) as Row | undefined),
    all: (...parameters) => explaining(() => statement.all(...parameters) as Row[]),
  };
}

/** Runs something on the database and explains it when that finds the file to be damaged. */
export function explaining<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const code = resultCodeOf(error);
    if (code !== resultCode.corrupt && code !== resultCode.notADatabase) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreDamaged(`the store is damaged (${message}); restore a backup`, { cause: error });
  }
}
