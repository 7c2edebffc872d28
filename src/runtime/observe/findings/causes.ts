import { formatDuration } from "../../../model/core.js";
import type { Run, Trigger, WriteRecord } from "../../runs/run.js";

/** Who asks to be run again sooner than this does not wait for anything, in milliseconds. */
const shortestWait = 100;

/** What makes an object run again and again. */
export interface Cause {
  /** Tells it from others. */
  readonly id: string;
  readonly text: string;
  /** The object whose change it was, when it was somebody else's. */
  readonly foreign?: string | undefined;
  /** It is a write of an earlier run, which goes on only when this one writes as well. */
  readonly isOwn?: boolean | undefined;
}

/** What has brought a run about, of what could keep a loop going. `earlier` has the versions that runs before have made. */
export function causesOf(run: Run, earlier: ReadonlyMap<string, string>): readonly Cause[] {
  const self = selfOf(run);
  const causes: Cause[] = [];
  const isWritten = (object: string): boolean =>
    run.writes.some((write) => isChange(write) && objectOf(write) === object);
  for (const trigger of run.triggers) {
    const cause = causeOf(trigger, self, earlier, isWritten);
    if (cause !== undefined && !causes.some(({ id }) => id === cause.id)) causes.push(cause);
  }
  for (const kind of churned(run.writes)) {
    const text = `children of kind ${kind} that are made and deleted in every run`;
    causes.push({ id: `churn ${kind}`, text });
  }
  return causes;
}

function causeOf(
  trigger: Trigger,
  self: string,
  earlier: ReadonlyMap<string, string>,
  isWritten: (object: string) => boolean,
): Cause | undefined {
  if (trigger.type === "requeue" && isHasty(trigger)) {
    const after = formatDuration(Math.max(0, (trigger.due ?? trigger.at) - trigger.at));
    return { id: "again", text: `asking to be run again after ${after}` };
  }
  const object = subjectOf(trigger, self);
  if (object === undefined) return undefined;
  if (earlier.size === 0 && object === self) return undefined;
  const part = earlier.get(versionOf(trigger, object));
  if (part !== undefined) {
    const own = part === "status" ? "its own status writes" : "its own writes";
    return { id: `own ${object}`, text: object === self ? own : `its own writes of ${object}`, isOwn: true };
  }
  if (object === self || !isWritten(object)) return undefined;
  return { id: `foreign ${object}`, text: `${object}, which is changed and changed back`, foreign: object };
}

export function isManual({ type }: Trigger): boolean {
  return type === "manual";
}

/** The object whose change a trigger tells of. */
export function subjectOf({ type, by }: Trigger, self: string): string | undefined {
  if (type === "child" || type === "watched") return by;
  return type === "updated" || type === "status" || type === "created" || type === "deleted"
    ? self
    : undefined;
}

/** The version of an object that a trigger tells of, as `eachVersion` has it. */
export function versionOf({ type, text, version }: Trigger, object: string): string {
  return `${object}@${type === "deleted" || text === "deleted" ? "deleted" : version}`;
}

/** Tells the versions that a run has made, with the writes that made them. */
export function eachVersion(
  writes: readonly WriteRecord[],
  tell: (version: string, write: WriteRecord) => void,
): void {
  for (const write of writes) {
    if (!isChange(write)) continue;
    const version = write.verb === "delete" ? "deleted" : write.after?.metadata.resourceVersion;
    tell(`${objectOf(write)}@${version}`, write);
  }
}

/** Asked for, by the object's run or by hand, without a wait that is worth the name. */
export function isHasty({ type, at, due }: Trigger): boolean {
  if (type === "manual") return due === undefined || due - at < shortestWait;
  return type === "requeue" && due !== undefined && due - at < shortestWait;
}

export function isChange({ error, verb, before, after }: WriteRecord): boolean {
  if (error !== undefined || verb === "deleteCollection") return false;
  if (verb === "delete") return true;
  return after !== undefined && before?.metadata.resourceVersion !== after.metadata.resourceVersion;
}

/** The kinds of which objects were both made and deleted. */
function churned(writes: readonly WriteRecord[]): readonly string[] {
  if (!writes.some(({ verb }) => verb === "delete")) return [];
  const made = new Set<string>();
  const deleted = new Set<string>();
  for (const { verb, kind, before, error } of writes) {
    if (error !== undefined) continue;
    if (verb === "delete") deleted.add(kind.kind);
    else if (before === undefined && (verb === "create" || verb === "apply")) made.add(kind.kind);
  }
  return [...made].filter((kind) => deleted.has(kind));
}

export function objectOf({ kind, namespace, name }: WriteRecord): string {
  return `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

export function selfOf({ kind, key }: Run): string {
  return `${kind} ${key}`;
}
