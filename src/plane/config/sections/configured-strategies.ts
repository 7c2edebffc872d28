import type { AnnotationRule } from "../../../runtime/controller/annotation-strategy.js";
import { batched, immediate, scheduled, type Strategy } from "../../../runtime/queue/strategy.js";
import { window } from "../../../runtime/schedule/window.js";
import { strategyTypes, type StrategySettings } from "./sections.js";

const defaultBatch = { size: 10, timeout: "30s" } as const;
const defaultTimeZone = "UTC";

/** Type of a strategy; undefined if neither the type nor the name is one. */
export function strategyType({ type, name }: StrategySettings): StrategySettings["type"] {
  return type ?? strategyTypes.find((each) => each === name);
}

/**
 * The strategy that an item of `reconciliation.strategies` describes.
 *
 * @throws {Error} for a scheduled strategy whose window is invalid.
 */
export function configuredStrategy(settings: StrategySettings): Strategy {
  const { name } = settings;
  switch (strategyType(settings)) {
    case "batched": {
      const { batch_size: size = defaultBatch.size, batch_timeout: timeout = defaultBatch.timeout } =
        settings;
      return batched({ size, timeout, name });
    }
    case "scheduled": {
      const { schedule: cron = "", time_zone: timeZone = defaultTimeZone, window: duration } = settings;
      return scheduled({ ...window({ cron, timeZone, duration }), name, timeZone });
    }
    default:
      return immediate;
  }
}

/** Rules for `chooseByAnnotations`, in the order of the list. */
export function strategyRules(strategies: readonly StrategySettings[]): readonly AnnotationRule[] {
  return strategies.map((each) => ({ strategy: configuredStrategy(each), conditions: each.conditions }));
}

/** Names that `controllers.NAME.strategy` may have. */
export function strategyNames(strategies: readonly StrategySettings[]): readonly string[] {
  return [...new Set([...strategies.map(({ name }) => name), "immediate", "batched"])];
}

/** A strategy by its name: a configured one, or `immediate` or `batched` with their defaults. */
export function strategyNamed(name: string, strategies: readonly StrategySettings[]): Strategy {
  return configuredStrategy(strategies.find((each) => each.name === name) ?? { name });
}
