import { setImmediate as nextTurn } from "node:timers/promises";
import { VirtualClock, type Clock } from "../../model/core.js";
import { TestClock } from "./test-clock.js";

/** So many turns of the event loop without a sign of life mean that nothing goes on. */
const calmTurns = 4;
/** A clock that does not say when its next timer is due is moved in such steps, in milliseconds. */
const stride = 1000;

/** Things go on and on although time stands still: a hot loop. */
export class NeverStill extends Error {
  override readonly name = "NeverStill";
}

/** So many things may happen before whoever waits for stillness gets a turn. */
const share = 50;

/** Lets a turn of the event loop pass now and then: what is all in memory could otherwise go on without ever ending one. */
export class Turns {
  #taken = 0;

  async take(): Promise<void> {
    if (++this.#taken % share === 0) await nextTurn();
  }
}

export interface StillnessOptions {
  /** A number that differs whenever anything has happened. */
  readonly life: () => number;
  readonly clock: Clock;
  /** After how many turns of the event loop to give up. Default 10,000. */
  readonly mostTurns?: number | undefined;
  /**
   * How much time, in milliseconds, is let pass before giving up. Where nothing takes time, what is tried again and again until
   * its time has come would otherwise never end. Default 0.
   */
  readonly lenience?: number | undefined;
}

/** Time that is let pass so goes by in such steps, in milliseconds, with so many turns after each. */
const grant = { step: 250, turns: 10 };

/**
 * Resolves when nothing happens any more as long as time stands still. What is in memory and in this process has then
 * come to its end, or waits for time to pass; what waits for a disk or a network cannot be told from that.
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
      throw new NeverStill(
        `something goes on and on although time stands still (${mostTurns} turns of the event loop): does a run cause its own next run?`,
      );
    }
    // What is due at this very moment is part of it.
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

/** Moves time on from one timer to the next; what each of them causes has come to its end before the next. */
export async function pass(milliseconds: number, options: StillnessOptions): Promise<void> {
  const { clock } = options;
  if (!(clock instanceof VirtualClock)) {
    throw new TypeError("time passes by itself on this clock: leave clock out, or give a TestClock");
  }
  const end = clock.now() + milliseconds;
  await untilStill(options);
  while (clock.now() < end) {
    const next = clock instanceof TestClock ? (clock.next ?? end) : clock.now() + stride;
    await clock.advance(Math.max(0, Math.min(next, end) - clock.now()));
    await untilStill(options);
  }
}
