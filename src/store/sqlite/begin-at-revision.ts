import { openDirectory } from "./directory.js";
import { openDatabase, transaction } from "./engine.js";
import { idOf, raiseMark } from "./schema.js";

/**
 * Creates an empty store at a revision, without history before it. The log gets one valid entry with that revision, the
 * deletion of a key that never existed; compaction removes it.
 */
export function beginAtRevision(directory: string, revision: number, time: number): void {
  const opened = openDirectory(directory);
  try {
    const database = openDatabase(opened.database);
    try {
      const id = idOf(revision, 0);
      transaction(database, () => {
        database
          .prepare("INSERT INTO log (id, key, previous, time) VALUES (?, '/restored', 0, ?)")
          .run(id, time);
        raiseMark(database, "floor", revision);
        raiseMark(database, "indexed", id);
      });
    } finally {
      database.close();
    }
  } finally {
    opened.release();
  }
}
