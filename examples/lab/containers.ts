import type { ContainerState } from "./lab.js";

/** Container runtime, the outside world of this example. All methods are idempotent. */
export interface Containers {
  start(container: string, image: string, signal: AbortSignal): Promise<void>;
  /** A container that does not exist counts as stopped. */
  state(container: string, signal: AbortSignal): Promise<ContainerState>;
  remove(container: string, signal: AbortSignal): Promise<void>;
}

/** Container runtime in memory, for tests. */
export class MemoryContainers implements Containers {
  readonly states = new Map<string, ContainerState>();

  async start(container: string): Promise<void> {
    if (!this.states.has(container)) this.states.set(container, "starting");
  }

  async state(container: string): Promise<ContainerState> {
    return this.states.get(container) ?? "stopped";
  }

  async remove(container: string): Promise<void> {
    this.states.delete(container);
  }
}
