import type { KubeObject } from "../model/core.js";
import type {
  AnyKind,
  DraftOf,
  Header,
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
import type { ObjectRef } from "./which.js";

export type { ObjectRef } from "./which.js";

/** Which objects: in one namespace, or without one in all. */
export interface Where extends Selection {
  readonly namespace?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

export interface PatchOptions extends WriteOptions {
  /** What the body means: by default a list is a JSON Patch and an object a merge patch. */
  readonly type?: "json" | "merge" | undefined;
}

export interface StrategicPatchOptions extends WriteOptions {
  /** As kubectl patches Kubernetes' own kinds: lists are merged by their items' keys, and `$patch` says how else. */
  readonly type: "strategic";
}

export interface ModifyOptions extends WriteOptions {
  /** A scale is no object of the kind: {@link Client.scale} changes it. */
  readonly subresource?: "status" | undefined;
}

/** Asks for no more than metadata. */
interface MetadataOnly {
  readonly metadataOnly: true;
}

/** An object whose content is the caller's business: a manifest. */
export type Manifest = Header | (Header & Readonly<Record<string, unknown>>);

/**
 * Reads and writes objects of an API, wherever that API is. What is typed depends on how the kind is given: a
 * `resource()` or one of Kubernetes' kinds types everything, a name such as `"apps/v1/Deployment"` nothing.
 *
 * @example
 * const site = await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
 * await client.modify(Site, "hello", (site) => ({ ...site, spec: { ...site.spec, pages: 3 } }));
 * for await (const page of client.each(Page, { labelSelector: "site=hello" })) console.log(page.metadata.name);
 */
export interface Client extends AsyncDisposable {
  /** Where objects are that do not say their namespace. */
  readonly namespace: string;
  readonly transport: Transport;

  /** What is known of a kind; asks the server when only its name is given. */
  kind(kind: AnyKind, options?: CallOptions): Promise<KindInfo>;

  get(kind: AnyKind, which: ObjectRef, options: GetOptions & MetadataOnly): Promise<Header>;
  get<K extends AnyKind>(kind: K, which: ObjectRef, options?: GetOptions): Promise<ObjectOf<K>>;
  /** Like get, but undefined when there is no such object. */
  find(kind: AnyKind, which: ObjectRef, options: GetOptions & MetadataOnly): Promise<Header | undefined>;
  find<K extends AnyKind>(kind: K, which: ObjectRef, options?: GetOptions): Promise<ObjectOf<K> | undefined>;
  /**
   * One page when a limit is given, everything otherwise: as it was at one moment, however many pages it takes to read.
   */
  list(kind: AnyKind, options: Where & ListOptions & MetadataOnly): Promise<Page<Header>>;
  list<K extends AnyKind>(kind: K, options?: Where & ListOptions): Promise<Page<ObjectOf<K>>>;
  /**
   * Everything, one page at a time (`limit` is its size); a list that expires on the way goes on with what is there now.
   * `timeout` is for each page.
   */
  each(kind: AnyKind, options: Where & ListOptions & MetadataOnly): AsyncIterable<Header>;
  each<K extends AnyKind>(kind: K, options?: Where & ListOptions): AsyncIterable<ObjectOf<K>>;
  /** Changes until the server ends the stream. An informer goes on from there; this does not. */
  watch(kind: AnyKind, options: Where & WatchOptions & MetadataOnly): AsyncIterable<WatchEvent<Header>>;
  watch<K extends AnyKind>(kind: K, options?: Where & WatchOptions): AsyncIterable<WatchEvent<ObjectOf<K>>>;

  // The compiler tells of the last form when none fits: it is the one that is checked.
  create(manifest: Manifest, options?: WriteOptions): Promise<UntypedObject>;
  create<K extends AnyKind>(kind: K, draft: DraftOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  /**
   * Replaces an object; fails with a conflict when it carries a resourceVersion that is not the newest. With its kind in
   * front it is checked, and without it is taken as it is.
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
  /** Server-side apply: these fields, and no others, are this manager's. */
  apply(manifest: Manifest, options?: ApplyOptions): Promise<UntypedObject>;
  apply<K extends AnyKind>(kind: K, draft: PartialDraftOf<K>, options?: ApplyOptions): Promise<ObjectOf<K>>;
  /** What now waits for finalizers; undefined when it is gone, or was not there. */
  delete<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    options?: DeleteOptions,
  ): Promise<ObjectOf<K> | undefined>;
  /** Without a namespace in all of them, one after the other. */
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
  /** How many replicas are wanted; with a number, that many from now on. */
  scale(kind: AnyKind, which: ObjectRef, replicas?: number, options?: WriteOptions): Promise<number>;

  /** Reads, changes and writes an object, again when somebody else was faster. No write when nothing changed. */
  modify<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K>) => DraftOf<K>>,
    options?: ModifyOptions,
  ): Promise<ObjectOf<K>>;
  /** Creates what is not there and changes what is; tells which it was. */
  createOrUpdate<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K> | undefined) => DraftOf<K>>,
    options?: ModifyOptions,
  ): Promise<{ readonly object: ObjectOf<K>; readonly outcome: "created" | "updated" | "unchanged" }>;
}
