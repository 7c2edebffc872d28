import { schedule } from "fettle";
import type { Containers } from "./containers.js";
import { containerOf, endOf, LabInstanceRequest } from "./lab.js";

/**
 * Checks all running labs at intervals, even without changes: a container that exits causes no event, and expired labs are
 * ended even if the controller has missed it.
 */
export const patrol = (containers: Containers) =>
  schedule({
    name: "lab-patrol",
    every: "30s",
    over: ({ client }) => client.each(LabInstanceRequest),
    where: (lab) => lab.status?.phase === "RUNNING",
    async each(lab, { client, clock, signal, cleanedUp }) {
      const container = containerOf(lab);
      const phase = endOf(lab, await containers.state(container, signal), clock.now());
      if (phase === undefined) return "unchanged";
      // Only if it has not changed since it was read.
      const { resourceVersion } = lab.metadata;
      await client.patchStatus(LabInstanceRequest, lab, { metadata: { resourceVersion }, status: { phase } });
      await containers.remove(container, signal);
      cleanedUp();
      return "changed";
    },
  });
