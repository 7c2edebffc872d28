import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "fettle/model";
import {
  DriverError,
  type Attempt,
  type AttemptRecord,
  type DriverChange,
  type DriverEntry,
  type Launch,
  type LogLine,
  type LogOptions,
  type ProbeCheck,
  type ProcessDriver,
  type SignalName,
  type StopOptions,
} from "../driver.js";
import { checkAttempt, checkSignal, checkUid, launchProblem, outdatedAttempts } from "../launch-check.js";
import { AttemptFolders, driverError, namesIn } from "./attempt-folder.js";
import { AttemptReader } from "./attempt-reader.js";
import { findCgroups, noCgroups, type Cgroups } from "./cgroups.js";
import { Changes } from "./changes.js";
import { failpoint } from "./failpoint.js";
import { followLog } from "./follow-log.js";
import { bootId, errorCode } from "./identity.js";
import { encodeLaunch } from "./launch-file.js";
import { LogProbes } from "./log-probes.js";
import { openEventPipe, writeToPipe } from "./pipes.js";
import { allocatePort, isPortFree } from "./ports.js";
import { probeCommand, probeHttp, probeTcp } from "./probes.js";
import { ShimServer } from "./shim-server.js";
import { encodeState } from "./state-file.js";
import { Waiters } from "./waiters.js";

export interface LinuxDriverOptions {
  /** Folder for records and logs; of this driver alone. */
  readonly folder: string;
  readonly clock?: Clock | undefined;
  readonly log?: ((message: string) => void) | undefined;
  /** `off` never creates cgroups. Default: `auto`, where that is permitted. */
  readonly cgroups?: "auto" | "off" | undefined;
}

/** Milliseconds between two looks while waiting for one attempt. */
const waitInterval = 250;
/** Milliseconds within which a shim has to take a request, and to confirm one to stop. */
const responseLimit = 10_000;

/**
 * Opens the driver that runs real processes on Linux.
 *
 * @example
 * await using driver = await openLinuxDriver({ folder: "/var/lib/fettle/processes" });
 */
export async function openLinuxDriver(options: LinuxDriverOptions): Promise<ProcessDriver> {
  if (process.platform !== "linux") {
    throw new DriverError(
      "NotPermitted",
      `Processes can be run on Linux only, and this is ${process.platform}`,
    );
  }
  const driver = new LinuxDriver(options);
  try {
    await driver.open();
  } catch (error) {
    await driver[Symbol.asyncDispose]();
    throw error;
  }
  return driver;
}

class LinuxDriver implements ProcessDriver {
  readonly #instance = randomUUID();
  readonly #clock: Clock;
  readonly #log: (message: string) => void;
  readonly #folders: AttemptFolders;
  readonly #cgroups: Cgroups;
  readonly #reader: AttemptReader;
  readonly #server: ShimServer;
  readonly #waiters = new Waiters();
  readonly #logProbes = new LogProbes();
  readonly #changes: Changes;
  /** Attempts that are being started or stopped. */
  readonly #actions = new Set<string>();
  /** Starts that the shim server refused. */
  readonly #refusals = new Map<string, string>();
  /** Time from which the leftovers of a lost attempt may be looked for again. */
  readonly #sweepsAt = new Map<string, number>();
  #events: Disposable | undefined;

