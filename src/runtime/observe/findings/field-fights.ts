import {
  fieldElement,
  keyElement,
  renderPath,
  type PathElement,
} from "../../../model/apply/fields/path-element.js";
import type { KubeObject, ManagedFieldsEntry } from "../../../model/core.js";
import { itemKeyField } from "../../../model/diff/align.js";
import { getOwn, isJsonArray, isJsonObject, type Json, jsonEqual } from "../../../model/object/json.js";
import { Lru } from "../../recorder/lru.js";
import type { Run, WriteRecord } from "../../runs/run.js";
import { countWithin, elapsed, type Finding, writtenObject } from "./finding.js";

export interface FightOptions {
  /** Number of times within `window` that a field must be set back. Default: 3. */
  readonly times?: number | undefined;
  /** In milliseconds. Default: ten minutes. */
  readonly window?: number | undefined;
}

type Path = readonly PathElement[];
type Value = Json | undefined;

const maxObjects = 1000;
/** Fields that one message names. */
const maxNamed = 3;

/** An object that a controller has written, or its status: a write of the one says nothing about the other. */
interface Memory {
  /** The object after our last write. */
  last: KubeObject | undefined;
  /** Times at which each field was set back, by path. */
  setBack: Map<string, readonly number[]>;
}

/** Finds field fights; `Detectors` has the rule. */
export class FieldFights {
  readonly #times: number;
  readonly #window: number;
  readonly #objects = new Lru<Memory>(maxObjects);

  constructor({ times = 3, window = 600_000 }: FightOptions = {}) {
    this.#times = times;
    this.#window = window;
  }

  /** Adds a write of a run; returns the fights that it is part of, one per other field manager. */
  add({ controller, startedAt, duration }: Run, write: WriteRecord): readonly Finding[] {
    const { before, after, error, subresource } = write;
    const now = startedAt + duration;
    if (error !== undefined || after === undefined) return [];
    const object = writtenObject(write);
    const memory = this.#objects.get(
      `${controller} ${object} ${after.metadata.uid} ${subresource}`,
      newMemory,
    );
    const { last } = memory;
    memory.last = after;
    const versions = [last, before, after].map((each) => each?.metadata.resourceVersion);
    // Nobody else has written in between, or the write had no effect.
    if (last === undefined || before === undefined || new Set(versions).size < 3) return [];
    const fights = new Map<string, { managers: [string, string]; fields: Map<string, readonly number[]> }>();
    for (const path of fieldsSetBack(last, before, after, subresource)) {
      const name = renderPath(path).slice(1);
      const times = countWithin(memory.setBack.get(name) ?? [], now, this.#window);
      memory.setBack.set(name, times);
      if (times.length < this.#times) continue;
      const ours = managerOf(after, path) ?? controller;
      const managers: [string, string] = [managerOf(before, path, ours) ?? "an unknown manager", ours];
      const fight = fights.get(managers.join()) ?? { managers, fields: new Map() };
      fights.set(managers.join(), fight);
      fight.fields.set(name, times);
    }
    return Array.from(fights.values(), ({ managers, fields }) => {
      const times = [...fields.values()];
      const count = Math.max(...times.map(({ length }) => length));
      const since = Math.min(...times.map(([first = now]) => first));
      const paths = [...fields.keys()].sort();
      const who =
        managers[0] === managers[1] ? `several clients named ${managers[0]}` : managers.join(" and ");
      const message = `${object}: ${who} fight over ${listed(paths)} (${count} times in ${elapsed(since, now)})`;
      return { type: "fight", controller, object, message, count, since, at: now, paths, managers };
    });
  }
}

function newMemory(): Memory {
  return { last: undefined, setBack: new Map() };
}

/** Fields that have their last value again, and did not have it before. Lists whose items have no key count as one field. */
function fieldsSetBack(
  last: KubeObject,
  before: KubeObject,
  after: KubeObject,
  subresource: string | undefined,
): readonly Path[] {
  const found: Path[] = [];
  const isSameGeneration = last.metadata.generation === before.metadata.generation;
  for (const name of subresource === undefined ? Object.keys(after) : [subresource]) {
    if (!isSameGeneration && (name === "status" || name === "metadata")) continue;
    const of = (object: KubeObject): Value => getOwn(object as unknown as Record<string, Json>, name);
    compare(of(last), of(before), of(after), [fieldElement(name)], found);
  }
  return found;
}

function compare(last: Value, before: Value, after: Value, path: Path, found: Path[]): void {
  if (last === undefined || after === undefined) return;
  if (before !== undefined && jsonEqual(before, after)) return;
  if (isJsonObject(after)) {
    for (const name of Object.keys(after)) {
      if (name === "managedFields" && path.length === 1) continue;
      compare(field(last, name), field(before, name), after[name], [...path, fieldElement(name)], found);
    }
    return;
  }
  const key = isJsonArray(after) && isJsonArray(before) ? itemKeyField(before, after) : undefined;
  if (key === undefined || !isJsonArray(after)) {
    if (jsonEqual(last, after)) found.push(path);
    return;
  }
  for (const item of after) {
    const value = field(item, key) as Json;
    const same = (list: Value): Value =>
      isJsonArray(list) ? list.find((other) => field(other, key) === value) : undefined;
    compare(same(last), same(before), item, [...path, keyElement([[key, value]])], found);
  }
}

function field(value: Value, name: string): Value {
  return isJsonObject(value) ? getOwn(value, name) : undefined;
}

/** Last manager of a field, other than `not` if there is one; if nobody owns the field, the last one who wrote the object. */
function managerOf({ metadata }: KubeObject, path: Path, not?: string): string | undefined {
  const entries = metadata.managedFields ?? [];
  const owners = entries.filter(({ fieldsV1 }) => isOwned(fieldsV1 as Value, path));
  const isOther = ({ manager }: ManagedFieldsEntry): boolean => manager !== not;
  return newest(owners.filter(isOther)) ?? newest(owners) ?? newest(entries.filter(isOther));
}

function isOwned(fields: Value, path: Path): boolean {
  let set = fields;
  for (const element of path) {
    // A field without fields below is owned as a whole.
    if (set !== fields && isJsonObject(set) && Object.keys(set).length === 0) return true;
    set = field(set, element);
  }
  return set !== undefined;
}

function newest(entries: readonly ManagedFieldsEntry[]): string | undefined {
  const times = entries.toSorted((a, b) => ((a.time ?? "") < (b.time ?? "") ? -1 : 1));
  return times.at(-1)?.manager;
}

function listed(paths: readonly string[]): string {
  if (paths.length <= maxNamed) return paths.join(", ");
  return `${paths.slice(0, maxNamed).join(", ")} and ${paths.length - maxNamed} more fields`;
}
