import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "fettle/model";
import type { Attempt, AttemptState, ExitRecord, StopReason } from "../driver.js";
import { namesIn, readJson, type AttemptFolders, type StoredRecord } from "./attempt-folder.js";
import type { Cgroups } from "./cgroups.js";
import { bootId, isAlive, parseKey, readIfExists, type ProcessKey } from "./identity.js";
import { readState, type ShimState } from "./state-file.js";
import { usageOf } from "./usage.js";

export interface AttemptReaderOptions {
  readonly folders: AttemptFolders;
  readonly instance: string;
  readonly clock: Clock;
  readonly cgroups: Cgroups;
  /** Called for an attempt whose shim was killed while something of it remains in cgroups, though not the main process. */
  readonly onLost: (uid: string, attempt: number) => void;
}

/** Looks at the folder of a lost attempt after which an empty one that cannot be removed is left alone. */
const maxSweeps = 100;

/** State of an attempt, and the end if there is one. */
interface Verdict {
  readonly state: AttemptState;
  readonly exit?: ExitRecord | undefined;
  /** Content of the state file. */
  readonly shim: ShimState | undefined;
}

/** Works out the state of attempts from the files of their shims and from what runs. */
export class AttemptReader {
  readonly #options: AttemptReaderOptions;
  /** Records do not change. */
  readonly #records = new Map<string, StoredRecord>();
  /** Ends that this instance noticed; kept in memory for the case that the disk is full. */
  readonly #ends = new Map<string, ExitRecord>();

  /** Number of searches that found leftovers of a lost attempt, by attempt. */
  readonly #sweeps = new Map<string, number>();

  constructor(options: AttemptReaderOptions) {
    this.#options = options;
  }

  /** Reads an attempt; undefined if there is none. Its resource usage, which is in several other files, can be left out. */
  read(uid: string, number: number, { usage = true } = {}): Attempt | undefined {
    const { instance, cgroups, folders } = this.#options;
    const path = folders.path(uid, number);
    const stored = this.#stored(path);
    if (stored === undefined) return undefined;
    const verdict = this.#judge(uid, number, stored);
    const state = verdict.shim;
    const { child } = state ?? {};
    const exited = verdict.state === "exited";
    const hasShim = verdict.state === "running" || verdict.state === "starting" || state?.phase === "exited";
    return {
      number,
      state: verdict.state,
      record: stored.record,
      startedAt: state?.startedAt,
      process:
        child && state && state.startedAt !== undefined ? { ...child, bootId: state.bootId } : undefined,
      stopReason: state?.stopping ?? (hasShim ? undefined : orphanStopReason(path)),
      notified: state?.notified ?? false,
      adopted: stored.instance !== instance,
      tracking: state?.tracking ?? "none",
      limitProblems: state?.limitProblems ?? [],
      usage: exited || !state || !usage ? undefined : usageOf(state, cgroups),
      lostLines: state?.lostLines ?? { count: 0 },
      exit: verdict.exit,
    };
  }

  /** State only; undefined if there is no such attempt. */
  state(uid: string, number: number): AttemptState | undefined {
    const stored = this.#stored(this.#options.folders.path(uid, number));
    return stored && this.#judge(uid, number, stored).state;
  }

  forget(uid: string, number: number): void {
    this.#forgetPath(this.#options.folders.path(uid, number));
  }

