import { type Duration, duration } from "../../model/time/duration.js";

/**
 * Times at which a key may run, such as two to four at night. `add` and `done` throw what the window throws for a new
 * change; a window that throws later counts as closed for a minute.
 */
export interface RunWindow {
  isOpen(at: number): boolean;
  /** Next opening after a time at which it is closed; Infinity for never. */
  nextOpening(at: number): number;
  /** Closing time of the window that is open at a time, to show it. */
  closes?(at: number): number | undefined;
  /** Name to show. */
  readonly name?: string | undefined;
  /** Time zone in which its times are shown. */
  readonly timeZone?: string | undefined;
}

/** Rule for when a change is handled. */
export type Strategy =
  | { readonly type: "immediate" }
  | {
      readonly type: "batched";
      readonly id: string;
      readonly size: number;
      readonly timeout: number;
      readonly name?: string | undefined;
    }
  | { readonly type: "scheduled"; readonly window: RunWindow };

/** Properties of a change by which a strategy is chosen. */
export interface StrategyInput {
  readonly key: string;
  readonly priority: number;
  /** Type of change, as passed to `add`; undefined for a requeue. */
  readonly type: string | undefined;
}

/** Handles a change as soon as a worker is free. */
export const immediate: Strategy = { type: "immediate" };

/**
 * Collects keys and releases them together: when there are `size` of them, or `timeout` after the first. Strategies with the
 * same name, size and timeout share their batches.
 */
export function batched(options: {
  readonly size: number;
  readonly timeout: Duration;
  readonly name?: string | undefined;
}): Strategy {
  const { size, name } = options;
  if (!Number.isInteger(size) || size < 1) {
    throw new RangeError(`a batch cannot have the size ${size}: give a whole number of 1 or more`);
  }
  const timeout = duration(options.timeout);
  return { type: "batched", id: `${size}/${timeout}/${name ?? ""}`, size, timeout, name };
}

/**
 * Handles a change only while the window is open; a key that is not taken before it closes waits for the next opening. A key
 * whose changes have several windows is due in the one that opens first.
 */
export function scheduled(window: RunWindow): Strategy {
  return { type: "scheduled", window };
}

/** A strategy for changes of one of the types, or of at least the priority. */
export interface StrategyRule {
  readonly types?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly strategy: Strategy;
}

/**
 * Chooses the first rule that names the type of a change, else the first whose priority the change reaches, else
 * `otherwise`.
 *
 * @example
 * chooseStrategy([
 *   { priority: 100, types: ["security"], strategy: immediate },
 *   { priority: 0, types: ["configuration"], strategy: batched({ size: 10, timeout: "30s" }) },
 *   { priority: -Infinity, types: ["optimization"], strategy: scheduled(nights) },
 * ]);
 */
export function chooseStrategy(
  rules: readonly StrategyRule[],
  otherwise: Strategy = immediate,
): (change: StrategyInput) => Strategy {
  return ({ type, priority }) => {
    const named = type === undefined ? undefined : rules.find((rule) => rule.types?.includes(type));
    const chosen = named ?? rules.find((rule) => rule.priority !== undefined && priority >= rule.priority);
    return chosen?.strategy ?? otherwise;
  };
}
