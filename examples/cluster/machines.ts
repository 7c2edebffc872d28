/** Where machines are, which nodes run on: the outside world of this example. */
export interface Machines {
  /** Has the machine run a version, and tells whether it does by now. */
  boot(machine: string, version: string, signal: AbortSignal): Promise<boolean>;
  /** Gives the machine back; no matter if it has been given back already. */
  release(machine: string, signal: AbortSignal): Promise<void>;
}

/** Machines made of memory. They have booted when they are looked at for the second time. */
export class MemoryMachines implements Machines {
  /** What each machine runs, or is about to. */
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
