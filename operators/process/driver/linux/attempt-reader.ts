import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "fettle/model";
import type { Attempt, AttemptState, ExitRecord, StopReason } from "../driver.js";
import { namesIn, readJson, type AttemptFolders, type StoredRecord } from "./attempt-folder.js";
import type { Cgroups } from "./cgroups.js";
import { bootId, errorCode, isAlive, parseKey } from "./identity.js";
import { readState, type ShimState } from "./state-file.js";
import { usageOf } from "./usage.js";

export interface AttemptReaderOptions {
  readonly folders: AttemptFolders;
  readonly instance: string;
  readonly clock: Clock;
  readonly cgroups: Cgroups;
  /** Called once for each attempt whose shim was killed and whose main process has ended. */
  readonly onLost: (uid: string, attempt: number) => void;
}

/** State of an attempt, and the end if there is one. */
interface Verdict {
  readonly state: AttemptState;
  readonly exit?: ExitRecord | undefined;
}

/** Works out the state of attempts from the files of their shims and from what runs. */
export class AttemptReader {
  readonly #options: AttemptReaderOptions;
  /** Records do not change. */
  readonly #records = new Map<string, StoredRecord>();
  /** Ends that this instance noticed; kept in memory for the case that the disk is full. */
  readonly #ends = new Map<string, ExitRecord>();

  constructor(options: AttemptReaderOptions) {
    this.#options = options;
  }

  /** Reads an attempt; undefined if there is none. */
  read(uid: string, number: number): Attempt | undefined {
    const { instance, cgroups, folders } = this.#options;
    const path = folders.path(uid, number);
    const stored = this.#record(path);
    if (stored === undefined) return undefined;
    const verdict = this.#judge(uid, number, stored);
    // After the verdict, so that it is at least as new.
    const state = readState(join(path, "state"));
    const { child } = state ?? {};
    const exited = verdict.state === "exited";
    return {
      number,
      state: verdict.state,
      record: stored.record,
      startedAt: state?.startedAt,
      process:
        child && state && state.startedAt !== undefined ? { ...child, bootId: state.bootId } : undefined,
      stopReason: state?.stopping ?? orphanStopReason(path),
      notified: state?.notified ?? false,
      adopted: stored.instance !== instance,
      tracking: state?.tracking ?? "none",
      limitProblems: state?.limitProblems ?? [],
      usage: exited || !state ? undefined : usageOf(state, cgroups),
      lostLines: state?.lostLines ?? { count: 0 },
      exit: verdict.exit,
    };
  }

  /** State only; undefined if there is no such attempt. */
  state(uid: string, number: number): AttemptState | undefined {
    const stored = this.#record(this.#options.folders.path(uid, number));
    return stored && this.#judge(uid, number, stored).state;
  }

  forget(uid: string, number: number): void {
    const path = this.#options.folders.path(uid, number);
    this.#records.delete(path);
    this.#ends.delete(path);
  }

  #record(path: string): StoredRecord | undefined {
    const known =
      this.#records.get(path) ?? (readJson(join(path, "record.json")) as StoredRecord | undefined);
    if (known) this.#records.set(path, known);
    return known;
  }

  #judge(uid: string, number: number, stored: StoredRecord): Verdict {
    const path = this.#options.folders.path(uid, number);
    const end = this.#ends.get(path) ?? (readJson(join(path, "end.json")) as ExitRecord | undefined);
    if (end) return { state: "exited", exit: end };
    const state = readState(join(path, "state"));
    if (state?.phase === "exited") return { state: "exited", exit: state.exit };
    const rebooted = stored.bootId !== bootId();
    if (rebooted) {
      // An exit code that was recorded is worth more than the knowledge that the machine was rebooted.
      return state?.exit ? { state: "exited", exit: state.exit } : this.#notice(path, "Rebooted");
    }
    if (this.#hasShim(path, state)) {
      return { state: state?.phase === "running" || state?.phase === "ending" ? "running" : "starting" };
    }
    // The shim may have written its last words after they were read above.
    const last = readState(join(path, "state"));
    if (last?.exit) return { state: "exited", exit: last.exit };
    if (last?.phase === "new") {
      return this.#notice(path, "NotStarted", "Its shim was killed before it could start the process");
    }
    if (last?.child && isAlive(last.child)) return { state: "orphaned" };
    this.#options.onLost(uid, number);
    return this.#notice(path, "Unknown");
  }

  #hasShim(path: string, state: ShimState | undefined): boolean {
    if (state?.shim) return isAlive(state.shim);
    // A folder that is listed while a file is renamed can seem to have neither name.
    for (let reads = 0; reads < 10; reads++) {
      const names = namesIn(path);
      if (names.includes("unclaimed")) return true;
      const claim = parseKey(names.find((name) => name.startsWith("claim."))?.slice("claim.".length));
      if (claim) return isAlive(claim);
    }
    return false;
  }

  /** Records an end that the shim could not record. */
  #notice(path: string, cause: ExitRecord["cause"], message?: string): Verdict {
    const exit: ExitRecord = {
      cause,
      oomKilled: false,
      leftovers: 0,
      problem: message === undefined ? undefined : { reason: "LaunchFailed", message },
      at: this.#options.clock.now(),
    };
    this.#ends.set(path, exit);
    try {
      writeFileSync(join(path, "end.json.new"), JSON.stringify(exit), { mode: 0o600 });
      renameSync(join(path, "end.json.new"), join(path, "end.json"));
    } catch {
      // The disk is full or the folder was removed: the next instance will notice the end again.
    }
    return { state: "exited", exit };
  }
}

/** Reason of a request to stop that came when the shim was gone. */
function orphanStopReason(path: string): StopReason | undefined {
  try {
    return readFileSync(join(path, "stopping"), "utf8") as StopReason;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
