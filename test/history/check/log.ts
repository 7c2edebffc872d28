import type { Register, Side, WatchRecord } from "../history.js";
import { sameRegister, show, type Report } from "./report.js";

/** One change of one register. */
export interface Change {
  readonly revision: number;
  readonly name: string;
  /** New version; undefined after a delete. */
  readonly after: Register | undefined;
  readonly before: Register | undefined;
}

/** State of a register from a revision on. */
export interface Version {
  readonly from: number;
  readonly register: Register | undefined;
}

/** All changes in order of revision, as the reference watch received them. */
export class Log {
  readonly changes: Change[] = [];
  readonly #versions = new Map<string, Version[]>();
  #newest = 0;

  constructor({ steps }: WatchRecord, report: Report) {
    const [first, ...rest] = steps;
    if (first?.type !== "listed") throw new Error("the reference watch must begin with a list");
    for (const register of first.page.items) this.#versions.set(register.name, [{ from: 0, register }]);
    this.#newest = first.page.revision;
    for (const step of rest) {
      if (step.type === "event") this.#add(step.event, step.register, report);
      else if (step.type !== "opened" && step.type !== "bookmark") {
        report("reference", `the reference watch has a gap: ${step.type}`);
      }
    }
  }

  /** Checks that an event can follow the ones before it, and adds it. */
  #add(event: string, register: Register, report: Report): void {
    const { name, revision } = register;
    const versions = this.#versions.get(name) ?? [];
    const before = versions.at(-1)?.register;
    if (revision <= this.#newest) {
      report("order", `${event} ${show(register)} after revision ${this.#newest}`);
      return;
    }
    this.#newest = revision;
    if ((event === "ADDED") !== (before === undefined)) {
      report("lost event", `${event} ${show(register)} follows ${show(before)}`);
    }
    if (event !== "ADDED" && before !== undefined && before.uid !== register.uid) {
      report("lost event", `${event} ${show(register)} has another uid than ${show(before)}`);
    }
    if (event === "DELETED" && before !== undefined && !sameRegister({ ...before, revision }, register)) {
      report("content", `DELETED ${show(register)} does not have the content of ${show(before)}`);
    }
    const after = event === "DELETED" ? undefined : register;
    this.changes.push({ revision, name, after, before });
    versions.push({ from: revision, register: after });
    this.#versions.set(name, versions);
  }

  /** Versions of a register between two revisions: the one that is current at the first, and all later ones. */
  versionsBetween(name: string, first: number, last: number): readonly Version[] {
    const versions = this.#versions.get(name) ?? [];
    const start = versions.findLastIndex(({ from }) => from <= first);
    const end = versions.findLastIndex(({ from }) => from <= Math.max(first, last));
    const found = versions.slice(Math.max(0, start), end + 1);
    return start < 0 ? [{ from: 0, register: undefined }, ...found] : found;
  }

  /** Registers that exist at a revision and match a selector, by name. */
  stateAt(revision: number, side: Side | undefined): Register[] {
    const registers: Register[] = [];
    for (const name of [...this.#versions.keys()].sort()) {
      const [version] = this.versionsBetween(name, revision, revision);
      if (version?.register !== undefined && matches(version.register, side))
        registers.push(version.register);
    }
    return registers;
  }
}

export function matches(register: Register | undefined, side: Side | undefined): boolean {
  return register !== undefined && (side === undefined || register.side === side);
}
