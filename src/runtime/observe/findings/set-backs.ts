import { renderPath } from "../../../model/apply/fields/path-element.js";
import type { Json, KubeObject } from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";
import type { Run, WriteRecord } from "../../runs/run.js";
import { isChange, objectOf, selfOf } from "./causes.js";
import { changedFields, isWanted, type ChangedField } from "./changed-fields.js";
import { ownerOf, writerOf } from "./contested.js";
import { fightOf } from "./fights.js";
import type { Finding } from "./finding.js";
import { dropOld } from "./recent.js";

export interface SetBackOptions {
  /** How often a field must have been set back within `window`. */
  readonly times: number;
  /** In milliseconds. */
  readonly window: number;
}

/** A field of the object that its runs have set. */
interface Field {
  readonly path: string;
  /** What they set it to, and what others had set it to before. */
  readonly ours: Json;
  theirs: Json | undefined;
  /** When it was set back from `theirs` to `ours`. */
  readonly times: number[];
  /** Who else sets it, and under which name we do. */
  managers: readonly [string, string];
}

/** What a run has done to a field, with the write that did it. */
interface Done extends ChangedField {
  readonly write: Comparable;
}

type Comparable = WriteRecord & { readonly before: KubeObject; readonly after: KubeObject };

/**
 * Who fights with a controller over fields of the very object that it is run for. A field counts each time that a run sets
 * it to the value it had set it to before, after somebody else had set it to the value they had set it to before: A, B, A,
 * B. Somebody who wants something else each time is no opponent, and neither is who asks for something by a field that is
 * taken away when it is done. All is forgotten when others change something of what is wanted that the run lets stand:
 * then they lead, and the runs follow.
 *
 * There is one for each object; it compares whole objects, so it is for those that are run suspiciously often.
 */
export class SetBacks {
  readonly #options: SetBackOptions;
  readonly #fields = new Map<string, Field>();
  /** The object as our last write has left it. */
  #left: KubeObject | undefined;

  constructor(options: SetBackOptions) {
    this.#options = options;
  }

  /** Takes note of a run. */
  add(run: Run, now: number): void {
    const self = selfOf(run);
    const writes = run.writes.filter((write) => isComparable(write, self));
    const [first] = writes;
    if (first === undefined) return;
    const done = allOf(writes);
    if (this.#left !== undefined && this.#isLed(changedFields(this.#left, first.before), done)) {
      this.#fields.clear();
    }
    for (const [path, change] of done) this.#set(path, change, run, now);
    this.#left = writes.at(-1)?.after;
  }

  /** The fights there are now, one for each other manager. */
  findings({ controller, kind, key }: Run, now: number): readonly Finding[] {
    const fought = [...this.#fields.values()].filter(
      ({ times }) => times.length >= this.#options.times && times.at(-1) === now,
    );
    const pairs = new Map(fought.map(({ managers }) => [managers.join(), managers]));
    return Array.from(pairs, ([pair, [manager, ours]]) => {
      const fields = fought.filter(({ managers }) => managers.join() === pair);
      return fightOf({ controller, object: `${kind} ${key}`, manager, ours }, fields, now);
    });
  }

  /** Whether others have changed something of what is wanted, and this was not undone. */
  #isLed(others: readonly ChangedField[], done: ReadonlyMap<string, Done>): boolean {
    return others.some(({ path, from }) => isWanted(path) && !isSame(done.get(nameOf(path))?.to, from));
  }

  #set(path: string, change: Done, { controller }: Run, now: number): void {
    const { from, to } = change;
    const known = this.#fields.get(path);
    if (to === undefined) {
      this.#fields.delete(path);
    } else if (known === undefined || !isSame(known.ours, to)) {
      const managers = managersOf(change, controller);
      this.#fields.set(path, { path, ours: to, theirs: from, times: [], managers });
    } else {
      if (!isSame(known.theirs, from)) known.times.length = 0;
      known.theirs = from;
      known.managers = managersOf(change, controller);
      known.times.push(now);
      dropOld(known.times, now, this.#options.window);
    }
  }
}

function isComparable(write: WriteRecord, self: string): write is Comparable {
  return objectOf(write) === self && write.verb !== "delete" && isChange(write) && write.before !== undefined;
}

/** What several writes have done together. */
function allOf(writes: readonly Comparable[]): ReadonlyMap<string, Done> {
  const done = new Map<string, Done>();
  for (const write of writes) {
    for (const { path, from, to } of changedFields(write.before, write.after)) {
      const name = nameOf(path);
      const earlier = done.get(name);
      done.set(name, { path, from: earlier === undefined ? from : earlier.from, to, write });
    }
  }
  return done;
}

/** The other one and ourselves: who owned the field before a write, and who did after. */
function managersOf({ path, write }: Done, controller: string): readonly [string, string] {
  const ours = ownerOf(write.after, path) ?? controller;
  return [ownerOf(write.before, path, ours) ?? writerOf(write.before, ours), ours];
}

function nameOf(path: ChangedField["path"]): string {
  return renderPath(path).slice(1);
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return jsonEqual(one, other);
}
