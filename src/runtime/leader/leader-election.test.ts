import { beforeEach, describe, expect, test } from "vitest";
import { failures, VirtualClock } from "../../model/core.js";
import { LeaseServer, type Fate } from "../lease/fixtures/lease-server.js";
import { Machine } from "../lease/fixtures/machine.js";
import { leaderElection, type LeaderElection, type LeaderElectionOptions } from "./leader-election.js";
import { NotLeaderError } from "../lease/term.js";

let world: VirtualClock;
let server: LeaseServer;
beforeEach(() => {
  world = new VirtualClock();
  server = new LeaseServer();
});

const random = { bytes: (length: number) => new Uint8Array(length) };
const unavailable = failures.serviceUnavailable("no");

interface Candidate {
  readonly election: LeaderElection;
  readonly machine: Machine;
  /** What happened to the work, in order. */
  readonly log: string[];
  readonly errors: unknown[];
  readonly done: Promise<void>;
  fate: (verb: string) => Fate;
  stop(): void;
  /** Lets work end that was told to. */
  finish(): void;
}

function candidate(
  identity: string,
  options: Partial<LeaderElectionOptions> & { lingers?: boolean } = {},
): Candidate {
  const machine = new Machine(world);
  const log: string[] = [];
  const errors: unknown[] = [];
  const stopper = new AbortController();
  const network: Pick<Candidate, "fate"> = { fate: () => ({}) };
  let finish = (): void => {};
  const election = leaderElection({
    client: server.client((verb) => network.fate(verb)),
    namespace: "default",
    name: "lease",
    identity,
    clock: machine,
    steady: machine.steady,
    random,
    onError: (error) => errors.push(error),
    ...options,
  });
  const done = election.run(
    async (signal) => {
      log.push("begin");
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener("abort", () => {
          log.push("abort");
          if (!options.lingers) resolve();
        });
      });
      log.push("end");
    },
    { signal: stopper.signal },
  );
  const stop = (): void => stopper.abort();
  return Object.assign(network, { election, machine, log, errors, done, stop, finish: () => finish() });
}

test("the first candidate leads, others wait, and the next one leads as soon as the Lease is released", async () => {
  const a = candidate("a");
  await world.advance(0);
  const b = candidate("b");
  await world.advance(60_000);
  expect([a.election.isLeader, b.election.isLeader]).toEqual([true, false]);
  expect([a.election.leader, b.election.leader]).toEqual(["a", "a"]);
  expect(() => a.election.guard()).not.toThrow();
  expect(() => b.election.guard()).toThrow("b does not hold the lease default/lease; a has it");
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 0 });

  a.stop();
  await a.done;
  expect(a.log).toEqual(["begin", "abort", "end"]);
  expect(server.lease?.spec?.holderIdentity).toBe("");
  await world.advance(2000);
  expect(b.log).toEqual(["begin"]);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
});

test("the Lease is renewed and not released while cancelled work is still ending", async () => {
  const a = candidate("a", { lingers: true });
  const b = candidate("b");
  await world.advance(1000);
  a.stop();
  await world.advance(60_000);
  expect(a.log).toEqual(["begin", "abort"]);
  expect(a.election.isLeader).toBe(true);
  expect(b.log).toEqual([]);
  a.finish();
  await a.done;
  await world.advance(5000);
  expect(a.log).toEqual(["begin", "abort", "end"]);
  expect(a.election.isLeader).toBe(false);
  expect(b.log).toEqual(["begin"]);
});

test.each([100, 700, 1300, 1900])(
  "when a leader dies %d ms after its last renewal, another leads one lease and at most 1.2 s after that",
  async (after) => {
    const a = candidate("a");
    await world.advance(0);
    const b = candidate("b");
    const lastRenewal = world.now() + 20_000;
    await world.advance(20_000 + after);
    a.machine.freeze(1e9);
    await world.advance(lastRenewal + 15_000 - world.now() - 1);
    expect(b.log).toEqual([]);
    await world.advance(1201);
    expect(b.log).toEqual(["begin"]);
  },
);

test("a leader that cannot renew its Lease stops before it expires, and does not lead again before its work has ended", async () => {
  const a = candidate("a", { lingers: true });
  await world.advance(1000);
  const lastRenewal = world.now() - 1000;
  a.fate = () => ({ lost: { at: "request", error: unavailable } });
  await world.advance(lastRenewal + 9999 - world.now());
  expect(a.log).toEqual(["begin"]);
  await world.advance(1);
  expect(a.log).toEqual(["begin", "abort"]);
  expect(a.errors).toContain(unavailable);
  a.fate = () => ({});
  await world.advance(60_000);
  expect(a.log).toEqual(["begin", "abort"]);
  a.finish();
  await world.advance(5000);
  expect(a.log).toEqual(["begin", "abort", "end", "begin"]);
});

test("the deadline counts from when a renewal was sent, and a response after the deadline changes nothing", async () => {
  const a = candidate("a", { retryPeriod: "4s" });
  await world.advance(1000);
  const taken = world.now() - 1000;
  let answer = (): void => {};
  a.fate = (verb) => (verb === "update" ? { after: () => new Promise((resolve) => (answer = resolve)) } : {});
  await world.advance(taken + 10_000 - world.now());
  expect(a.log).toEqual(["begin", "abort", "end"]);
  answer();
  await world.advance(0);
  expect(a.election.isLeader).toBe(false);
});

