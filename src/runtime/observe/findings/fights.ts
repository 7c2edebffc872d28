import type { JsonObject } from "../../../model/object/json.js";
import type { KubeObject } from "../../../model/core.js";
import { contested } from "./contested.js";
import type { Finding } from "./finding.js";
import { dropOld, elapsed, Recent } from "./recent.js";

export interface FightOptions {
  /** How often a field must have been set back within `window`. Default 3. */
  readonly times?: number | undefined;
  /** In milliseconds. Default ten minutes. */
  readonly window?: number | undefined;
}

/** A child that is about to be set back to what it should be. */
export interface Drift {
  readonly controller: string;
  /** The manager under whose name we apply. */
  readonly ours: string;
  readonly desired: JsonObject;
  readonly current: KubeObject;
}

const mostChildren = 1000;
const mostFields = 64;
/** How many fields one finding names. */
const mostNamed = 3;

/** What is remembered of a child that was not as it should be. */
interface Memory {
  desired: JsonObject;
  /** When each field was set back, by manager and path. */
  readonly fields: Map<string, { readonly manager: string; readonly path: string; readonly times: number[] }>;
}

/**
 * Finds out who else sets the fields that we set: each time a child has to be set back, the fields that differ and have
 * another owner are counted. Once may be somebody trying something out; again and again is a fight, which neither side
 * can win.
 */
export class Fights {
  readonly #times: number;
  readonly #window: number;
  readonly #children = new Recent<Memory>(mostChildren);

  constructor({ times = 3, window = 600_000 }: FightOptions = {}) {
    this.#times = times;
    this.#window = window;
  }

  /** Takes note that a child is set back; returns the fights that this is part of, one for each other manager. */
  add({ controller, ours, desired, current }: Drift, now: number): readonly Finding[] {
    const { uid = "", name = "", namespace = "" } = current.metadata;
    const object = `${current.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
    const id = `${controller} ${uid || object}`;
    const last = this.#children.get(id)?.desired;
    const memory = this.#children.use(id, () => ({ desired, fields: new Map() }));
    memory.desired = desired;
    for (const [manager, paths] of contested(desired, current, ours, last)) {
      for (const path of paths) this.#count(memory, manager, path, now);
    }
    return this.#findings(memory, now, { controller, ours, object });
  }

  #count({ fields }: Memory, manager: string, path: string, now: number): void {
    const key = JSON.stringify([manager, path]);
    const field = fields.get(key) ?? { manager, path, times: [] };
    fields.delete(key);
    fields.set(key, field);
    if (fields.size > mostFields) fields.delete(fields.keys().next().value ?? "");
    field.times.push(now);
    dropOld(field.times, now, this.#window);
  }

  #findings(
    { fields }: Memory,
    now: number,
    {
      controller,
      ours,
      object,
    }: { readonly controller: string; readonly ours: string; readonly object: string },
  ): readonly Finding[] {
    const fought = [...fields.values()].filter(
      ({ times }) => times.length >= this.#times && times.at(-1) === now,
    );
    const managers = new Set(fought.map(({ manager }) => manager));
    return Array.from(managers, (manager) => {
      const all = fought.filter((each) => each.manager === manager);
      return fightOf({ controller, object, manager, ours }, all, now);
    });
  }
}

/** Who fights over an object, and for which controller that is found out. */
interface Fighting {
  readonly controller: string;
  readonly object: string;
  readonly manager: string;
  readonly ours: string;
}

/** What is told of a fight over fields, with the times at which they were set back. */
export function fightOf(
  { controller, object, manager, ours }: Fighting,
  fields: readonly { readonly path: string; readonly times: readonly number[] }[],
  now: number,
): Finding {
  const count = Math.max(...fields.map(({ times }) => times.length));
  const since = Math.min(...fields.map(({ times }) => times[0] ?? now));
  const paths = fields.map(({ path }) => path).sort();
  const who = manager === ours ? `several who call themselves ${ours}` : `${manager} and ${ours}`;
  return {
    type: "fight",
    controller,
    object,
    message: `${object}: ${who} fight over ${named(paths)} (${count} times in ${elapsed(since, now)})`,
    count,
    since,
    at: now,
    paths,
    managers: [manager, ours],
  };
}

function named(paths: readonly string[]): string {
  if (paths.length <= mostNamed) return paths.join(", ");
  return `${paths.slice(0, mostNamed).join(", ")} and ${paths.length - mostNamed} more fields`;
}
