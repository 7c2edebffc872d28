/** A mistake in a table: ours, found by its tests. */
export class TableError extends Error {
  override readonly name = "TableError";

  constructor(line: number, problem: string) {
    super(`line ${line} of the table: ${problem}`);
  }
}
