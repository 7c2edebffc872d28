import type { Run, WriteFacts } from "../runs/run.js";

/** Identity of a run, known before it starts. */
export interface RunFacts {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  readonly runId: string;
}

/**
 * Observer of controllers, such as metrics and traces. All calls for one run get the same `facts` object, so that an observer can
 * keep state by it. Functions that wrap work call it once, and return its result.
 */
export interface Observer {
  /** Wraps a run, and passes the trace id to it, if there is one. */
  around?<T>(facts: RunFacts, work: (traceId: string | undefined) => Promise<T>): Promise<T>;
  aroundStep?<T>(facts: RunFacts, name: string, work: () => Promise<T>): Promise<T>;
  aroundWrite?<T>(facts: RunFacts, write: WriteFacts, work: () => Promise<T>): Promise<T>;
  started?(facts: RunFacts): void;
  ended?(run: Run, facts: RunFacts): void;
  /** A reconciler ignores that its run was cancelled. */
  lingering?(facts: RunFacts): void;
}

/** Combines observers; the first wraps the others. An error of one does not affect the others. */
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
    // Runs are wrapped only if an observer needs it, so that others cost no more.
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
