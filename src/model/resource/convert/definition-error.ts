/** One thing that keeps a kind from being defined. */
export interface DefinitionProblem {
  /** Where it is, as the author of the kind would say it: `spec.schedule.start`, `columns[0].path`. */
  readonly path: string;
  /** What is wrong there. */
  readonly message: string;
  /** What to write instead. */
  readonly fix: string;
}

/**
 * Thrown by `resource()` when a kind cannot be defined as written. It carries every problem that was found,
 * so that they can be mended in one go; `path` and `fix` are those of the first.
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

/** Throws a {@link DefinitionError} when there is anything to complain about. */
export function throwProblems(kind: string, problems: readonly DefinitionProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw new DefinitionError(kind, [first, ...rest]);
}
