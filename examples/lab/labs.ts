import { controller, predicates, type Controller } from "fettle";
import type { Containers } from "./containers.js";
import {
  containerOf,
  endOf,
  LabInstanceRequest,
  lifecycle,
  timeUntilExpiry,
  timeUntilStart,
  type End,
} from "./lab.js";

/** Moves a lab from one phase to the next, and requeues it for its start and its expiry. */
export function labs(containers: Containers): Controller {
  return controller({
    for: LabInstanceRequest,
    where: predicates.or(predicates.changed.generation, predicates.changed.status),
    timeout: "5m",
    phases: lifecycle,

    async reconcile(lab, { step, phase, report, condition, ready, wait, requeue, now, signal }) {
      const container = containerOf(lab);
      const current = lab.status?.phase ?? "PENDING";
      const ended = async (how: End) => {
        await step("remove container", (signal) => containers.remove(container, signal));
        phase(how);
        condition("Ready", false, "Ended", `the lab has ended: ${how}`);
      };

      switch (current) {
        case "PENDING": {
          phase("PENDING");
          const left = timeUntilStart(lab, now());
          if (left > 0) return wait("Scheduled", `starts at ${lab.spec.scheduledStart}`, left);
          await step("start container", (signal) => containers.start(container, lab.spec.image, signal));
          phase("PROVISIONING");
          report({ container });
          return wait("Provisioning", "the container is starting", "30s");
        }
        case "PROVISIONING": {
          const state = await containers.state(container, signal);
          if (state === "error") return ended("FAILED");
          if (state !== "running") return wait("Provisioning", `the container is ${state}`, "30s");
          phase("RUNNING");
          report({ startedAt: new Date(now()).toISOString() });
          return ready("Running");
        }
        case "RUNNING": {
          const end = endOf(lab, await containers.state(container, signal), now());
          if (end !== undefined) return ended(end);
          ready("Running");
          return requeue(timeUntilExpiry(lab, now()), "expiry");
        }
        default:
          return ended(current);
      }
    },

    async cleanup(lab, { step }) {
      await step("remove container", (signal) => containers.remove(containerOf(lab), signal));
    },
  });
}
