import type { Client } from "../../client/client.js";
import type { ObjectOf } from "../../client/kinds/kind.js";
import type { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import { formatMicroTime } from "../../model/core.js";
import type { Moment } from "./moment.js";

export type Lease = ObjectOf<typeof LeaseKind>;
export type LeaseSpec = NonNullable<Lease["spec"]>;

/** Client calls that taking and renewing a Lease needs. */
export type LeaseClient = Pick<Client, "find" | "create" | "update">;

/** Who wants a lease, and for how long at a time. */
export interface Candidate {
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
}

/** A lease as it was last seen; `undefined` when there was none. */
export interface Observation {
  readonly lease: Lease | undefined;
  /** When this version of it was first seen here, on the steady clock. */
  readonly since: number;
}

/** What to do about a lease. The lease of an `acquire` or `renew` is the whole object to write over the one seen. */
export type Action =
  | { readonly type: "create"; readonly spec: LeaseSpec }
  | { readonly type: "acquire"; readonly lease: Lease }
  | { readonly type: "renew"; readonly lease: Lease }
  /** Somebody else has it, until the steady clock shows `until` unless they renew it. */
  | { readonly type: "wait"; readonly holder: string; readonly until: number };

/**
 * Takes note of a lease that was read at `steady` or before. A version that was seen before keeps the time of the first
 * sight: that is how long its holder has been silent, by our own clock. The times written in the lease are from the
 * holder's clock and are never compared with ours.
 */
export function observe(
  before: Observation | undefined,
  lease: Lease | undefined,
  steady: number,
): Observation {
  const known = before?.lease?.metadata;
  const same =
    known !== undefined &&
    known.uid === lease?.metadata.uid &&
    known.resourceVersion === lease?.metadata.resourceVersion;
  return { lease, since: same && before !== undefined ? before.since : steady };
}

/** Whose the lease is as far as anybody knows; undefined when it is free. It may have run out since. */
export function holderOf(lease: Lease | undefined): string | undefined {
  return lease?.spec?.holderIdentity || undefined;
}

/**
 * What a candidate does about a lease it has seen: makes it, takes it when it is free or has run out, renews its own, or
 * waits. Writing the result needs the version that was seen, so of several who decide the same only one succeeds.
 */
export function decide(observed: Observation, now: Moment, me: Candidate): Action {
  const { lease, since } = observed;
  if (lease === undefined) return { type: "create", spec: held(undefined, now, me) };
  const holder = holderOf(lease);
  if (holder === me.identity) return { type: "renew", lease: { ...lease, spec: held(lease.spec, now, me) } };
  if (holder !== undefined) {
    const until = since + durationOf(lease, me.leaseDuration);
    if (now.steady < until) return { type: "wait", holder, until };
  }
  return { type: "acquire", lease: { ...lease, spec: held(lease.spec, now, me) } };
}

/** The lease without a holder, so that nobody has to wait for it to run out; undefined when it is not ours. */
export function released(observed: Observation, now: Moment, me: Candidate): Lease | undefined {
  const { lease } = observed;
  if (lease === undefined || holderOf(lease) !== me.identity) return undefined;
  const time = formatMicroTime(now.wall);
  const spec = {
    ...lease.spec,
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
  };
  return { ...lease, spec };
}

/** The holder says how long to wait for it, in milliseconds, since it may have been told another duration than we were. */
export function durationOf(lease: Lease, otherwise: number): number {
  const seconds = lease.spec?.leaseDurationSeconds;
  return seconds === undefined ? otherwise : seconds * 1000;
}

function held(before: LeaseSpec | undefined, now: Moment, me: Candidate): LeaseSpec {
  const time = formatMicroTime(now.wall);
  const mine = before !== undefined && before.holderIdentity === me.identity;
  return {
    ...before,
    holderIdentity: me.identity,
    // Whole seconds are all there is room for: rounded up, others wait longer rather than shorter.
    leaseDurationSeconds: Math.ceil(me.leaseDuration / 1000),
    acquireTime: (mine ? before.acquireTime : undefined) ?? time,
    // A write that changes nothing leaves the version as it is, and others would take the holder for silent.
    renewTime: time === before?.renewTime ? formatMicroTime(now.wall + 0.001) : time,
    leaseTransitions: before === undefined ? 0 : (before.leaseTransitions ?? 0) + (mine ? 0 : 1),
  };
}
