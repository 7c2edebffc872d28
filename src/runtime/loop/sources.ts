import type { Informer } from "../../client/informer/informers.js";
import type { ObjectChange, Source, Subscription } from "../../client/source/source.js";
import { SourceUse } from "../../client/informer/source-use.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import { targetOf, type ObjectRef } from "../../client/object-ref.js";
import type { KubeObject } from "../../model/core.js";
import { byController } from "../../client/source/index-functions.js";
import { ownerIndex } from "../reconcile/children/write-children.js";
import type { Controller } from "../controller/controller.js";
import { hasFinalizer } from "../reconcile/object/finalizer.js";
import { desired } from "../controller/predicates.js";
import { finalizerOf } from "../controller/names.js";
import type { AddOptions } from "../queue/queue-item.js";
import type { Trigger } from "../runs/run.js";
import { isAnnotatedPaused } from "../controller/paused.js";
import { isEventWatch, objectWatches, type EventWatch, type NamedObject } from "../controller/event-watch.js";
import { toOwner, type Lookup, type Mapper, type ReconcileRequest, type Watch } from "../controller/watch.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { Dependencies } from "./dependencies.js";
import type { Caches } from "../reconcile/run-context.js";
import { describe, joinKey, reconcileKey, kindKey } from "../controller/keys.js";

type Add = (key: string, trigger: Trigger, options?: AddOptions) => void;
/** Called with every change of an object, before it is enqueued: whether the object pauses itself. */
type Hold = (key: string, isPaused: boolean) => void;

/** Priority of objects found at the start, below that of new changes. */
const initialPriority = -1;

const triggerTypes = {
  CREATED: "created",
  UPDATED: "updated",
  STATUS_UPDATED: "status",
  DELETED: "deleted",
} as const;

const uidIndex = "fettle.dev/uid";
const byUid = ({ metadata: { uid } }: KubeObject): readonly string[] => (uid === undefined ? [] : [uid]);

/** Sources of a controller: everything it watches, mapped to the keys of its objects. */
export class Sources implements Caches {
  readonly kind: KindInfo;
  readonly objects: Source;
  readonly #caches: ReadonlyMap<string, Source>;
  readonly #release: (() => void)[] = [];
  #begin: (add: Add, hold: Hold) => void = () => {};
  /** Enqueues a changed object; false if a predicate excludes it. */
  #changed: (change: ObjectChange, trigger?: Trigger) => boolean = () => false;

  private constructor(kind: KindInfo, objects: Source, caches: ReadonlyMap<string, Source>) {
    this.kind = kind;
    this.objects = objects;
    this.#caches = caches;
  }

  /** Opens all sources; resolves when all have been listed. */
  static async open(
    controller: Controller,
    dependencies: Dependencies,
    signal: AbortSignal,
  ): Promise<Sources> {
    const { options, owns } = controller;
    const opened: Informer[] = [];
    const open = async (watch: Pick<Watch, "kind" | "scope" | "from">): Promise<Source> => {
      if (watch.from !== undefined) return new SourceUse(watch.from, watch.kind, watch.scope);
      const informer = await dependencies.informers.open(watch.kind, watch.scope);
      opened.push(informer);
      return informer;
    };
    try {
      const kind = await dependencies.kindInfo(options.for);
      const caches = new Map<string, Source>();
      const objects = await open({
        kind: options.for,
        scope: options.scope,
        from: options.from,
      });
      caches.set(kindKey(kind), objects);
      for (const [name, index] of Object.entries(options.indexes ?? {})) objects.addIndex(name, index);
      const namespace = options.scope?.namespace;
      const children: Source[] = [];
      for (const owned of owns) {
        const source = await open({ kind: owned, scope: namespace === undefined ? {} : { namespace } });
        source.addIndex(ownerIndex, byController);
        if (!caches.has(kindKey(owned))) caches.set(kindKey(owned), source);
        children.push(source);
      }
      const watched: [Watch, Source][] = [];
      for (const watch of objectWatches(options.watches)) {
        const source = await open(watch);
        const info = typeof watch.kind === "string" ? await dependencies.kindInfo(watch.kind) : watch.kind;
        if (!caches.has(kindKey(info))) caches.set(kindKey(info), source);
        // Added to the cache that reads go to; a kind that is also owned has two uses of its informer.
        const cache = caches.get(kindKey(info)) ?? source;
        for (const [name, index] of Object.entries(watch.indexes ?? {})) cache.addIndex(name, index);
        watched.push([watch, source]);
      }
      await Promise.all(
        [objects, ...children, ...watched.map(([, source]) => source)].map((each) => each.ready(signal)),
      );
      const sources = new Sources(kind, objects, caches);
      sources.#release.push(...opened.map((informer) => () => informer.release()));
      sources.#begin = (add, hold) =>
        sources.#follow(controller, dependencies, { add, hold }, children, watched);
      return sources;
    } catch (error) {
      for (const informer of opened) informer.release();
      throw error;
    }
  }

