import { setImmediate as nextTurn } from "node:timers/promises";
import { VirtualClock, type Clock } from "../../model/core.js";
import { TestClock } from "./test-clock.js";

/** Turns of the event loop without activity after which the system counts as idle. */
const calmTurns = 4;
/** Steps, in milliseconds, in which a clock is moved that does not know its next timer. */
const stride = 1000;

/** Activity does not end although time stands still: a hot loop. */
export class NotIdleError extends Error {
  override readonly name = "NotIdleError";
}

/** Requests after which the event loop gets a turn. */
const share = 50;

/** Yields to the event loop regularly; work that is all in memory might otherwise never end its turn. */
export class Turns {
  #taken = 0;

  async take(): Promise<void> {
    if (++this.#taken % share === 0) await nextTurn();
  }
}

export interface StillnessOptions {
  /** Number that changes with every activity. */
  readonly life: () => number;
  readonly clock: Clock;
  /** Turns of the event loop after which to fail. Default 10,000. */
  readonly mostTurns?: number | undefined;
  /**
   * Virtual time, in milliseconds, to let pass before failing, for activity that retries until its time has come. Default 0.
   */
  readonly lenience?: number | undefined;
}

/** Steps in which that time passes, in milliseconds, and turns of the event loop after each. */
const grant = { step: 250, turns: 10 };

/**
 * Waits until there is no activity while time stands still. Work in memory has then ended or waits for time to pass. Work
 * that waits for a disk or the network is not detected.
 */
export async function untilStill(options: StillnessOptions): Promise<void> {
  const { life, clock, mostTurns = 10_000, lenience = 0 } = options;
  let seen = life();
  let granted = 0;
  for (let calm = 0, turns = 0; calm < calmTurns; turns++) {
    if (turns > mostTurns && granted < lenience && clock instanceof VirtualClock) {
      granted += grant.step;
      turns -= grant.turns;
      await clock.advance(grant.step);
    }
    if (turns > mostTurns) {
      throw new NotIdleError(
        `activity does not end although time stands still (${mostTurns} turns of the event loop): does a run trigger itself?`,
      );
    }
    // Timers that are due now are part of the activity.
    if (clock instanceof TestClock && (clock.next ?? Infinity) <= clock.now()) {
      await clock.advance(0);
      calm = 0;
    }
    await nextTurn();
    const now = life();
    calm = now === seen ? calm + 1 : 0;
    seen = now;
  }
}

/** Moves time from timer to timer; the activity that each one causes ends before the next fires. */
export async function pass(milliseconds: number, options: StillnessOptions): Promise<void> {
  const { clock } = options;
  if (!(clock instanceof VirtualClock)) {
    throw new TypeError("advance() needs virtual time: leave out the clock option, or pass a TestClock");
  }
  const end = clock.now() + milliseconds;
  await untilStill(options);
  while (clock.now() < end) {
    const next = clock instanceof TestClock ? (clock.next ?? end) : clock.now() + stride;
    await clock.advance(Math.max(0, Math.min(next, end) - clock.now()));
    await untilStill(options);
  }
}
