import {
  changeTypeAnnotation,
  chooseByAnnotations,
  priorityAnnotation,
  readablePriority,
} from "../../runtime/controller/annotation-strategy.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Predicate } from "../../runtime/controller/predicates.js";
import { ConfigError, type Config, type ControllerSettings, type Origin } from "./config.js";
import { strategyNamed, strategyRules } from "./sections/configured-strategies.js";

type Options = Controller["options"];

/**
 * Applies a configuration to controllers: first defaults for what their code does not set, from `control_loop` and
 * `reconciliation`, then the settings of each controller by name, which override its code.
 *
 * @throws {ConfigError} for an unknown name.
 */
export function configureControllers(
  controllers: readonly Controller[],
  config: Pick<Config, "controllers" | "control_loop" | "reconciliation">,
  origins: ReadonlyMap<string, Origin> = new Map(),
): readonly Controller[] {
  checkNames(controllers, config.controllers, origins);
  const strategies = config.reconciliation?.strategies ?? [];
  const chosen =
    strategies.length === 0 ? {} : annotationOptions(chooseByAnnotations(strategyRules(strategies)));
  const strategyOf = ({ strategy }: ControllerSettings): Partial<Options> => {
    if (strategy === undefined) return {};
    return annotationOptions(chooseByAnnotations([{ strategy: strategyNamed(strategy, strategies) }]));
  };
  return controllers.map((controller) => {
    const { strategy, backoff, ...rest } = config.controllers[controller.name] ?? {};
    const before = withControlLoop(controller.options, config.control_loop);
    const options = {
      ...withStrategy(before, before.strategy === undefined ? chosen : {}),
      ...rest,
    };
    const retried =
      backoff === undefined ? options : { ...options, backoff: { ...options.backoff, ...backoff } };
    return { ...controller, options: withStrategy(retried, strategyOf({ strategy })) };
  });
}

function checkNames(
  controllers: readonly Controller[],
  overrides: Config["controllers"],
  origins: ReadonlyMap<string, Origin>,
): void {
  const names = controllers.map(({ name }) => name);
  for (const name of Object.keys(overrides)) {
    if (names.includes(name)) continue;
    const [, origin] = [...origins].find(([path]) => path.startsWith(`controllers.${name}.`)) ?? [];
    const where = origin?.type === "file" ? `${origin.file}:${origin.line}: ` : "";
    throw new ConfigError(
      `${where}there is no controller ${JSON.stringify(name)}; the controllers are: ${names.join(", ") || "none"}`,
    );
  }
}

/** Sets what the code of a controller leaves to its defaults. */
function withControlLoop(options: Options, loop: Config["control_loop"]): Options {
  if (loop === undefined) return options;
  const { resync, concurrency, backoff } = options;
  return {
    ...options,
    resync: resync ?? loop.reconcile_interval,
    concurrency: concurrency ?? loop.worker_pool_size,
    backoff: { ...backoff, maxRetries: backoff?.maxRetries ?? loop.max_retry_attempts },
  };
}

/** Options of a controller whose strategy depends on annotations. */
function annotationOptions(strategy: ReturnType<typeof chooseByAnnotations>): Partial<Options> {
  return { strategy, priority: (object) => readablePriority(object) ?? 0 };
}

function withStrategy(options: Options, { strategy, priority }: Partial<Options>): Options {
  if (strategy === undefined) return options;
  const { where } = options;
  return {
    ...options,
    strategy,
    priority: options.priority ?? priority,
    // Work that is held back has to notice that it has become urgent.
    where: where && ((change) => (where as Predicate)(change) || isReclassified(change)),
  };
}

const isReclassified: Predicate = ({ object, old }) =>
  old !== undefined &&
  [priorityAnnotation, changeTypeAnnotation].some(
    (name) => object.metadata.annotations?.[name] !== old.metadata.annotations?.[name],
  );
