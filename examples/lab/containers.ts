import type { ContainerState } from "./lab.js";

/** Where containers run: the outside world of this example. All of it may be done again without harm. */
export interface Containers {
  start(container: string, image: string, signal: AbortSignal): Promise<void>;
  /** One that is not there has stopped. */
  state(container: string, signal: AbortSignal): Promise<ContainerState>;
  remove(container: string, signal: AbortSignal): Promise<void>;
}

/** Containers made of memory, which do what they are told to. */
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
