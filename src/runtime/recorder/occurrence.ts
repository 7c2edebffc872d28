import { names, type KubeObject, type Random } from "../../model/core.js";

/** Enough of an object to tell which one is meant. */
export type Subject = Pick<KubeObject, "apiVersion" | "kind" | "metadata">;

/** What happened to an object, for people to read. */
export interface EventContent {
  /** Normal when it was to be expected, Warning when somebody should look. Default Normal. */
  readonly type?: "Normal" | "Warning" | undefined;
  /** Why, in one word that programs can compare, such as `Created`. */
  readonly reason: string;
  /** A sentence for people; what is beyond 1024 bytes is cut off. */
  readonly message: string;
  /** What was done, or attempted. */
  readonly action?: string | undefined;
  /** Another object that has to do with it. */
  readonly related?: Subject | undefined;
  /** The run in which it happened. It is no part of the event; who is told that it could not be written is told of it. */
  readonly run?: string | undefined;
}

/** Points to an object as it was when something happened to it. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Something that happened, ready to be counted. */
export interface Occurrence {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly action?: string | undefined;
  readonly related?: ObjectReference | undefined;
  readonly run?: string | undefined;
}

export function occurrence(subject: Subject, content: EventContent): Occurrence {
  const { type = "Normal", reason, message, action, related, run } = content;
  if (!reason) throw new TypeError("an event needs a reason: one word, such as Created");
  return {
    about: referTo(subject),
    type,
    reason,
    message,
    action,
    related: related && referTo(related),
    run,
  };
}

/** An object as people name it: `Site default/hello`. */
export function nameOf(object: {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  const { kind, namespace, name } = object;
  return `${kind} ${namespace ? `${namespace}/${name}` : name}`;
}

function referTo({ apiVersion, kind, metadata }: Subject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (!name) throw new TypeError(`an event cannot be about a ${kind} without a name: create it first`);
  return {
    apiVersion,
    kind,
    ...(namespace && { namespace }),
    name,
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}

const longestName = 253;
const longestMessage = 1024;
const cutMark = "...";

/**
 * A name for an event as Kubernetes' own components give it: the object's, and the time in nanoseconds as hex. Our clocks
 * show milliseconds, so the digits below are random.
 */
export function eventName(about: ObjectReference, now: number, random: Random): string {
  const [high = 0, middle = 0, low = 0] = random.bytes(3);
  const below = (high * 65_536 + middle * 256 + low) % 1_000_000;
  const suffix = `.${(BigInt(Math.floor(now)) * 1_000_000n + BigInt(below)).toString(16)}`;
  const base = about.name.slice(0, longestName - suffix.length).replace(/[-.]+$/, "");
  const name = base + suffix;
  // Some kinds allow names that an event cannot have, such as the role system:node.
  return names.nameIsDns1123Subdomain(name).length === 0 ? name : `event${suffix}`;
}

/** The beginning of a text that fits into 1024 bytes, without half a character at its end. */
export function cutMessage(message: string): string {
  // No character takes more than three bytes for each of its units.
  if (message.length * 3 <= longestMessage) return message;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= longestMessage) return message;
  let end = longestMessage - cutMark.length;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + cutMark;
}
