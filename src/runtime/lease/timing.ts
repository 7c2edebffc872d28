import { formatDuration } from "../../model/core.js";

/** Durations of a lease, in milliseconds. */
export interface Timing {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** Random extra length of waits, as a multiple of them. */
  readonly jitterFactor: number;
}

/** Throws for durations with which a holder could work after its lease has expired, or could not renew it in time. */
export function checkTiming({ leaseDuration, renewDeadline, retryPeriod, jitterFactor }: Timing): void {
  if (leaseDuration <= renewDeadline) {
    throw new RangeError(
      `the leader would keep working after its lease has expired: renewDeadline is ${formatDuration(renewDeadline)} and leaseDuration ${formatDuration(leaseDuration)}; make leaseDuration longer than renewDeadline`,
    );
  }
  const longest = 1 + jitterFactor;
  if (retryPeriod <= 0 || renewDeadline <= retryPeriod * longest) {
    throw new RangeError(
      `a lease could not be renewed in time: retryPeriod is ${formatDuration(retryPeriod)} and renewDeadline ${formatDuration(renewDeadline)}; retryPeriod must be above 0 and renewDeadline above ${longest} times as long`,
    );
  }
}
