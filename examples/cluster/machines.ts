/** Machines of the nodes, the outside world of this example. */
export interface Machines {
  /** Boots the machine with a version; returns true if it already runs. */
  boot(machine: string, version: string, signal: AbortSignal): Promise<boolean>;
  /** Releases the machine; idempotent. */
  release(machine: string, signal: AbortSignal): Promise<void>;
}

/** Machines in memory. They have booted when they are checked for the second time. */
export class MemoryMachines implements Machines {
  /** Version that each machine runs or boots. */
  readonly versions = new Map<string, string>();

  async boot(machine: string, version: string): Promise<boolean> {
    const isUp = this.versions.get(machine) === version;
    this.versions.set(machine, version);
    return isUp;
  }

  async release(machine: string): Promise<void> {
    this.versions.delete(machine);
  }
}
