import type { Client } from "../../client/client.js";
import type { ObjectOf } from "../../client/kinds/kind.js";
import type { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import { formatMicroTime } from "../../model/core.js";
import type { Moment } from "./moment.js";

export type Lease = ObjectOf<typeof LeaseKind>;
export type LeaseSpec = NonNullable<Lease["spec"]>;

/** Client calls that taking and renewing a Lease needs. */
export type LeaseClient = Pick<Client, "find" | "create" | "update">;

/** A process that wants a lease. */
export interface Candidate {
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
}

/** A lease as last read; `undefined` if there was none. */
export interface ObservedLease {
  readonly lease: Lease | undefined;
  /** Time at which this version was first read here, on the monotonic clock. */
  readonly since: number;
}

/** Action on a lease. The lease of an `acquire` or `renew` is the whole object to write over the one read. */
export type Action =
  | { readonly type: "create"; readonly spec: LeaseSpec }
  | { readonly type: "acquire"; readonly lease: Lease }
  | { readonly type: "renew"; readonly lease: Lease }
  /** Another process holds it until `until` on the monotonic clock, unless it renews it. */
  | { readonly type: "wait"; readonly holder: string; readonly until: number };

/**
 * Notes a lease that was read at `steady` or before. A version that was read before keeps the time of its first reading: since
 * then its holder has been silent, by our own clock. The times in the lease are from the holder's clock and are never compared
 * with ours.
 */
export function observeLease(
  before: ObservedLease | undefined,
  lease: Lease | undefined,
  steady: number,
): ObservedLease {
  const known = before?.lease?.metadata;
  const same =
    known !== undefined &&
    known.uid === lease?.metadata.uid &&
    known.resourceVersion === lease?.metadata.resourceVersion;
  return { lease, since: same && before !== undefined ? before.since : steady };
}

/** Holder of a lease, which may have expired; undefined if it is free. */
export function holderOf(lease: Lease | undefined): string | undefined {
  return lease?.spec?.holderIdentity || undefined;
}

/**
 * Decides what a candidate does with a lease: create it, acquire it if it is free or expired, renew its own, or wait. Writing the
 * result requires the version that was read, so of several candidates only one succeeds.
 */
export function decide(observed: ObservedLease, now: Moment, me: Candidate): Action {
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

/** The lease without a holder, so that nobody waits for it to expire; undefined if we do not hold it. */
export function released(observed: ObservedLease, now: Moment, me: Candidate): Lease | undefined {
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

/** Duration of a lease in milliseconds: the holder's, which may be configured differently. */
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
    // The field has whole seconds; rounded up, others wait longer rather than shorter.
    leaseDurationSeconds: Math.ceil(me.leaseDuration / 1000),
    acquireTime: (mine ? before.acquireTime : undefined) ?? time,
    // A write that changes nothing keeps the version, and others would take the holder for silent.
    renewTime: time === before?.renewTime ? formatMicroTime(now.wall + 0.001) : time,
    leaseTransitions: before === undefined ? 0 : (before.leaseTransitions ?? 0) + (mine ? 0 : 1),
  };
}
