import type { Client } from "../../client/client.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import type { Source } from "../../client/informer/source.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Clock, KubeObject } from "../../model/core.js";
import type { AppliedChildren } from "./children/write-children.js";
import type { StagedChild } from "./children/staged.js";
import type { ControllerOptions } from "../controller/controller.js";
import type { Log } from "../log/log.js";
import type { Steps } from "./steps/steps.js";
import type { TypedKind } from "../controller/reconcile-context.js";

export type ProseOptions = ControllerOptions<TypedKind, readonly TypedKind[], string>;

/** All that one run of a controller needs. */
export interface ProseContext {
  readonly options: ProseOptions;
  readonly controllerName: string;
  readonly runId: string;
  readonly clock: Clock;
  /** Its writes are part of the run's record. */
  readonly transport: Transport;
  client(): Client;
  /** Ends when the run is cancelled. For the runtime itself, which does not hold on to it. */
  readonly signal: AbortSignal;
  /** The same for people's own code, which may. */
  showSignal(): AbortSignal;
  readonly log: Log;
  readonly steps: Steps;
  /** Resolves when effects of steps have ended that go on although they were given up. */
  readonly lingering?: Promise<unknown> | undefined;
  readonly applied: AppliedChildren;
  /** The cache of a kind that the controller watches; throws for others. */
  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source;
  readonly kind: KindInfo;
  note(object: KubeObject, reason: string, message: string, type: "Normal" | "Warning"): void;
  onDrift?(owner: KubeObject, child: StagedChild, current: KubeObject): void;
  /** Nothing is carried out: children are compared, not written, and the object itself is left alone. */
  readonly planning: boolean;
}
