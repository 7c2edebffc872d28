import type { Config } from "../config.js";
import { peersSettings } from "../../peers/peer-options.js";
import { configuredPeer } from "./configured-peers.js";
import { configuredStrategy, strategyNames, strategyType } from "./configured-strategies.js";
import type { StrategySettings } from "./sections.js";
import type { ConfigPath } from "../setting-path.js";

/** An error that concerns more than one value. */
interface SectionProblem {
  readonly path: ConfigPath;
  readonly message: string;
}

type Problems = Iterable<SectionProblem>;

/** Rules about several values of the sections, whose single values are valid. */
export function* checkSections(config: Config): Problems {
  yield* checkStrategies(config);
  yield* checkStages(config);
  yield* checkSinks(config);
  yield* checkPerformance(config);
  yield* checkApi(config);
  yield* checkEventTypes(config);
  yield* checkNames(config.plugins?.installed ?? [], ["plugins", "installed"], "a plugin");
  yield* checkPeers(config);
}

function* checkStrategies({ reconciliation, controllers }: Config): Problems {
  const strategies = reconciliation?.strategies ?? [];
  const list = ["reconciliation", "strategies"];
  yield* checkNames(strategies, list, "a strategy");
  for (const [index, strategy] of strategies.entries()) yield* checkStrategy(strategy, [...list, index]);
  const names = strategyNames(strategies);
  for (const [name, { strategy }] of Object.entries(controllers)) {
    if (strategy === undefined || names.includes(strategy)) continue;
    const message = `must be the name of a strategy: ${names.join(", ")}; add others to reconciliation.strategies`;
    yield { path: ["controllers", name, "strategy"], message };
  }
}

/** Settings that only one type of strategy has. */
const settingsOf = {
  immediate: [],
  batched: ["batch_size", "batch_timeout"],
  scheduled: ["schedule", "time_zone", "window"],
} as const;

function* checkStrategy(strategy: StrategySettings, path: ConfigPath): Problems {
  const type = strategyType(strategy);
  if (type === undefined) {
    const message = `${JSON.stringify(strategy.name)} is no type of strategy: add type: immediate, batched or scheduled`;
    yield { path: [...path, "name"], message };
    return;
  }
  for (const [other, names] of Object.entries(settingsOf)) {
    for (const name of names) {
      if (other === type || strategy[name] === undefined) continue;
      yield {
        path: [...path, name],
        message: `is a setting of ${other} strategies, and this one is ${type}`,
      };
    }
  }
  for (const [index, { priority, type: change }] of (strategy.conditions ?? []).entries()) {
    if (priority !== undefined || change !== undefined) continue;
    yield { path: [...path, "conditions", index], message: "a condition needs a priority or a type" };
  }
  if (type !== "scheduled") return;
  if (strategy.schedule === undefined) {
    yield {
      path,
      message: 'schedule is missing: the window of a scheduled strategy opens at times such as "0 2 * * *"',
    };
    return;
  }
  try {
    configuredStrategy(strategy);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    yield { path: [...path, message.includes("time zone") ? "time_zone" : "schedule"], message };
  }
}

function* checkStages({ event_pipeline: { stages = [] } = {} }: Config): Problems {
  yield* checkNames(stages, ["event_pipeline", "stages"], "a stage");
}

function* checkSinks({ sinks = [] }: Config): Problems {
  yield* checkNames(sinks, ["sinks"], "a sink");
  for (const [index, { type, url, path }] of sinks.entries()) {
    const at = ["sinks", index];
    if ((type === "http" || type === "slack") && url === undefined)
      yield { path: at, message: `url is missing: a sink of type ${type} posts events to it` };
    if (type === "file" && path === undefined)
      yield { path: at, message: "path is missing: a sink of type file appends events to it" };
  }
}

function* checkPerformance({ performance: { metrics = [] } = {} }: Config): Problems {
  yield* checkNames(metrics, ["performance", "metrics"], "a metric");
  for (const [index, { type, buckets }] of metrics.entries()) {
    if (buckets === undefined) continue;
    const path = ["performance", "metrics", index, "buckets"];
    if (type !== undefined && type !== "histogram")
      yield { path, message: `is a setting of histograms, and this is a ${type}` };
    const isAscending = buckets.every((bound, at) => bound > (buckets[at - 1] ?? 0));
    if (!isAscending || buckets.length === 0)
      yield { path, message: "must be numbers above 0 in ascending order, such as [0.1, 0.5, 1]" };
  }
}

function* checkApi({ api }: Config): Problems {
  const { base_path: base, endpoints = [] } = api ?? {};
  if (base !== undefined && !/^(\/[\w.~-]+)+$/.test(base))
    yield {
      path: ["api", "base_path"],
      message: "must begin with a slash and not end with one, such as /api/v2",
    };
  const paths = new Set<string>();
  for (const [index, { path }] of endpoints.entries()) {
    const at = ["api", "endpoints", index, "path"];
    if (!path.startsWith("/")) yield { path: at, message: "must begin with a slash, such as /backends/{id}" };
    if (paths.has(path)) yield { path: at, message: "is listed twice" };
    paths.add(path);
  }
}

function* checkEventTypes({ events: { types = {} } = {} }: Config): Problems {
  for (const [kind, prefix] of Object.entries(types)) {
    const path = ["events", "types", kind];
    if (!/^[A-Z]\w*(\.[a-z0-9.-]+)?$/.test(kind))
      yield { path, message: "the key must be a kind and its group, such as Device.racks.dev" };
    if (!/^[\w-]+(\.[\w-]+)*$/.test(prefix))
      yield { path, message: "must be words with dots between them, such as io.example.device" };
  }
}

function* checkPeers({ peers = [] }: Config): Problems {
  yield* checkNames(peers, ["peers"], "a peer");
  for (const [index, peer] of peers.entries()) {
    try {
      peersSettings({ peers: [{ name: `peer-${index + 1}`, ...configuredPeer(peer) }] });
    } catch (error) {
      yield { path: ["peers", index], message: error instanceof Error ? error.message : String(error) };
    }
  }
}

function* checkNames(
  items: readonly { readonly name?: string | undefined }[],
  path: ConfigPath,
  what: string,
): Problems {
  const names = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (name === undefined) continue;
    if (names.has(name))
      yield { path: [...path, index, "name"], message: `there is ${what} ${JSON.stringify(name)} already` };
    names.add(name);
  }
}
