import type { Attempt, ProcessDriver } from "./driver/driver.js";
import type { ProcessObject } from "./kinds.js";

interface PortSources {
  readonly driver: Pick<ProcessDriver, "allocatePort">;
  /** Ports that were allocated by this Fettle, with the uid of their process. */
  readonly reserved: Map<number, string>;
  /** Ports in the status of other processes. */
  readonly taken: () => readonly number[];
  /** Wraps an allocation, so that a plan does without. */
  readonly allocate: (name: string, allocate: () => Promise<number>) => Promise<number>;
}

/**
 * Ports of a process by name. An allocated port is kept from the first attempt on, whose record has it. Until then it is reserved,
 * since processes that start at the same time must not get the same one, and is allocated again after a crash.
 */
export async function portsOf(
  { spec, metadata: { uid = "" } }: ProcessObject,
  attempts: readonly Attempt[],
  { driver, reserved, taken, allocate }: PortSources,
): Promise<Readonly<Record<string, number>>> {
  const recorded = attempts.at(-1)?.record.ports;
  const ports: Record<string, number> = {};
  for (const { name, port, host } of spec.ports) {
    const kept = recorded?.[name];
    if (port !== 0) ports[name] = port;
    else if (kept !== undefined && kept !== 0) ports[name] = kept;
    else ports[name] = await allocate(name, () => reserve(host));
  }
  return ports;

  async function reserve(host: string): Promise<number> {
    const kept = Object.values(ports);
    for (const [port, owner] of reserved) if (owner === uid && !kept.includes(port)) reserved.delete(port);
    for (;;) {
      const port = await driver.allocatePort(host, new Set([...taken(), ...reserved.keys(), ...kept]));
      // Another process may have got it meanwhile.
      if (reserved.has(port)) continue;
      reserved.set(port, uid);
      return port;
    }
  }
}

/** Gives back the ports of a process that was deleted. */
export function releasePorts(reserved: Map<number, string>, uid: string): void {
  for (const [port, owner] of reserved) if (owner === uid) reserved.delete(port);
}
