import { names, type KubeObject, type Random } from "../../model/core.js";

/** Identifies an object. */
export type Subject = Pick<KubeObject, "apiVersion" | "kind" | "metadata">;

/** Content of an event. */
export interface EventContent {
  /** Default Normal. */
  readonly type?: "Normal" | "Warning" | undefined;
  /** Machine-readable reason in one word, such as `Created`. */
  readonly reason: string;
  /** Human-readable message; truncated to 1024 bytes. */
  readonly message: string;
  /** Action that was taken or attempted. */
  readonly action?: string | undefined;
  /** Related object. */
  readonly related?: Subject | undefined;
  /** Id of the run that recorded it; passed to `onError`, not part of the Event. */
  readonly run?: string | undefined;
}

/** Reference to an object, with its version at the time of the event. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** A validated event. */
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

/** Human-readable name of an object: `Site default/hello`. */
export function formatObject(object: {
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
 * Name of an Event, in the format of Kubernetes' components: the object's name, and the time in nanoseconds as hex. Our clocks
 * have milliseconds, so the digits below are random.
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

/** Truncates a text to 1024 bytes, at a character boundary. */
export function cutMessage(message: string): string {
  // No character takes more than three bytes for each of its units.
  if (message.length * 3 <= longestMessage) return message;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= longestMessage) return message;
  let end = longestMessage - cutMark.length;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + cutMark;
}
