import type { Expression, LoopNode } from "../syntax/expression.js";
import { CelList } from "../values/list.js";
import { type CelMap, isMap, keyText, LiteralMap, shownKey } from "../values/map.js";
import { listCost } from "../cost/factors.js";
import { CelError, noSuchOverload, type Value } from "../values/value.js";
import type { Run, Variables } from "./scope.js";

interface Planner {
  plan(node: Expression): Run;
}

/**
 * Makes a loop ready to run. Where its result is a list or a map that grows by what each turn adds, that is added to
 * one list or map in place: copies would take a time that grows with the square of their size.
 */
export function planLoop(node: LoopNode, planner: Planner): Run {
  const range = planner.plan(node.range);
  const grow = growth(node, planner);
  if (grow) {
    return (scope) => {
      const values = range(scope);
      const growing = grow.begin();
      const fault = turns(node, values, scope, (inner) => growing.add(inner));
      // The result is asked for once more at the end.
      scope.meter.spend(1);
      return fault ?? growing.result();
    };
  }
  const start = planner.plan(node.start);
  const condition = planner.plan(node.condition);
  const step = planner.plan(node.step);
  const finish = planner.plan(node.finish);
  return (scope) => {
    const values = range(scope);
    let result = start(scope);
    let stopped = false;
    const fault = turns(node, values, scope, (inner) => {
      if (stopped) return undefined;
      const within = inner.with(node.result, result);
      if (condition(within) !== true) {
        stopped = true;
        return stop;
      }
      result = step(within);
      return undefined;
    });
    return fault ?? finish(scope.with(node.result, result));
  };
}

/** Returned by a turn after which there are no others. */
const stop = new CelError("stop");

/** Does something for every item of a list or key of a map; what fails ends it. */
function turns(
  node: LoopNode,
  values: Value,
  scope: Variables,
  turn: (scope: Variables) => CelError | undefined,
): CelError | undefined {
  if (values instanceof CelError) return values;
  if (!(values instanceof CelList) && !isMap(values)) {
    return new CelError(`got '${typeof values}', expected iterable type`);
  }
  let index = 0;
  for (const item of values instanceof CelList ? values : values.keys()) {
    scope.meter.work(1);
    const inner =
      node.second === undefined
        ? scope.with(node.variable, item)
        : withBoth(node, values, item, index, scope);
    index++;
    const fault = turn(inner);
    if (fault === stop) return undefined;
    if (fault) return fault;
  }
  return undefined;
}

/** With two variables: the index and the item of a list, the key and the value of a map. */
function withBoth(
  node: LoopNode,
  values: CelList | CelMap,
  item: Value,
  index: number,
  scope: Variables,
): Variables {
  const second = node.second ?? "";
  if (values instanceof CelList) return scope.with(node.variable, BigInt(index)).with(second, item);
  const value = values.find(item);
  return scope.with(node.variable, item).with(second, value === undefined ? noSuchOverload() : value);
}

interface Growing {
  /** Adds what a turn yields. */
  add(scope: Variables): CelError | undefined;
  result(): Value;
}

interface Growth {
  begin(): Growing;
}

/** How a loop's result grows; undefined when it is not one that does. */
function growth(node: LoopNode, planner: Planner): Growth | undefined {
  const isConditional = node.step.kind === "call" && node.step.name === "_?_:_";
  const [condition, yes] = isConditional ? node.step.args : [undefined, node.step];
  if (yes?.kind !== "call") return undefined;
  const filter = condition && planner.plan(condition);
  if (node.start.kind === "list" && yes.name === "_+_") return listGrowth(yes.args[1], filter, planner);
  if (node.start.kind === "map" && yes.name === "cel.@mapInsert") return mapGrowth(yes.args, filter, planner);
  return undefined;
}

/** Whether a turn adds something. */
function passes(filter: Run | undefined, scope: Variables): boolean | CelError {
  if (!filter) return true;
  const value = filter(scope);
  if (value instanceof CelError || typeof value === "boolean") return value;
  return noSuchOverload();
}

function listGrowth(
  added: Expression | undefined,
  filter: Run | undefined,
  planner: Planner,
): Growth | undefined {
  const [item] = added?.kind === "list" ? added.items : [];
  if (!item) return undefined;
  const run = planner.plan(item);
  return {
    begin() {
      const items: Value[] = [];
      return {
        add(scope) {
          const passed = passes(filter, scope);
          if (passed !== true) return passed === false ? undefined : passed;
          scope.meter.spend(1);
          const value = run(scope);
          if (value instanceof CelError) return value;
          scope.meter.spend(listCost + 1);
          items.push(value);
          return undefined;
        },
        result: () => new CelList(items),
      };
    },
  };
}

function mapGrowth(args: readonly Expression[], filter: Run | undefined, planner: Planner): Growth {
  const [key, value] = args.slice(1).map((arg) => planner.plan(arg));
  return {
    begin() {
      const entries = new Map<string, readonly [Value, Value]>();
      const insert = (at: Value, what: Value): CelError | undefined => {
        const text = keyText(at);
        if (text === undefined) return new CelError("unsupported key type");
        if (entries.has(text)) return new CelError(`insert failed: key ${shownKey(at)} already exists`);
        entries.set(text, [at, what]);
        return undefined;
      };
      return {
        add(scope) {
          const passed = passes(filter, scope);
          if (passed !== true) return passed === false ? undefined : passed;
          scope.meter.spend(1);
          const at = key?.(scope) ?? null;
          if (at instanceof CelError) return at;
          scope.meter.spend(1);
          if (value) {
            const what = value(scope);
            return what instanceof CelError ? what : insert(at, what);
          }
          if (!isMap(at)) return noSuchOverload();
          for (const each of at.keys()) {
            const fault = insert(each, at.find(each) ?? null);
            if (fault) return fault;
          }
          return undefined;
        },
        result: () => new LiteralMap(entries),
      };
    },
  };
}