  #forgetPath(path: string): void {
    this.#records.delete(path);
    this.#ends.delete(path);
    this.#sweeps.delete(path);
  }

  /** Process that claimed an attempt as its shim, whether it is still alive or not. */
  shim(uid: string, number: number): ProcessKey | undefined {
    return claimOf(namesIn(this.#options.folders.path(uid, number)));
  }

  #stored(path: string): StoredRecord | undefined {
    // Somebody deleted the folder. Another attempt may get its number.
    if (this.#records.has(path) && !existsSync(path)) this.#forgetPath(path);
    const known =
      this.#records.get(path) ?? (readJson(join(path, "record.json")) as StoredRecord | undefined);
    if (known) this.#records.set(path, known);
    return known;
  }

  #judge(uid: string, number: number, stored: StoredRecord): Verdict {
    const path = this.#options.folders.path(uid, number);
    const state = readState(join(path, "state"));
    const end = this.#end(path);
    if (end) return { state: "exited", exit: end, shim: state };
    if (state?.phase === "exited") return { state: "exited", exit: state.exit, shim: state };
    if (stored.bootId !== bootId()) {
      // An exit code that was recorded is worth more than the knowledge that the machine was rebooted.
      return { state: "exited", exit: state?.exit ?? this.#notice(path, "Rebooted"), shim: state };
    }
    if (this.#hasShim(path, state)) {
      const runs = state?.phase === "running" || state?.phase === "ending";
      return { state: runs ? "running" : "starting", shim: state };
    }
    // The shim may have written its last words after they were read above.
    const last = readState(join(path, "state"));
    if (last?.phase === "exited") return { state: "exited", exit: last.exit, shim: last };
    if (last?.child && !last.exit && isAlive(last.child)) return { state: "orphaned", shim: last };
    if (last && this.#hasLeftovers(path, last)) {
      this.#options.onLost(uid, number);
      return { state: last.phase === "new" ? "starting" : "orphaned", shim: last };
    }
    const exit = last?.exit
      ? this.#record(path, last.exit)
      : last?.phase === "new"
        ? this.#notice(path, "NotStarted", "Its shim was killed before it could start the process")
        : this.#notice(path, "Unknown");
    return { state: "exited", exit, shim: last };
  }

  #end(path: string): ExitRecord | undefined {
    const file = join(path, "end.json");
    return (
      this.#ends.get(path) ?? (existsSync(file) ? (readJson(file) as ExitRecord | undefined) : undefined)
    );
  }

  /** True while processes or folders of a lost attempt remain in cgroups. Folders that cannot be removed do not count for ever. */
  #hasLeftovers(path: string, { cgroups }: ShimState): boolean {
    const folders = [...cgroups.values()].filter((folder) => existsSync(folder));
    if (folders.length === 0) return false;
    const waited = (this.#sweeps.get(path) ?? 0) + 1;
    this.#sweeps.set(path, waited);
    const hasProcesses = folders.some((folder) => readIfExists(join(folder, "cgroup.procs")) !== "");
    return hasProcesses || waited < maxSweeps;
  }

  #hasShim(path: string, state: ShimState | undefined): boolean {
    if (state?.shim) return isAlive(state.shim);
    // A folder that is listed while a file is renamed can seem to have neither name.
    for (let reads = 0; reads < 10; reads++) {
      const names = namesIn(path);
      if (names.includes("unclaimed")) return true;
      const claim = claimOf(names);
      if (claim) return isAlive(claim);
    }
    return false;
  }

  /** Records an end that the shim could not record. */
  #notice(path: string, cause: ExitRecord["cause"], message?: string): ExitRecord {
    const exit: ExitRecord = {
      cause,
      oomKilled: false,
      leftovers: 0,
      problem: message === undefined ? undefined : { reason: "LaunchFailed", message },
      at: this.#options.clock.now(),
    };
    return this.#record(path, exit);
  }

  #record(path: string, exit: ExitRecord): ExitRecord {
    this.#ends.set(path, exit);
    this.#sweeps.delete(path);
    try {
      // It may have secrets, and the shim was killed before it could delete it.
      rmSync(join(path, "launch"), { force: true });
      writeFileSync(join(path, "end.json.new"), JSON.stringify(exit), { mode: 0o600 });
      renameSync(join(path, "end.json.new"), join(path, "end.json"));
    } catch {
      // The disk is full or the folder was removed: the next instance will notice the end again.
    }
    return exit;
  }
}

function claimOf(names: readonly string[]): ProcessKey | undefined {
  return parseKey(names.find((name) => name.startsWith("claim."))?.slice("claim.".length));
}

/** Reason of a request to stop that came when the shim was gone. */
function orphanStopReason(path: string): StopReason | undefined {
  return readIfExists(join(path, "stopping")) as StopReason | undefined;
}
