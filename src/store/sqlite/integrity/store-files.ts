/** Paths of the files of a store. */
export interface StoreFiles {
  /** Objects and their history. */
  readonly database: string;
  /** Newest commits, which SQLite has not written into the database yet. */
  readonly wal: string;
  /** Checksums of the pages of the database. */
  readonly sums: string;
  /** Minimum of what the store has. */
  readonly mark: string;
}

/** Files that belong to a database file. */
export function storeFiles(database: string): StoreFiles {
  const base = database.replace(/\.db$/, "");
  return { database, wal: `${database}-wal`, sums: `${base}.sums`, mark: `${base}.mark` };
}