  constructor({ folder, clock = systemClock, log = () => {}, cgroups = "auto" }: LinuxDriverOptions) {
    const root = resolve(folder);
    this.#clock = clock;
    this.#log = log;
    this.#folders = new AttemptFolders(root);
    const group = `fettle/${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
    this.#cgroups = cgroups === "off" ? noCgroups("cgroups are turned off") : findCgroups(group);
    this.#reader = new AttemptReader({
      folders: this.#folders,
      instance: this.#instance,
      clock,
      cgroups: this.#cgroups,
      onLost: (uid, attempt) => this.#killLeftovers(uid, attempt),
    });
    this.#changes = new Changes({
      reader: this.#reader,
      clock,
      changed: (uid, attempt) => this.#waiters.wake(uid, attempt),
      isActedOn: (uid, attempt) => this.#actions.has(`${uid}/${attempt}`),
      ended: (uid, attempt) => this.#logProbes.forget(`${this.#folders.path(uid, attempt)} `),
    });
    this.#server = new ShimServer({
      folder: root,
      log,
      onEnd: () => this.#waiters.wakeAll(),
      onFailure: (uid, attempt, message) => {
        this.#refusals.set(`${uid}/${attempt}`, message);
        this.#waiters.wake(uid, attempt);
      },
    });
  }

  async open(): Promise<void> {
    try {
      this.#folders.prepare();
      // Locks the folder; only then may unfinished things of an earlier instance be removed.
      await this.#server.ensure();
      this.#folders.removeUnfinished();
    } catch (error) {
      throw error instanceof DriverError ? error : driverError(error, "The folder could not be opened");
    }
    this.#events = openEventPipe(join(this.#folders.root, "events"), (uid, attempt) => {
      this.#changes.announce(uid, attempt);
    });
    for (const uid of this.#folders.uids()) {
      for (const attempt of this.#folders.attempts(uid)) this.#adopt(uid, attempt);
    }
    this.#changes.poll();
  }

  async inspect(uid: string): Promise<readonly Attempt[]> {
    checkUid(uid);
    return this.#folders
      .attempts(uid)
      .map((attempt) => this.#reader.read(uid, attempt))
      .filter((attempt) => attempt !== undefined);
  }

  async list(): Promise<readonly DriverEntry[]> {
    return this.#folders
      .uids()
      .filter((uid) => this.#folders.attempts(uid).length > 0)
      .map((uid) => this.#folders.owner(uid))
      .filter((entry) => entry !== undefined);
  }

  async start(uid: string, attempt: number, launch: Launch, record: AttemptRecord): Promise<void> {
    checkAttempt(uid, attempt);
    const created =
      !existsSync(this.#folders.path(uid, attempt)) && this.#create(uid, attempt, launch, record);
    failpoint("after-rename");
    using _ = this.#act(uid, attempt);
    await this.#untilStarted(uid, attempt, created);
    failpoint("after-start");
    if (created) this.#removeOutdated(uid, launch.history);
  }

  async stop(uid: string, attempt: number, { reason, signal, grace }: StopOptions): Promise<void> {
    checkAttempt(uid, attempt);
    checkSignal(signal);
    const milliseconds = Math.max(0, Math.ceil(grace));
    using waiter = this.#waiters.create(uid, attempt);
    using _ = this.#act(uid, attempt);
    const recipient = await this.#send(uid, attempt, `stop ${signal} ${milliseconds} ${reason}\n`);
    failpoint("after-stop-request");
    if (recipient === "orphan") {
      const path = this.#folders.path(uid, attempt);
      tryTo(() => writeFileSync(join(path, "stopping"), reason, { mode: 0o600 }));
      await this.#server.request("orphan", uid, attempt, signal, milliseconds);
      return;
    }
    if (recipient === undefined) return;
    for (
      const end = performance.now() + responseLimit;
      performance.now() < end;
      await waiter.next(waitInterval)
    ) {
      const found = this.#reader.read(uid, attempt);
      if (!found || found.stopReason !== undefined || found.state === "exited") return;
    }
    throw this.#unresponsive(uid, attempt);
  }

  async signal(uid: string, attempt: number, signal: SignalName): Promise<void> {
    checkAttempt(uid, attempt);
    checkSignal(signal);
    const recipient = await this.#send(uid, attempt, `signal ${signal}\n`);
    if (recipient === "orphan") await this.#server.request("orphan", uid, attempt, signal);
  }

  async probe(
    uid: string,
    attempt: number,
    probe: ProbeCheck,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    checkAttempt(uid, attempt);
    signal.throwIfAborted();
    const state = this.#reader.state(uid, attempt);
    if (state !== "running" && state !== "orphaned") return "the process is not running";
    switch (probe.type) {
      case "http":
        return await probeHttp(probe, signal);
      case "tcp":
        return await probeTcp(probe.host, probe.port, signal);
      case "exec":
        return await probeCommand(probe.argv, probe.launch, signal);
      case "log":
        return await this.#logProbes.probe(this.#folders.path(uid, attempt), probe.pattern, signal);
      case "notify":
        return this.#reader.read(uid, attempt)?.notified === true
          ? undefined
          : "the process has not written to its notify descriptor";
    }
  }

  async remove(uid: string): Promise<void> {
    checkUid(uid);
    const attempts = this.#folders.attempts(uid);
    const running = attempts.find((attempt) => this.#isActive(uid, attempt));
    if (running !== undefined) {
      throw new DriverError("NotExited", `Attempt ${running} of ${uid} is still running: stop it first`);
    }
    this.#folders.remove(uid);
    for (const attempt of attempts) this.#forget(uid, attempt);
  }

  async *logs(uid: string, attempt: number, options: LogOptions): AsyncIterable<LogLine> {
    checkAttempt(uid, attempt);
    using waiter = this.#waiters.create(uid, attempt);
    const folder = this.#folders.path(uid, attempt);
    yield* followLog({ folder, waiter, isComplete: () => !this.#isActive(uid, attempt) }, options);
  }

  async isPortFree(host: string, port: number): Promise<boolean> {
    return await isPortFree(host, port);
  }

  async allocatePort(host: string, taken: ReadonlySet<number>): Promise<number> {
    return await allocatePort(host, taken);
  }

  subscribe(listener: (change: DriverChange) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#changes.close();
    this.#events?.[Symbol.dispose]();
    this.#logProbes.forget();
    await this.#server.close();
  }

  /** Marks an attempt as being acted on, until it is disposed of. */
  #act(uid: string, attempt: number): Disposable {
    const key = `${uid}/${attempt}`;
    this.#actions.add(key);
    return { [Symbol.dispose]: () => void this.#actions.delete(key) };
  }

  #create(uid: string, attempt: number, launch: Launch, record: AttemptRecord): boolean {
    const boot = bootId();
    const stored = { instance: this.#instance, bootId: boot, record };
    const problem = launchProblem(launch);
    if (problem) {
      const state = { boot, phase: "exited", cause: "NotStarted", at: this.#clock.now(), ...problem };
      return this.#folders.create(uid, attempt, { stored, state: encodeState(state) });
    }
    // Unique, because an attempt whose folder was deleted may still run when another one gets its number.
    const group = `${uid}-${attempt}-${randomBytes(4).toString("hex")}`;
    const plan = this.#cgroups.plan(group, launch.limits);
    return this.#folders.create(uid, attempt, {
      stored,
      launch: encodeLaunch(launch, `${record.namespace}/${record.name}`, plan),
      state: encodeState({ boot, phase: "new" }),
    });
  }

  /**
   * Waits until an attempt runs or has ended. Requests are repeated when the shim server was killed, also because it did not respond: a
   * second shim would find the attempt claimed, and end.
   */
  async #untilStarted(uid: string, attempt: number, created: boolean): Promise<void> {
    using waiter = this.#waiters.create(uid, attempt);
    this.#changes.track(uid, attempt);
    let requested = created ? -1 : this.#server.generation;
    let limit = performance.now() + responseLimit;
    while (this.#reader.state(uid, attempt) === "starting") {
      const refusal = this.#refusals.get(`${uid}/${attempt}`);
      this.#refusals.delete(`${uid}/${attempt}`);
      if (refusal !== undefined && this.#cancel(uid, attempt)) throw new DriverError("ShimFailed", refusal);
      if (requested !== this.#server.generation && this.#isUnclaimed(uid, attempt)) {
        try {
          await this.#server.request("start", uid, attempt);
        } catch (error) {
          if (this.#cancel(uid, attempt)) throw error;
        }
        requested = this.#server.generation;
        limit = performance.now() + responseLimit;
        failpoint("after-request");
      } else if (performance.now() > limit && this.#isUnclaimed(uid, attempt)) {
        await this.#server.kill("it did not start a shim in time");
      }
      await waiter.next(waitInterval);
    }
  }

  /** Sends a request to what can carry it out; undefined if the attempt has ended. */
  async #send(uid: string, attempt: number, text: string): Promise<"shim" | "orphan" | undefined> {
    using waiter = this.#waiters.create(uid, attempt);
    for (const end = performance.now() + responseLimit; performance.now() < end;) {
      const state = this.#reader.state(uid, attempt);
      if (state === undefined || state === "exited") return undefined;
      if (state === "orphaned") return "orphan";
      if (state === "running" && writeToPipe(join(this.#folders.path(uid, attempt), "control"), text)) {
        return "shim";
      }
      // It is being started, the shim is about to end, or somebody deleted a file, which the shim creates again within a minute.
      await waiter.next(waitInterval);
    }
    throw this.#unresponsive(uid, attempt);
  }

  #unresponsive(uid: string, attempt: number): DriverError {
    const { pid } = this.#reader.shim(uid, attempt) ?? {};
    const hint = pid === undefined ? "" : `; if it was suspended, continue it with kill -CONT ${pid}`;
    return new DriverError("ShimFailed", `The shim of the process does not respond${hint}`);
  }

  #isActive(uid: string, attempt: number): boolean {
    const state = this.#reader.state(uid, attempt);
    return state !== undefined && state !== "exited";
  }

  #isUnclaimed(uid: string, attempt: number): boolean {
    return existsSync(join(this.#folders.path(uid, attempt), "unclaimed"));
  }

  /** Removes an attempt that no shim has claimed; false if one has. */
  #cancel(uid: string, attempt: number): boolean {
    const path = this.#folders.path(uid, attempt);
    try {
      renameSync(join(path, "unclaimed"), join(path, "claim.driver"));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    }
    failpoint("after-cancel");
    this.#folders.remove(uid, attempt);
    this.#forget(uid, attempt);
    return true;
  }

  /** Takes over an attempt of an earlier instance. One that no shim has claimed was never reported as started, so it is removed. */
  #adopt(uid: string, attempt: number): void {
    if (this.#cancel(uid, attempt)) return;
    const path = this.#folders.path(uid, attempt);
    const isUnreadable = this.#reader.state(uid, attempt) === undefined;
    if (isUnreadable) this.#log(`${path} is damaged, as after a crash of the machine, and is removed`);
    if (isUnreadable || namesIn(path).includes("claim.driver")) {
      this.#folders.remove(uid, attempt);
      this.#forget(uid, attempt);
    } else if (this.#isActive(uid, attempt)) {
      this.#changes.track(uid, attempt);
    }
  }

  #removeOutdated(uid: string, history: number): void {
    const numbers = this.#folders.attempts(uid);
    if (numbers.length <= history) return;
    const states = numbers.map((number) => ({ number, exited: !this.#isActive(uid, number) }));
    for (const number of outdatedAttempts(states, history)) {
      // It is tried again at the next start.
      tryTo(() => this.#folders.remove(uid, number));
      this.#forget(uid, number);
    }
  }

  #forget(uid: string, attempt: number): void {
    this.#changes.forget(uid, attempt);
    this.#sweepsAt.delete(`${uid}/${attempt}`);
    this.#reader.forget(uid, attempt);
    this.#logProbes.forget(`${this.#folders.path(uid, attempt)} `);
  }

  /** Asks for it once a second at most; the attempt is announced when nothing is left. */
  #killLeftovers(uid: string, attempt: number): void {
    const key = `${uid}/${attempt}`;
    if (performance.now() < (this.#sweepsAt.get(key) ?? 0)) return;
    this.#sweepsAt.set(key, performance.now() + 1000);
    this.#changes.track(uid, attempt);
    this.#server.request("orphan", uid, attempt, "-", 0).catch((error: unknown) => {
      this.#log(`descendants of ${uid}/${attempt} could not be killed: ${String(error)}`);
    });
  }
}

function tryTo(step: () => void): void {
  try {
    step();
  } catch {
    // The caller says why this may fail.
  }
}
