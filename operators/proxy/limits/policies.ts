import { controller, strategies, type Controller, type TriggerSource } from "fettle";
import { RateLimitPolicy } from "../kinds/proxy.js";
import type { Result, Results } from "../results.js";
import type { PolicyResult } from "../translate/translation.js";
import type { RefusedCounts } from "./refused-counts.js";

export interface RateLimitPoliciesOptions {
  readonly results: Pick<Results, "policy" | "isKnown">;
  readonly counts: RefusedCounts;
  /** Triggers runs of policies whose result or count has changed. */
  readonly changes: TriggerSource;
}

/** Reports whether rate limits are in force, and how many requests they have refused. */
export function rateLimitPolicies({ results, counts, changes }: RateLimitPoliciesOptions): Controller {
  return controller({
    for: RateLimitPolicy,
    triggers: [changes],
    // It only reports: the configured strategies apply to configurations.
    strategy: strategies.immediate,
    concurrency: 8,

    async reconcile(policy, { client, report, condition, flush, step, ready, wait }) {
      const { name, namespace, metadata } = policy;
      const { uid = "", generation = 0 } = metadata;
      const count = counts.unwritten(uid);
      if (count !== undefined) {
        // From the API: the cache may lack the last count, which would then be overwritten.
        const { status } = await client.get(RateLimitPolicy, { name, namespace });
        const lastRefused = new Date(count.last).toISOString();
        // An earlier write, whose response was lost, may have had this very count.
        if (status?.lastRefused !== lastRefused) {
          report({ refused: (status?.refused ?? 0) + count.refused, lastRefused });
          await flush();
        }
        await step("confirm the count", () => counts.confirm(uid));
      }

      const current = results.policy(uid).filter(({ result }) => result.generation === generation);
      const chosen = current.find(isAccepted) ?? current[0];
      if (chosen === undefined) {
        const before = policy.status?.conditions?.find(({ type }) => type === "Ready");
        if (!results.isKnown && before !== undefined) {
          // After a restart, the last status holds until the first translation.
          condition("Ready", before.status, before.reason, before.message);
          return undefined;
        }
        return wait("Pending", "no proxy has been configured with this version of the policy yet");
      }
      for (const { type, status, reason, message } of chosen.result.conditions) {
        condition(type, status, reason, message);
      }
      const refused = chosen.result.conditions.find(({ status }) => status !== "True");
      if (refused !== undefined) return wait(refused.reason, refused.message);
      const { problem } = chosen.programming;
      if (problem !== undefined) return wait(problem.reason, problem.message);
      ready("Programmed", `nginx of class ${chosen.className} limits the requests`);
      return undefined;
    },
  });
}

function isAccepted({ result }: Result<PolicyResult>): boolean {
  return result.conditions.every(({ status }) => status === "True");
}