test("a slow renewal extends the term from when it was sent", async () => {
  const a = candidate("a");
  await world.advance(1000);
  const taken = world.now() - 1000;
  // Sent 2 s after the lease was taken, answered 4 s later; everything after it is lost.
  a.fate = () => {
    a.fate = () => ({ lost: { at: "request", error: unavailable } });
    return { after: () => a.machine.arrival(4000) };
  };
  await world.advance(taken + 2000 + 9999 - world.now());
  expect(a.election.isLeader).toBe(true);
  await world.advance(1);
  expect(a.log).toEqual(["begin", "abort", "end"]);
});

test("the guard of a process that was suspended past its deadline throws before any timer has fired", async () => {
  const a = candidate("a");
  const b = candidate("b");
  await world.advance(1000);
  a.machine.freeze(60_000);
  await world.advance(59_999);
  expect(b.log).toEqual(["begin"]);
  // Still frozen: this is what its first instruction after waking would see.
  expect(a.log).toEqual(["begin"]);
  expect(() => a.election.guard()).toThrow(NotLeaderError);
  expect(a.log).toEqual(["begin", "abort"]);
  await world.advance(60_000);
  expect(b.election.isLeader).toBe(true);
  expect(a.log).toEqual(["begin", "abort", "end"]);
});

test("the guard throws after the machine was asleep, when only the wall clock went on", async () => {
  const a = candidate("a");
  await world.advance(1000);
  a.machine.set(60_000);
  expect(a.election.isLeader).toBe(false);
  expect(a.log).toEqual(["begin", "abort"]);
});

test("setting the wall clock does not shorten the wait of others", async () => {
  candidate("a");
  await world.advance(1000);
  const b = candidate("b");
  await world.advance(1000);
  b.machine.set(3_600_000);
  await world.advance(30_000);
  expect(b.log).toEqual([]);
});

test("the term ends at once when another process has taken the Lease", async () => {
  const a = candidate("a");
  await world.advance(1000);
  const other = server.client();
  if (!server.lease) throw new Error("no lease");
  await other.update({ ...server.lease, spec: { ...server.lease.spec, holderIdentity: "z" } });
  await world.advance(2000);
  expect(a.log).toEqual(["begin", "abort", "end"]);
  expect(a.election.leader).toBe("z");
});

test("the term ends when the Lease is gone, as others may have created it again", async () => {
  const a = candidate("a");
  await world.advance(1000);
  server.leases.clear();
  await world.advance(2000);
  expect(a.log.slice(0, 3)).toEqual(["begin", "abort", "end"]);
  await world.advance(5000);
  expect(a.log).toEqual(["begin", "abort", "end", "begin"]);
});

test("a Lease that somebody has changed is renewed all the same", async () => {
  const a = candidate("a");
  await world.advance(1000);
  if (!server.lease) throw new Error("no lease");
  const labels = { seen: "yes" };
  await server.client().update({
    ...server.lease,
    metadata: { ...server.lease.metadata, labels },
    spec: { ...server.lease.spec, renewTime: "2000-01-01T00:00:00.000000Z" },
  });
  await world.advance(20_000);
  expect(a.log).toEqual(["begin"]);
  expect(server.lease.metadata.labels).toEqual(labels);
});

describe("a lost response to a write that took the Lease", () => {
  const lost: Fate = { lost: { at: "answer", error: unavailable } };

  test("is made up for by the next read", async () => {
    const a = candidate("a");
    a.fate = (verb) => (verb === "create" ? lost : {});
    await world.advance(5000);
    expect(a.log).toEqual(["begin"]);
  });

  test("does not keep the Lease held when the process stops", async () => {
    const a = candidate("a");
    a.fate = (verb) => (verb === "create" ? lost : {});
    await world.advance(0);
    expect(server.lease?.spec?.holderIdentity).toBe("a");
    a.stop();
    await a.done;
    expect(server.lease?.spec?.holderIdentity).toBe("");
  });
});

describe("work that ends by itself", () => {
  const options = () => ({ client: server.client(), namespace: "n", name: "lease", clock: world, random });

  test("ends the run and releases the lease", async () => {
    const election = leaderElection(options());
    await election.run(() => {
      expect(election.isLeader).toBe(true);
    });
    expect(election.isLeader).toBe(false);
    expect(server.lease?.spec?.holderIdentity).toBe("");
    expect(world.timers).toBe(0);
  });

  test("with an error throws it, after the lease was released", async () => {
    const election = leaderElection(options());
    const failed = election.run(() => {
      throw new Error("broken");
    });
    await expect(failed).rejects.toThrow("broken");
    expect(server.lease?.spec?.holderIdentity).toBe("");
  });

  test("a second run at the same time is an error", async () => {
    const stopper = new AbortController();
    const election = leaderElection(options());
    const run = election.run(
      (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
      {
        signal: stopper.signal,
      },
    );
    await expect(election.run(() => {})).rejects.toThrow("running already");
    await world.advance(0);
    expect(election.isLeader).toBe(true);
    stopper.abort();
    await run;
  });
});

test.each<[Partial<LeaderElectionOptions>, string]>([
  [{ leaseDuration: "10s" }, "the leader would keep working after its lease has expired"],
  [{ retryPeriod: "9s" }, "a lease could not be renewed in time"],
  [{ retryPeriod: 0 }, "retryPeriod must be above 0"],
])("rejects durations that cannot work: %j", (timing, message) => {
  const options = { client: server.client(), namespace: "n", name: "lease", ...timing };
  expect(() => leaderElection(options)).toThrow(message);
});
