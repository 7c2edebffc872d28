import type { Attempt, ProcessDriver } from "./driver/driver.js";
import type { ProcessObject } from "./kinds.js";

interface PortSources {
  readonly driver: Pick<ProcessDriver, "allocatePort">;
  /** Ports of all processes. */
  readonly taken: () => readonly number[];
  /** Wraps an allocation, so that a plan does without. */
  readonly allocate: (name: string, allocate: () => Promise<number>) => Promise<number>;
}

/**
 * Ports of a process by name. An allocated port is kept: it is in the record of the attempts, and in the status, from which it is
 * known as long as the object exists.
 */
export async function portsOf(
  { spec, status }: ProcessObject,
  attempts: readonly Attempt[],
  { driver, taken, allocate }: PortSources,
): Promise<Readonly<Record<string, number>>> {
  const recorded = attempts.at(-1)?.record.ports;
  const ports: Record<string, number> = {};
  for (const { name, port, host } of spec.ports) {
    const kept = recorded?.[name] ?? status?.ports?.[name];
    if (port !== 0) ports[name] = port;
    else if (kept !== undefined && kept !== 0) ports[name] = kept;
    else {
      ports[name] = await allocate(name, () =>
        driver.allocatePort(host, new Set([...taken(), ...Object.values(ports)])),
      );
    }
  }
  return ports;
}
