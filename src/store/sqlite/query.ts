import { StoreDamaged } from "../errors.js";
import { resultCode, resultCodeOf, type Database } from "./engine.js";

type Parameter = string | number | Uint8Array | null;

/** Prepared statement that returns rows as tuples, which are faster to create than objects. */
export interface PreparedQuery<Row> {
  get(...parameters: Parameter[]): Row | undefined;
  all(...parameters: Parameter[]): Row[];
}

/** Prepares a query. Preparing and running it throw {@link StoreDamaged} when SQLite finds the file damaged. */
export function query<Row extends unknown[]>(database: Database, sql: string): PreparedQuery<Row> {
  const statement = translateErrors(() => database.prepare(sql));
  statement.setReturnArrays(true);
  return {
    get: (...parameters) => translateErrors(() => statement.get(...parameters) as Row | undefined),
    all: (...parameters) => translateErrors(() => statement.all(...parameters) as Row[]),
  };
}

/** Runs something on the database; turns SQLite's errors about a damaged file into {@link StoreDamaged}. */
export function translateErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const code = resultCodeOf(error);
    if (code !== resultCode.corrupt && code !== resultCode.notADatabase) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreDamaged(`the store is damaged (${message}); restore a backup`, { cause: error });
  }
}