  /** Enqueues all existing objects, and changes from now on. */
  follow(add: Add, hold: Hold): void {
    this.#begin(add, hold);
  }

  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source {
    const cache = this.#caches.get(kindKey(kind));
    if (cache !== undefined) return cache;
    throw new TypeError(
      `${kind.kind} is not cached by this controller: add it to owns or watches, or read it with the client`,
    );
  }

  /** Enqueues existing objects as if they had just been listed. Returns how many; predicates exclude some. */
  enqueueExisting(which: (key: string) => boolean, trigger: Trigger): number {
    let count = 0;
    for (const object of this.objects.list()) {
      if (!which(reconcileKey(object))) continue;
      if (this.#changed({ type: "CREATED", object, initial: true }, trigger)) count++;
    }
    return count;
  }

  release(): void {
    for (const release of this.#release.splice(0)) release();
  }

  #follow(
    controller: Controller,
    { clock, log, namespace, events }: Dependencies,
    { add, hold }: { readonly add: Add; readonly hold: Hold },
    children: readonly Source[],
    watched: readonly (readonly [Watch, Source])[],
  ): void {
    const { options } = controller;
    const { where = desired, priority } = options;
    /** Calls a function of the controller; logs its error and returns `otherwise` if it throws. */
    const attempt = <T>(what: string, { object }: ObjectChange, answer: () => T, otherwise: T): T => {
      try {
        return answer();
      } catch (error) {
        const facts = { controller: controller.name, object: describe(object), err: error };
        log.error(facts, `the ${what} failed`);
        return otherwise;
      }
    };
    const follow = (source: Source, listener: (change: ObjectChange) => void): void => {
      const subscription: Subscription = source.subscribe((change) =>
        attempt("queue", change, () => listener(change), undefined),
      );
      this.#release.push(() => subscription.release());
    };
    const keysOf = (to: Mapper, change: ObjectChange, object: KubeObject): ReadonlySet<string> =>
      attempt("mapper", change, () => this.#keysOf(to, object), new Set());
    /** Enqueues the objects that a change maps to, before and after it. */
    const enqueue = (to: Mapper, change: ObjectChange, type: "child" | "watched"): void => {
      const now = keysOf(to, change, change.object);
      this.#add(now, change, type, clock.now(), add);
      if (change.old === undefined || change.type === "DELETED") return;
      const before = keysOf(to, change, change.old);
      this.#add(
        [...before].filter((key) => !now.has(key)),
        change,
        type,
        clock.now(),
        add,
      );
    };

    // Children and watched objects first, so that their caches are complete when runs start.
    for (const source of children) {
      const owner = toOwner(options.for);
      follow(source, (change) => {
        // At the start the owners are enqueued themselves.
        if (!change.initial) enqueue(owner, change, "child");
      });
    }
    for (const [{ where: matters, to }, source] of watched) {
      follow(source, (change) => {
        // A change passes a predicate that throws: a run too many does less harm than one too few.
        if (matters === undefined || attempt("predicate", change, () => matters(change), true)) {
          enqueue(to, change, "watched");
        }
      });
    }
    const urgencyOf = ({ object }: ObjectChange): number => {
      const urgency = priority?.(object) ?? 0;
      if (Number.isFinite(urgency)) return urgency;
      throw new RangeError(`a priority is a number, not ${urgency}`);
    };
    const finalizer =
      controller.style.type === "declarative" && controller.style.options.cleanup !== undefined
        ? finalizerOf(controller.style.options, controller.name)
        : undefined;
    /** Deletions that need a cleanup pass every predicate: otherwise the object would never be removed. */
    const mustCleanUp = ({ object, old }: ObjectChange): boolean =>
      finalizer !== undefined &&
      Boolean(object.metadata.deletionTimestamp) &&
      !old?.metadata.deletionTimestamp &&
      hasFinalizer(object, finalizer);
    this.#changed = (change, given) => {
      hold(reconcileKey(change.object), change.type !== "DELETED" && isAnnotatedPaused(change.object));
      const matters = (): boolean => (where as (change: ObjectChange) => boolean)(change);
      if (!mustCleanUp(change) && !attempt("predicate", change, matters, true)) return false;
      const trigger: Trigger = given ?? {
        type: triggerType(change),
        version: change.object.metadata.resourceVersion,
        at: clock.now(),
      };
      const urgency = priority === undefined ? 0 : attempt("priority", change, () => urgencyOf(change), 0);
      add(reconcileKey(change.object), trigger, {
        priority: urgency + (change.initial ? initialPriority : 0),
        type: change.type,
      });
      return true;
    };
    follow(this.objects, (change) => void this.#changed(change));
    for (const source of options.triggers ?? []) {
      const unsubscribe = source.subscribe((which, reason) => {
        // As in `enqueue`: objects of a poller have no default namespace.
        const key = this.#keyOf(which, options.from === undefined ? namespace : "");
        if (this.objects.get(key) === undefined) return;
        add(key, { type: "external", text: reason, at: clock.now() }, { type: "EXTERNAL" });
      });
      this.#release.push(unsubscribe);
    }
    const addEvent = (key: string, event: CloudEvent): void => {
      const { id, type, hops } = event;
      const trigger: Trigger = {
        type: "event",
        text: type,
        event: { id, type, hops: hops ?? 0 },
        at: clock.now(),
      };
      if (this.objects.get(key) !== undefined) add(key, trigger, { type: "EVENT" });
    };
    const lookup: Lookup = {
      byIndex: (index, value) => this.objects.byIndex(index, value),
      list: (scope) => this.objects.list(scope),
    };
    const eventWatches = (options.watches ?? []).filter((watch): watch is EventWatch => isEventWatch(watch));
    if (events === undefined && eventWatches.length > 0) {
      throw new Error(
        `controller ${controller.name} watches events: start it with controlPlane() or operator(), which have them`,
      );
    }
    for (const { events: patterns, to } of eventWatches) {
      const unsubscribe = events?.subscribe(patterns, (event) => {
        try {
          for (const key of this.#requestedKeys(to(event, lookup))) addEvent(key, event);
        } catch (error) {
          log.error(
            { controller: controller.name, event: event.id, err: error },
            "the mapper of an event failed",
          );
        }
      });
      if (unsubscribe !== undefined) this.#release.push(unsubscribe);
    }
    const unsubscribe = events?.subscribeKind(this.kind, (event, object) => {
      const key = this.#keyOfNamed(object, options.from === undefined ? namespace : "");
      // An event about an object that its own controller has emitted is no reason to run again.
      if (key !== undefined && event["controller"] !== controller.name) addEvent(key, event);
    });
    if (unsubscribe !== undefined) this.#release.push(unsubscribe);
  }

  /** Key of an object that an event names; undefined if it is not in the cache. */
  #keyOfNamed({ uid, name, namespace }: NamedObject, fallback: string): string | undefined {
    if (uid !== undefined) return this.keyOfUid(uid);
    if (name === undefined) return undefined;
    return joinKey(this.kind.scope === "Cluster" ? undefined : (namespace ?? fallback), name);
  }

  /** Key of the object with a uid; undefined if it is not in the cache. */
  keyOfUid(uid: string): string | undefined {
    this.objects.addIndex(uidIndex, byUid);
    const [object] = this.objects.byIndex(uidIndex, uid);
    return object && reconcileKey(object);
  }

  #keyOf(which: ObjectRef, fallback: string): string {
    const { namespace, name } = targetOf(this.kind, which, fallback);
    return joinKey(namespace, name);
  }

  #keysOf(to: Mapper, object: KubeObject): ReadonlySet<string> {
    return this.#requestedKeys(to(object, this.objects));
  }

  #requestedKeys(requests: Iterable<ReconcileRequest | KubeObject>): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const request of requests) {
      const { name = "", namespace } = "metadata" in request ? request.metadata : request;
      keys.add(joinKey(this.kind.scope === "Cluster" ? undefined : namespace, name));
    }
    return keys;
  }

  #add(keys: Iterable<string>, change: ObjectChange, type: "child" | "watched", at: number, add: Add): void {
    const trigger: Trigger = {
      type,
      text: triggerType(change),
      by: describe(change.object),
      version: change.object.metadata.resourceVersion,
      at,
    };
    for (const key of keys) {
      // An owner that is not in the cache is enqueued by its own creation.
      if (type === "child" && this.objects.get(key) === undefined) continue;
      add(key, trigger, { type: change.type, priority: change.initial ? initialPriority : 0 });
    }
  }
}

function triggerType({ type, initial }: ObjectChange): "found" | (typeof triggerTypes)[ObjectChange["type"]] {
  return initial ? "found" : triggerTypes[type];
}
