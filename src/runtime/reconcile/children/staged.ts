import type { KindInfo } from "../../../client/kinds/kind.js";
import { ownerReference, type JsonObject, type KubeObject } from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";
import { PermanentError } from "../../controller/outcome.js";
import type { EnsureOptions } from "../../controller/reconcile-context.js";

/** Desired state of a child. */
export interface StagedChild {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  /** The object that is applied, complete. */
  readonly desired: JsonObject & { readonly metadata: JsonObject };
  readonly adopt: boolean;
}

/** Creates the desired state of a child from the arguments of `ensure`. */
export function stageChild(
  owner: KubeObject,
  kind: KindInfo,
  name: string,
  content: unknown,
  options: EnsureOptions = {},
): StagedChild {
  const body = contentOf(kind, name, content);
  const given = (body["metadata"] ?? {}) as JsonObject;
  const ownerNamespace = owner.metadata.namespace ?? "";
  const wanted = options.namespace ?? (given["namespace"] as string | undefined);
  const namespace = kind.scope === "Cluster" ? "" : (wanted ?? ownerNamespace);
  checkOwnership(owner, kind, name, namespace);
  const metadata: JsonObject = {
    name,
    ...(namespace !== "" && { namespace }),
    ...merged("labels", given["labels"], options.labels),
    ...merged("annotations", given["annotations"], options.annotations),
    ...(given["finalizers"] !== undefined && { finalizers: given["finalizers"] }),
    ownerReferences: [{ ...ownerReference(owner, { controller: true, blockOwnerDeletion: true }) }],
  };
  const { metadata: _, apiVersion: __, kind: ___, ...rest } = body;
  const desired = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...rest };
  return { kind, namespace, name, desired, adopt: options.adopt ?? false };
}

/** The content is the spec for kinds made by `resource()`, and the object without its name for others. */
function contentOf(kind: KindInfo, name: string, content: unknown): JsonObject {
  if (typeof name !== "string" || name === "") {
    throw new PermanentError("BadChild", `ensure(${kind.kind}, …) needs a name for the child`);
  }
  if (typeof content !== "object" || content === null) {
    throw new PermanentError(
      "BadChild",
      `ensure(${kind.kind}, "${name}", …) needs an object that says what it contains`,
    );
  }
  // As it is sent: without undefined values, and not shared with the caller.
  const plain = JSON.parse(JSON.stringify(content)) as JsonObject;
  return "versions" in kind ? { spec: plain } : plain;
}

/** An owner must be in its children's namespace: Kubernetes' garbage collector deletes children whose owner it cannot find. */
function checkOwnership(owner: KubeObject, kind: KindInfo, name: string, namespace: string): void {
  if (!owner.metadata.uid) {
    throw new PermanentError(
      "OwnerNotInApi",
      `${owner.kind} ${owner.metadata.name} cannot own ${kind.kind} ${name}: it does not come from the API and has no uid; write the object with the client instead of ensure()`,
    );
  }
  const ownerNamespace = owner.metadata.namespace ?? "";
  if (ownerNamespace === "" || ownerNamespace === namespace) return;
  const where = namespace === "" ? "in no namespace" : `in namespace ${namespace}`;
  throw new PermanentError(
    "CrossNamespaceOwner",
    `${owner.kind} ${ownerNamespace}/${owner.metadata.name} cannot own ${kind.kind} ${name} ${where}: an owner must be in the namespace of its children, or in none; ` +
      `make ${owner.kind} a cluster-scoped kind, or write the object with the client and delete it in cleanup`,
  );
}

function merged(field: string, ...parts: readonly unknown[]): JsonObject {
  const all = Object.assign({}, ...parts) as JsonObject;
  return Object.keys(all).length === 0 ? {} : { [field]: all };
}

/** The children of one run, in the order they were staged. */
export class Staged {
  /** Made on first use: many controllers have no children. */
  #children: Map<string, StagedChild> | undefined;
  #written = 0;

  add(child: StagedChild): void {
    const key = childKey(child.kind, child.namespace, child.name);
    this.#children ??= new Map();
    const before = this.#children.get(key);
    if (before !== undefined && !jsonEqual(before.desired, child.desired)) {
      throw new PermanentError(
        "ChildTwice",
        `${child.kind.kind} ${child.name} was ensured twice in one run, with different content: use different names`,
      );
    }
    if (before === undefined) this.#children.set(key, child);
  }

  has(kind: KindInfo, namespace: string, name: string): boolean {
    return this.#children?.has(childKey(kind, namespace, name)) ?? false;
  }

  get size(): number {
    return this.#children?.size ?? 0;
  }

  /** Children that were staged since the last call. */
  takeNew(): readonly StagedChild[] {
    const fresh = [...(this.#children?.values() ?? [])].slice(this.#written);
    this.#written = this.size;
    return fresh;
  }
}

function childKey({ apiVersion, kind }: KindInfo, namespace: string, name: string): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}
