import { openDirectory } from "./directory.js";
import { openDatabase, transaction } from "./engine.js";
import { raiseMark } from "./marks.js";
import { idOf } from "./schema.js";

/**
 * Makes an empty store whose next revision follows the given one, and that has no history before it. The mark in the log
 * is the deletion of a key that never was: valid in every respect, and swept away with the history it stands for.
 */
export function beginAtRevision(directory: string, revision: number, time: number): void {
  const opened = openDirectory(directory);
  try {
    const database = openDatabase(opened.database);
    try {
      const mark = idOf(revision, 0);
      transaction(database, () => {
        database
          .prepare("INSERT INTO log (id, key, previous, time) VALUES (?, '/restored', 0, ?)")
          .run(mark, time);
        raiseMark(database, "floor", revision);
        raiseMark(database, "indexed", mark);
      });
    } finally {
      database.close();
    }
  } finally {
    opened.release();
  }
}
