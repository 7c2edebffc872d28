import type { Run, WriteFacts } from "../runs/run.js";

/** What is known of a run before it has begun. */
export interface RunFacts {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  readonly runId: string;
}

/**
 * Sees what the controllers of a process do: metrics and traces. All that is told of one run is told with the same facts,
 * by which an observer can keep what it knows of it. What wraps work calls it once, and returns what it returns.
 */
export interface Observer {
  /** Wraps a run; `traceId` is told to the work when there is one. */
  around?<T>(facts: RunFacts, work: (traceId: string | undefined) => Promise<T>): Promise<T>;
  aroundStep?<T>(facts: RunFacts, name: string, work: () => Promise<T>): Promise<T>;
  aroundWrite?<T>(facts: RunFacts, write: WriteFacts, work: () => Promise<T>): Promise<T>;
  started?(facts: RunFacts): void;
  ended?(run: Run, facts: RunFacts): void;
  /** A function went on although its run was cancelled. */
  lingering?(facts: RunFacts): void;
}

/** Several observers as one; the first one wraps the others. One that fails when it is told something keeps nobody from it. */
export function observers(
  all: readonly Observer[],
  onError: (error: unknown, facts: RunFacts) => void = () => {},
): Observer {
  const tell = (facts: RunFacts, call: (observer: Observer) => void): void => {
    for (const observer of all) {
      try {
        call(observer);
      } catch (error) {
        onError(error, facts);
      }
    }
  };
  const around = all.filter((each) => each.around !== undefined);
  const aroundStep = all.filter((each) => each.aroundStep !== undefined);
  const aroundWrite = all.filter((each) => each.aroundWrite !== undefined);
  return {
    // Nothing is wrapped where nobody asks for it: a run costs no more then.
    ...(around.length > 0 && {
      around: <T>(facts: RunFacts, work: (traceId: string | undefined) => Promise<T>) => {
        const wrapped = around.reduceRight<typeof work>(
          (inner, each) => (outer) =>
            each.around?.(facts, (traceId) => inner(outer ?? traceId)) ?? inner(outer),
          work,
        );
        return wrapped(undefined);
      },
    }),
    ...(aroundStep.length > 0 && {
      aroundStep: <T>(facts: RunFacts, name: string, work: () => Promise<T>) =>
        aroundStep.reduceRight(
          (inner, each) => () => each.aroundStep?.(facts, name, inner) ?? inner(),
          work,
        )(),
    }),
    ...(aroundWrite.length > 0 && {
      aroundWrite: <T>(facts: RunFacts, write: WriteFacts, work: () => Promise<T>) =>
        aroundWrite.reduceRight(
          (inner, each) => () => each.aroundWrite?.(facts, write, inner) ?? inner(),
          work,
        )(),
    }),
    started: (facts) => tell(facts, (each) => each.started?.(facts)),
    ended: (run, facts) => tell(facts, (each) => each.ended?.(run, facts)),
    lingering: (facts) => tell(facts, (each) => each.lingering?.(facts)),
  };
}
