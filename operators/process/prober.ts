import { duration, type Clock } from "fettle";
import { sleep } from "fettle/model";
import type { Launch, ProbeCheck, ProcessDriver } from "./driver/driver.js";
import { logPattern } from "./driver/log-pattern.js";
import type { ProbeSpec, ProcessSpec } from "./kinds.js";

/** What the probes of a running attempt say. */
export interface ProbeReport {
  /** True once the startup probe succeeded, or if there is none. */
  readonly started: boolean;
  readonly ready: boolean;
  /** Why it is not started or not ready. */
  readonly message?: string | undefined;
  /** Why it has to be restarted: the startup or liveness probe failed too often. */
  readonly failure?: string | undefined;
}

/** Attempt whose probes are run. */
export interface ProbedAttempt {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly number: number;
  readonly spec: ProcessSpec;
  readonly ports: Readonly<Record<string, number>>;
  readonly launch: Launch;
  /** The attempt was ready before this Fettle adopted it, and counts as ready until a probe fails. */
  readonly wasReady: boolean;
}

export interface ProberOptions {
  readonly driver: Pick<ProcessDriver, "probe">;
  readonly clock: Clock;
  /** Called when a report changed. */
  readonly onChange: (attempt: ProbedAttempt, text: string) => void;
}

/** Runs the probes of running attempts, and keeps their results. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #probing = new Map<string, AttemptProbes>();

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** Starts the probes of an attempt unless they run, and returns their results. */
  report(attempt: ProbedAttempt): ProbeReport {
    let probes = this.#probing.get(attempt.uid);
    if (probes === undefined || !probes.isFor(attempt)) {
      probes?.stop();
      probes = new AttemptProbes(attempt, this.#options);
      this.#probing.set(attempt.uid, probes);
    }
    return probes.report();
  }

  /** Stops the probes of a process. */
  stop(uid: string): void {
    this.#probing.get(uid)?.stop();
    this.#probing.delete(uid);
  }

  stopAll(): void {
    for (const uid of this.#probing.keys()) this.stop(uid);
  }
}

type ProbeName = "startup" | "readiness" | "liveness";

/** Counters of one probe. `passed` is undefined until a threshold is reached for the first time. */
interface ProbeState {
  readonly name: ProbeName;
  readonly spec: ProbeSpec;
  /** A text is the reason why it cannot be checked. */
  readonly check: ProbeCheck | string;
  passed: boolean | undefined;
  successes: number;
  failures: number;
  message: string | undefined;
}

/**
 * Probes of one attempt. The startup probe runs first, alone; when it has passed, readiness and liveness begin. All stop with the
 * attempt.
 */
class AttemptProbes {
  readonly #attempt: ProbedAttempt;
  readonly #options: ProberOptions;
  readonly #stopping = new AbortController();
  readonly #settings: string;
  readonly #states = new Map<ProbeName, ProbeState>();

  constructor(attempt: ProbedAttempt, options: ProberOptions) {
    this.#attempt = attempt;
    this.#options = options;
    this.#settings = settingsOf(attempt);
    const { startupProbe, readinessProbe, livenessProbe } = attempt.spec;
    this.#add("startup", startupProbe);
    this.#add("readiness", readinessProbe);
    this.#add("liveness", livenessProbe);
    const startup = this.#states.get("startup");
    if (startup === undefined || startup.passed === true) this.#runLasting();
    else void this.#run(startup);
  }

  isFor(attempt: ProbedAttempt): boolean {
    return this.#attempt.number === attempt.number && this.#settings === settingsOf(attempt);
  }

  stop(): void {
    this.#stopping.abort();
  }

  report(): ProbeReport {
    const [startup, readiness, liveness] = [
      this.#states.get("startup"),
      this.#states.get("readiness"),
      this.#states.get("liveness"),
    ];
    const failed = [startup, liveness].find((probe) => probe?.passed === false);
    if (failed !== undefined) {
      const { name, spec, message } = failed;
      const failure = `the ${name} probe failed ${spec.failureThreshold} times in a row: ${message}`;
      return { started: name !== "startup", ready: false, message: failure, failure };
    }
    if (startup !== undefined && startup.passed !== true) {
      return { started: false, ready: false, message: pendingText(startup) };
    }
    if (readiness !== undefined && readiness.passed !== true) {
      return { started: true, ready: false, message: pendingText(readiness) };
    }
    return { started: true, ready: true };
  }

  #add(name: ProbeName, spec: Partial<ProbeSpec> | undefined): void {
    if (spec === undefined) return;
    const { wasReady } = this.#attempt;
    this.#states.set(name, {
      name,
      spec: spec as ProbeSpec,
      check: checkOf(spec as ProbeSpec, this.#attempt),
      passed: wasReady && name !== "liveness" ? true : undefined,
      successes: 0,
      failures: 0,
      message: undefined,
    });
  }

  #runLasting(): void {
    for (const name of ["readiness", "liveness"] as const) {
      const state = this.#states.get(name);
      if (state !== undefined) void this.#run(state);
    }
  }

  async #run(state: ProbeState): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    const period = Math.max(duration(state.spec.period), shortestPeriod);
    try {
      await sleep(clock, duration(state.spec.initialDelay), signal);
      while (!signal.aborted) {
        const began = clock.now();
        const message = isOnce(state) ? await this.#await(state, began + period) : await this.#check(state);
        if (signal.aborted) return;
        this.#count(state, message);
        if (state.name === "startup" && state.passed === true) return this.#runLasting();
        // What the attempt said once stays true.
        if (state.passed === true && isOnce(state)) return;
        if (!isOnce(state)) await sleep(clock, period, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Checks often for something that happens once, so that it is noticed soon: a whole period without it is one failure. */
  async #await(state: ProbeState, until: number): Promise<string | undefined> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      const message = await this.#check(state);
      if (message === undefined || signal.aborted || clock.now() >= until) return message;
      await sleep(clock, Math.min(awaitInterval, Math.max(until - clock.now(), 1)), signal);
    }
  }

  /** Returns undefined for success, otherwise the reason of the failure. */
  async #check({ spec, check }: ProbeState): Promise<string | undefined> {
    if (typeof check === "string") return check;
    const { driver, clock } = this.#options;
    const { uid, number } = this.#attempt;
    const expired = new AbortController();
    const timer = clock.after(duration(spec.timeout), () => expired.abort());
    try {
      const signal = AbortSignal.any([expired.signal, this.#stopping.signal]);
      return await driver.probe(uid, number, check, signal);
    } catch (error) {
      if (expired.signal.aborted) return `no answer within ${spec.timeout}`;
      return error instanceof Error ? error.message : String(error);
    } finally {
      timer.cancel();
    }
  }

  #count(state: ProbeState, message: string | undefined): void {
    const { spec, name, passed } = state;
    const before = state.message;
    state.message = message;
    state.successes = message === undefined ? state.successes + 1 : 0;
    state.failures = message === undefined ? 0 : state.failures + 1;
    if (state.successes >= spec.successThreshold) state.passed = true;
    if (state.failures >= spec.failureThreshold) state.passed = false;
    if (state.passed === passed && (passed === true || before === message)) return;
    const text =
      message === undefined ? `the ${name} probe succeeded` : `the ${name} probe failed: ${message}`;
    this.#options.onChange(this.#attempt, text);
  }
}

