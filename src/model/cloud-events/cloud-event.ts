/**
 * An event in the form of CloudEvents 1.0. Attributes beyond those of the specification are extensions, whose names consist of
 * lower-case letters and digits; {@link EventExtensions} lists those that Fettle sets.
 */
export interface CloudEvent<T = unknown> extends EventExtensions {
  readonly specversion: "1.0";
  /** Unique among the events of a source: the same event has the same id, however often it is delivered. */
  readonly id: string;
  /** Dotted name, such as `io.example.device.created`. Subscriptions select events by patterns over it. */
  readonly type: string;
  /** URI reference of the system that the event comes from. */
  readonly source: string;
  /** Time in the format of RFC 3339. */
  readonly time: string;
  /** What the event is about; for an object, its path in the API. */
  readonly subject?: string | undefined;
  readonly datacontenttype?: string | undefined;
  readonly dataschema?: string | undefined;
  readonly data?: T | undefined;
  readonly [extension: string]: unknown;
}

/** Extension attributes that Fettle sets. */
export interface EventExtensions {
  /** Object that the event is about. An event that names a kind, and an object of it by name or uid, triggers its reconciliation. */
  readonly objectapiversion?: string | undefined;
  readonly objectkind?: string | undefined;
  readonly objectnamespace?: string | undefined;
  readonly objectname?: string | undefined;
  readonly objectuid?: string | undefined;
  /** Position in the log that the event was read from: the revision of the store. Text, since numbers in CloudEvents have 32 bits. */
  readonly revision?: string | undefined;
  /** True for an event that describes an existing object, because the changes that led to it are not known any more. */
  readonly resync?: boolean | undefined;
  /** Number of handlers and reconcilers that emitted an event because of another one before this one. */
  readonly hops?: number | undefined;
  /** Id of the event because of which this one was emitted. */
  readonly cause?: string | undefined;
  /** Trace of which the event is a part, as in W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

/** Argument of functions that emit an event; they add what is missing. */
export interface EventInput<T = unknown> {
  readonly type: string;
  readonly data?: T | undefined;
  /** Default: a new one. Events with the id and source of an earlier one are not stored again. */
  readonly id?: string | undefined;
  readonly source?: string | undefined;
  readonly subject?: string | undefined;
  /** Default: now. */
  readonly time?: string | undefined;
  readonly [attribute: string]: unknown;
}

/** The same event in the form `id, type, timestamp, source, data, metadata`, which the debug endpoints and the WebSocket show. */
export interface EventDocument {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly source: string;
  readonly data: unknown;
  /** Further attributes: `subject`, and extensions. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function eventDocument(event: CloudEvent): EventDocument {
  const { id, type, time, source, data, specversion: _, datacontenttype, ...metadata } = event;
  const isJson = datacontenttype === undefined || datacontenttype === "application/json";
  return {
    id,
    type,
    timestamp: time,
    source,
    data: data ?? {},
    metadata: isJson ? metadata : { ...metadata, datacontenttype },
  };
}

/** Events with the same key are handled in the order of their positions: those of one object, else of one subject and source. */
export function orderingKey({ objectuid, subject, source }: CloudEvent): string {
  return objectuid ?? (subject === undefined ? source : `${source} ${subject}`);
}
