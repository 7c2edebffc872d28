/** Problem in the definition of a kind. */
export interface DefinitionProblem {
  /** Path as the author wrote it: `spec.schedule.start`, `columns[0].path`. */
  readonly path: string;
  /** Problem. */
  readonly message: string;
  /** Suggested change. */
  readonly fix: string;
}

/**
 * Thrown by `resource()` for an invalid definition. Contains every problem, so that they can be fixed in one
 * go; `path` and `fix` are those of the first.
 */
export class DefinitionError extends Error {
  readonly problems: readonly DefinitionProblem[];
  readonly path: string;
  readonly fix: string;

  constructor(kind: string, problems: readonly [DefinitionProblem, ...DefinitionProblem[]]) {
    super(describe(kind, problems));
    this.name = "DefinitionError";
    this.problems = problems;
    this.path = problems[0].path;
    this.fix = problems[0].fix;
  }
}

function describe(kind: string, problems: readonly DefinitionProblem[]): string {
  const lines = problems.map(({ path, message, fix }) => `${path}: ${message}; ${fix}`);
  return lines.length === 1
    ? `${kind}: ${lines[0]}`
    : `${kind} has ${lines.length} problems:${lines.map((line) => `\n  ${line}`).join("")}`;
}

/** Throws a {@link DefinitionError} if there are problems. */
export function throwProblems(kind: string, problems: readonly DefinitionProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw new DefinitionError(kind, [first, ...rest]);
}