/** Milliseconds. A shorter period would keep a processor busy. */
const shortestPeriod = 100;
const awaitInterval = 100;

/** True for checks of something that happens once. */
function isOnce({ check }: ProbeState): boolean {
  return typeof check !== "string" && (check.type === "log" || check.type === "notify");
}

/** Probes have to be started again when these change; the rest of the spec restarts the whole attempt. */
function settingsOf({ spec, ports }: ProbedAttempt): string {
  const { startupProbe, readinessProbe, livenessProbe } = spec;
  return JSON.stringify([startupProbe, readinessProbe, livenessProbe, ports]);
}

function pendingText({ name, message }: ProbeState): string {
  return message === undefined
    ? `waiting for the first result of the ${name} probe`
    : `the ${name} probe failed: ${message}`;
}

/** Check of a probe, or the reason why there is none. */
/** Explains what is wrong with the probes of a process; undefined if they can be run. */
export function probeFault(spec: ProcessSpec): string | undefined {
  const ports = Object.fromEntries(spec.ports.map(({ name, port }) => [name, port || 1]));
  for (const field of ["startupProbe", "readinessProbe", "livenessProbe"] as const) {
    const { http, tcp = http, log }: Partial<ProbeSpec> = spec[field] ?? {};
    const address = tcp && addressOf(tcp, { ports, spec });
    const fault = typeof address === "string" ? address : log && logPattern(log.pattern).fault;
    if (fault !== undefined) return `spec.${field}: ${fault}`;
  }
  return undefined;
}

function checkOf(spec: ProbeSpec, attempt: ProbedAttempt): ProbeCheck | string {
  if (spec.log !== undefined) return { type: "log", pattern: spec.log.pattern };
  if (spec.exec !== undefined) {
    const [program = "", ...rest] = spec.exec.command;
    return { type: "exec", argv: [program, ...rest], launch: attempt.launch };
  }
  const target = spec.http ?? spec.tcp;
  if (target === undefined) return { type: "notify" };
  const address = addressOf(target, attempt);
  if (typeof address === "string" || spec.http === undefined) {
    return typeof address === "string" ? address : { type: "tcp", ...address };
  }
  return { type: "http", ...address, path: spec.http.path, headers: spec.http.headers };
}

function addressOf(
  target: { readonly port?: number | string | undefined; readonly host?: string | undefined },
  { ports, spec: { ports: declared } }: Pick<ProbedAttempt, "ports" | "spec">,
): { readonly host: string; readonly port: number } | string {
  const wanted = target.port ?? declared[0]?.name;
  if (wanted === undefined) return "the probe has no port, and neither has spec.ports";
  const named = declared.find(({ name }) => name === wanted);
  const port = named === undefined ? Number(wanted) : (ports[named.name] ?? 0);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) {
    return { host: target.host ?? named?.host ?? "127.0.0.1", port };
  }
  return `${wanted} is neither a port of spec.ports nor a number from 1 to 65535`;
}
