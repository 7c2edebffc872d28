import type { Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../model/core.js";
import type { Staged, StagedChild } from "../reconcile/children/staged.js";
import { AppliedChildren, checkOwner, notStaged, needsWrite } from "../reconcile/children/write-children.js";
import type { Controller } from "../controller/controller.js";
import { fieldManagerOf } from "../controller/names.js";
import { messageOf } from "../log/message-of.js";
import type { RunContext } from "../reconcile/run-context.js";
import { changeOf } from "./planned-change.js";
import type { PlannedWrites } from "./planned-writes.js";

interface PlannedChildrenOptions {
  readonly controller: Controller;
  readonly owner: KubeObject;
  readonly transport: Transport;
  readonly writes: PlannedWrites;
  readonly cacheOf: RunContext["cacheOf"];
  readonly signal: AbortSignal | undefined;
}

/** Children of a plan. Their changes are added to the planned writes. */
export class PlannedChildren {
  readonly applied = new AppliedChildren();
  readonly #options: PlannedChildrenOptions;
  readonly #fieldManager: string;
  #writing = Promise.resolve();

  constructor(options: PlannedChildrenOptions) {
    this.#options = options;
    this.#fieldManager = fieldManagerOf(options.controller.name);
  }

  /** Plans children, one call after the other. */
  write(children: readonly StagedChild[]): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll(children));
    return this.#writing;
  }

  async #writeAll(children: readonly StagedChild[]): Promise<void> {
    const { owner, cacheOf } = this.#options;
    const context = { owner, cacheOf, fieldManager: this.#fieldManager, applied: this.applied };
    for (const child of children) if (needsWrite(context, child)) await this.#write(child);
  }

  /** Plans the deletion of children that were not staged. */
  prune(staged: Staged): void {
    const { controller, owner, cacheOf, writes } = this.#options;
    for (const kind of controller.owns) {
      for (const child of notStaged({ owner, cacheOf, fieldManager: this.#fieldManager }, kind, staged)) {
        const { namespace = "", name = "" } = child.metadata;
        // The reconciler may have deleted it with the client.
        if (writes.current(kind, namespace, name) === undefined) continue;
        writes.changes.push(changeOf("delete", kind, child, undefined));
      }
    }
  }

  /** Plans the write of one child; an error becomes part of its change. */
  async #write(child: StagedChild): Promise<void> {
    const { owner, transport, writes, signal } = this.#options;
    const { kind, namespace, name, desired } = child;
    const current = writes.current(kind, namespace, name);
    try {
      if (current !== undefined) checkOwner(owner, child, current);
    } catch (error) {
      const change = changeOf("update", kind, current, desired as unknown as KubeObject);
      writes.changes.push({ ...change, problem: messageOf(error) });
      return;
    }
    const target = { name, ...(namespace !== "" && { namespace }) };
    const patch = { type: "apply", body: desired, force: true } as const;
    try {
      await transport.patch(kind, target, patch, { fieldManager: this.#fieldManager, signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}
