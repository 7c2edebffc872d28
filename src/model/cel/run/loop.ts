import type { Expression, LoopNode } from "../syntax/expression.js";
import { CelList } from "../values/list.js";
import { type CelMap, isMap, keyText, LiteralMap, renderKey } from "../values/map.js";
import { listCost } from "../cost/factors.js";
import { CelError, noSuchOverload, type CelValue } from "../values/value.js";
import type { Evaluate, Variables } from "./variables.js";

interface Planner {
  plan(node: Expression): Evaluate;
}

/**
 * Compiles a loop. A list or map that grows by one element per turn is built in place: copies would take
 * quadratic time.
 */
export function planLoop(node: LoopNode, planner: Planner): Evaluate {
  const range = planner.plan(node.range);
  const grow = growth(node, planner);
  if (grow) {
    return (variables) => {
      const values = range(variables);
      const growing = grow.begin();
      const fault = turns(node, values, variables, (inner) => growing.add(inner));
      // Charge for reading the result.
      variables.meter.spend(1);
      return fault ?? growing.result();
    };
  }
  const start = planner.plan(node.start);
  const condition = planner.plan(node.condition);
  const step = planner.plan(node.step);
  const finish = planner.plan(node.finish);
  return (variables) => {
    const values = range(variables);
    let result = start(variables);
    let stopped = false;
    const fault = turns(node, values, variables, (inner) => {
      if (stopped) return undefined;
      const within = inner.with(node.result, result);
      if (condition(within) !== true) {
        stopped = true;
        return stop;
      }
      result = step(within);
      return undefined;
    });
    return fault ?? finish(variables.with(node.result, result));
  };
}

/** Returned by a turn to end the loop. */
const stop = new CelError("stop");

/** Runs a turn for every item of a list or key of a map; an error ends the loop. */
function turns(
  node: LoopNode,
  values: CelValue,
  variables: Variables,
  turn: (variables: Variables) => CelError | undefined,
): CelError | undefined {
  if (values instanceof CelError) return values;
  if (!(values instanceof CelList) && !isMap(values)) {
    return new CelError(`got '${typeof values}', expected iterable type`);
  }
  let index = 0;
  for (const item of values instanceof CelList ? values : values.keys()) {
    variables.meter.work(1);
    const inner =
      node.second === undefined
        ? variables.with(node.variable, item)
        : withBoth(node, values, item, index, variables);
    index++;
    const fault = turn(inner);
    if (fault === stop) return undefined;
    if (fault) return fault;
  }
  return undefined;
}

/** Binds two variables: index and item of a list, or key and value of a map. */
function withBoth(
  node: LoopNode,
  values: CelList | CelMap,
  item: CelValue,
  index: number,
  variables: Variables,
): Variables {
  const second = node.second ?? "";
  if (values instanceof CelList) return variables.with(node.variable, BigInt(index)).with(second, item);
  const value = values.find(item);
  return variables.with(node.variable, item).with(second, value === undefined ? noSuchOverload() : value);
}

interface Growing {
  /** Adds the result of a turn. */
  add(variables: Variables): CelError | undefined;
  result(): CelValue;
}

interface Growth {
  begin(): Growing;
}

/** Recognises a loop whose result grows; undefined for others. */
function growth(node: LoopNode, planner: Planner): Growth | undefined {
  const isConditional = node.step.kind === "call" && node.step.name === "_?_:_";
  const [condition, yes] = isConditional ? node.step.args : [undefined, node.step];
  if (yes?.kind !== "call") return undefined;
  const filter = condition && planner.plan(condition);
  if (node.start.kind === "list" && yes.name === "_+_") return listGrowth(yes.args[1], filter, planner);
  if (node.start.kind === "map" && yes.name === "cel.@mapInsert") return mapGrowth(yes.args, filter, planner);
  return undefined;
}

/** Evaluates the filter of a turn. */
function passes(filter: Evaluate | undefined, variables: Variables): boolean | CelError {
  if (!filter) return true;
  const value = filter(variables);
  if (value instanceof CelError || typeof value === "boolean") return value;
  return noSuchOverload();
}

function listGrowth(
  added: Expression | undefined,
  filter: Evaluate | undefined,
  planner: Planner,
): Growth | undefined {
  const [item] = added?.kind === "list" ? added.items : [];
  if (!item) return undefined;
  const run = planner.plan(item);
  return {
    begin() {
      const items: CelValue[] = [];
      return {
        add(variables) {
          const passed = passes(filter, variables);
          if (passed !== true) return passed === false ? undefined : passed;
          variables.meter.spend(1);
          const value = run(variables);
          if (value instanceof CelError) return value;
          variables.meter.spend(listCost + 1);
          items.push(value);
          return undefined;
        },
        result: () => new CelList(items),
      };
    },
  };
}

function mapGrowth(args: readonly Expression[], filter: Evaluate | undefined, planner: Planner): Growth {
  const [key, value] = args.slice(1).map((arg) => planner.plan(arg));
  return {
    begin() {
      const entries = new Map<string, readonly [CelValue, CelValue]>();
      const insert = (at: CelValue, what: CelValue): CelError | undefined => {
        const text = keyText(at);
        if (text === undefined) return new CelError("unsupported key type");
        if (entries.has(text)) return new CelError(`insert failed: key ${renderKey(at)} already exists`);
        entries.set(text, [at, what]);
        return undefined;
      };
      return {
        add(variables) {
          const passed = passes(filter, variables);
          if (passed !== true) return passed === false ? undefined : passed;
          variables.meter.spend(1);
          const at = key?.(variables) ?? null;
          if (at instanceof CelError) return at;
          variables.meter.spend(1);
          if (value) {
            const what = value(variables);
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
