import type { KubeObject } from "../../model/core.js";
import type { AnyKind, KindInfo, ObjectOf } from "../kinds/kind.js";
import type { Selection } from "../transport/transport.js";
import type { ReflectorState } from "./reflector/reflector.js";
import type { Source } from "./source.js";

/** What an informer sees. Those who ask for the same share one list, one watch and one cache. */
export interface InformerScope extends Selection {
  /** Without one, all namespaces. */
  readonly namespace?: string | undefined;
  /** Only metadata is fetched and kept. */
  readonly metadataOnly?: boolean | undefined;
  /**
   * Makes what is kept from what arrives, such as without managedFields, to save memory; called once per object and
   * version, with a frozen object. Two scopes with different functions are different informers. Changes of nothing but
   * what it leaves out are not told. An object that it fails on is kept as it came, and the failure reported.
   */
  readonly transform?: ((object: KubeObject) => KubeObject) | undefined;
}

/**
 * A use of a shared informer. The informer stops when the last of them is released. Indexes and subscriptions belong to
 * the use and end with it; after that, reads show what was known last.
 *
 * A list or watch that fails is tried again for as long as the informer is in use; {@link Informers.states} tells. A kind
 * that the server does not know (yet) is waited for. When it goes missing, the objects stay in view until the server's
 * discovery has denied it for half a minute; then they are DELETED.
 */
export interface Informer<T extends KubeObject = KubeObject> extends Source<T>, Disposable {
  readonly kind: KindInfo;
  /** The version of the newest event or bookmark seen; empty before the first list. */
  readonly resourceVersion: string;
  release(): void;
}

/** How an informer is doing, for readiness and metrics. */
export interface InformerState extends Readonly<ReflectorState> {
  readonly kind: KindInfo;
  readonly scope: Omit<InformerScope, "transform">;
  /** How many use it. */
  readonly users: number;
  readonly synced: boolean;
  readonly size: number;
  readonly resourceVersion: string;
}

/** What went wrong in an informer, and where; it goes on by itself. */
export interface InformerProblem {
  readonly kind: KindInfo;
  readonly scope: InformerScope;
  /** What it was doing: `watching`, `telling a listener of CREATED Site default/hello`. */
  readonly doing: string;
}

/** All informers of a process, by kind and scope. */
export interface Informers extends AsyncDisposable {
  /** Throws when there is no such kind, and when a selector cannot be read. Does not wait for the first list. */
  open<K extends AnyKind>(kind: K, scope?: InformerScope): Promise<Informer<ObjectOf<K>>>;
  /**
   * Shows a write in the caches before its event arrives: an object as the server answered it, until an event with that
   * version or a later one comes. Listeners are told by that event, not by this.
   */
  wrote(kind: KindInfo, object: KubeObject): void;
  /** Hides an object that was deleted until its event arrives; a new one of the same name (another uid) is shown. */
  removed(
    kind: KindInfo,
    object: {
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly uid?: string | undefined;
    },
  ): void;
  /** Whether anybody reads objects of a kind from a cache. */
  follows(kind: KindInfo): boolean;
  /** All that are running. */
  states(): readonly InformerState[];
  /** Stops all of them; who waits for one to be ready gets an error. */
  close(): Promise<void>;
}
