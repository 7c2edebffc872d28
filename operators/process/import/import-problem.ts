/** Position in an imported file, with what is wrong or was left out there. */
export interface ImportProblem {
  /** File that is not the imported one, such as `.env`. */
  readonly file?: string | undefined;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** The file cannot be imported. Has all problems, in the order of the file. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly problems: readonly ImportProblem[];

  constructor(problems: readonly ImportProblem[]) {
    const sorted = sortedByPosition(problems);
    super(sorted.map(problemText).join("\n"));
    this.problems = sorted;
  }
}

/**
 * Formats a problem.
 *
 * @example
 * problemText(problem); // "3:9: services.web.restart must be no, always, on-failure, on-failure:3 or unless-stopped"
 */
export function problemText({ file, line, column, message }: ImportProblem): string {
  return `${file === undefined ? "" : `${file}:`}${line}:${column}: ${message}`;
}

export function sortedByPosition(problems: readonly ImportProblem[]): readonly ImportProblem[] {
  return problems.toSorted(
    (one, other) =>
      (one.file ?? "").localeCompare(other.file ?? "") || one.line - other.line || one.column - other.column,
  );
}
