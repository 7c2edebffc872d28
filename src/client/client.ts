import type { KubeObject } from "../model/core.js";
import type {
  AnyKind,
  DraftOf,
  ObjectHeader,
  KindInfo,
  ObjectOf,
  PartialDraftOf,
  PartialStatusDraftOf,
  PatchOf,
  StatusDraftOf,
  UntypedObject,
} from "./kinds/kind.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Selection,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./transport/transport.js";
import type { ObjectRef } from "./object-ref.js";

export type { ObjectRef } from "./object-ref.js";

/** Selection of objects in one namespace; without a namespace, in all. */
export interface Where extends Selection {
  readonly namespace?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

export interface PatchOptions extends WriteOptions {
  /** Type of the patch. Default: `json` for an array, `merge` for an object. */
  readonly type?: "json" | "merge" | undefined;
}

export interface StrategicPatchOptions extends WriteOptions {
  /** Strategic merge patch for Kubernetes' own kinds: lists are merged by the keys of their items; see `$patch`. */
  readonly type: "strategic";
}

export interface ModifyOptions extends WriteOptions {
  /** `scale` is not supported here: use {@link Client.scale}. */
  readonly subresource?: "status" | undefined;
}

/** Requests metadata only. */
interface MetadataOnly {
  readonly metadataOnly: true;
}

/** Object with untyped content. */
export type Manifest = ObjectHeader | (ObjectHeader & Readonly<Record<string, unknown>>);

/**
 * Client for the objects of an API, over any transport. A kind given as `resource()` or as one of Kubernetes' kinds types
 * the objects; a kind given by name, such as `"apps/v1/Deployment"`, leaves them untyped.
 *
 * @example
 * const site = await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
 * await client.modify(Site, "hello", (site) => ({ ...site, spec: { ...site.spec, pages: 3 } }));
 * for await (const page of client.each(Page, { labelSelector: "site=hello" })) console.log(page.metadata.name);
 */
export interface Client extends AsyncDisposable {
  /** Default namespace. */
  readonly namespace: string;
  readonly transport: Transport;

  /** Plural name and scope of a kind; requests them from the server when only the name is given. */
  kind(kind: AnyKind, options?: CallOptions): Promise<KindInfo>;

  get(kind: AnyKind, which: ObjectRef, options: GetOptions & MetadataOnly): Promise<ObjectHeader>;
  get<K extends AnyKind>(kind: K, which: ObjectRef, options?: GetOptions): Promise<ObjectOf<K>>;
  /** Like get, but resolves with undefined when the object does not exist. */
  find(
    kind: AnyKind,
    which: ObjectRef,
    options: GetOptions & MetadataOnly,
  ): Promise<ObjectHeader | undefined>;
  find<K extends AnyKind>(kind: K, which: ObjectRef, options?: GetOptions): Promise<ObjectOf<K> | undefined>;
  /**
   * Lists one page when a limit is given, otherwise all objects at one resourceVersion, however many pages that takes.
   */
  list(kind: AnyKind, options: Where & ListOptions & MetadataOnly): Promise<Page<ObjectHeader>>;
  list<K extends AnyKind>(kind: K, options?: Where & ListOptions): Promise<Page<ObjectOf<K>>>;
  /**
   * Iterates over all objects, one page at a time; `limit` is the page size. A list that expires on the way continues with
   * the current objects. `timeout` applies to each page.
   */
  each(kind: AnyKind, options: Where & ListOptions & MetadataOnly): AsyncIterable<ObjectHeader>;
  each<K extends AnyKind>(kind: K, options?: Where & ListOptions): AsyncIterable<ObjectOf<K>>;
  /** Watches until the server ends the stream. An informer reconnects; this does not. */
  watch(kind: AnyKind, options: Where & WatchOptions & MetadataOnly): AsyncIterable<WatchEvent<ObjectHeader>>;
  watch<K extends AnyKind>(kind: K, options?: Where & WatchOptions): AsyncIterable<WatchEvent<ObjectOf<K>>>;

  // The compiler reports errors for the last overload, so the typed one comes last.
  create(manifest: Manifest, options?: WriteOptions): Promise<UntypedObject>;
  create<K extends AnyKind>(kind: K, draft: DraftOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  /**
   * Replaces an object; fails with a conflict when its resourceVersion is stale. The content is type-checked when the kind
   * is given.
   */
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  update<K extends AnyKind>(kind: K, object: DraftOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  patch<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: unknown,
    options: StrategicPatchOptions,
  ): Promise<ObjectOf<K>>;
  patch<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: PatchOf<K>,
    options?: PatchOptions,
  ): Promise<ObjectOf<K>>;
  /** Server-side apply: afterwards this field manager owns exactly these fields. */
  apply(manifest: Manifest, options?: ApplyOptions): Promise<UntypedObject>;
  apply<K extends AnyKind>(kind: K, draft: PartialDraftOf<K>, options?: ApplyOptions): Promise<ObjectOf<K>>;
  /** Deletes an object; resolves with it while finalizers remain, with undefined when it is gone or did not exist. */
  delete<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    options?: DeleteOptions,
  ): Promise<ObjectOf<K> | undefined>;
  /** Deletes all selected objects; without a namespace, in one namespace after the other. */
  deleteAll(kind: AnyKind, where?: Where, options?: DeleteOptions): Promise<void>;

  updateStatus<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  updateStatus<K extends AnyKind>(
    kind: K,
    object: StatusDraftOf<K>,
    options?: WriteOptions,
  ): Promise<ObjectOf<K>>;
  patchStatus<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: unknown,
    options: StrategicPatchOptions,
  ): Promise<ObjectOf<K>>;
  patchStatus<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: PatchOf<K>,
    options?: PatchOptions,
  ): Promise<ObjectOf<K>>;
  applyStatus<K extends AnyKind>(
    kind: K,
    draft: PartialStatusDraftOf<K>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<K>>;
  /** Returns `spec.replicas` of the scale subresource, after setting it if a number is given. */
  scale(kind: AnyKind, which: ObjectRef, replicas?: number, options?: WriteOptions): Promise<number>;

  /** Reads, changes and writes an object; retries on conflict. Does not write when nothing changed. */
  modify<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K>) => DraftOf<K>>,
    options?: ModifyOptions,
  ): Promise<ObjectOf<K>>;
  /** Creates an object, or changes it if it exists. */
  createOrUpdate<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K> | undefined) => DraftOf<K>>,
    options?: ModifyOptions,
  ): Promise<{ readonly object: ObjectOf<K>; readonly outcome: "created" | "updated" | "unchanged" }>;
}
