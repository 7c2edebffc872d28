import { schedule } from "fettle";
import type { Containers } from "./containers.js";
import { containerOf, endOf, LabInstanceRequest } from "./lab.js";

/**
 * Goes over all running labs, whether or not anything has changed: containers that end by themselves tell nobody, and
 * what has expired is ended even if whoever should have done so did not.
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
      // Only if it is still as it was seen.
      const { resourceVersion } = lab.metadata;
      await client.patchStatus(LabInstanceRequest, lab, { metadata: { resourceVersion }, status: { phase } });
      await containers.remove(container, signal);
      cleanedUp();
      return "changed";
    },
  });
