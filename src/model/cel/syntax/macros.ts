import type { CallNode, Expression, Literal, LoopNode } from "./expression.js";

/** Context of an expansion. */
export interface MacroContext {
  /** Position of the call. */
  readonly at: number;
  /** Reports an invalid argument. */
  fault(at: number, message: string): void;
}

/** Variable with the result of a loop; expressions cannot name it. */
export const accumulator = "@result";

const noIdentifier = "argument is not an identifier";

type Macro = (build: Expander, target: Expression, args: readonly Expression[]) => Expression | undefined;

/** Expands a call if it is a macro; undefined if not. */
export function expandMacro(
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
  build: MacroContext,
): Expression | undefined {
  const expander = new Expander(build);
  if (!target) {
    const [field] = args;
    if (name !== "has" || args.length !== 1 || !field) return undefined;
    if (field.kind === "select" && !field.testOnly) return { ...field, testOnly: true, at: build.at };
    build.fault(field.at, "invalid argument to has() macro");
    return expander.literal({ type: "bool", value: false });
  }
  return macros.get(`${name}/${args.length}`)?.(expander, target, args);
}

class Expander {
  constructor(private readonly build: MacroContext) {}

  literal(literal: Literal): Expression {
    return { kind: "literal", literal, at: this.build.at };
  }

  call(name: string, ...args: Expression[]): CallNode {
    return { kind: "call", name, args, at: this.build.at };
  }

  member(target: Expression, name: string, ...args: Expression[]): Expression {
    return { kind: "call", name, target, args, at: this.build.at };
  }

  ident(name: string): Expression {
    return { kind: "ident", name, at: this.build.at };
  }

  get accumulated(): Expression {
    return this.ident(accumulator);
  }

  list(...items: Expression[]): Expression {
    return { kind: "list", items, optional: new Set(), at: this.build.at };
  }

  /** Result of a turn: `yes` if `filter` holds, otherwise unchanged. */
  when(filter: Expression | undefined, yes: Expression): Expression {
    return filter ? this.call("_?_:_", filter, yes, this.accumulated) : yes;
  }

  variable(name: Expression | undefined, fault = "argument must be a simple name"): string {
    if (name?.kind !== "ident" || name.name.startsWith(".")) {
      this.build.fault(name?.at ?? 0, fault);
      return "_";
    }
    if (name.name === "__result__") {
      this.build.fault(name.at, "iteration variable overwrites accumulator variable");
    }
    return name.name;
  }

  loop(
    range: Expression,
    variables: readonly (Expression | undefined)[],
    parts: Pick<LoopNode, "start" | "step"> & Partial<Pick<LoopNode, "condition" | "finish">>,
    fault?: string,
  ): Expression {
    const [first, second] = variables;
    const variable = this.variable(first, fault);
    const other = variables.length > 1 ? this.variable(second) : undefined;
    if (second && variable === other) this.build.fault(second.at, `duplicate variable name: ${variable}`);
    return {
      kind: "loop",
      range,
      variable,
      second: other,
      result: accumulator,
      condition: this.literal({ type: "bool", value: true }),
      finish: this.accumulated,
      ...parts,
      at: this.build.at,
    };
  }
}

/** Last arguments of a macro: the step, and an optional filter before it. */
function filterAndStep(
  args: readonly Expression[],
  variables: number,
): { readonly filter: Expression | undefined; readonly step: Expression | undefined } {
  const rest = args.slice(variables);
  return rest.length > 1 ? { filter: rest[0], step: rest[1] } : { filter: undefined, step: rest[0] };
}

const all =
  (variables: number): Macro =>
  (build, target, args) => {
    const { step } = filterAndStep(args, variables);
    if (!step) return undefined;
    return build.loop(target, args.slice(0, variables), {
      start: build.literal({ type: "bool", value: true }),
      condition: build.call("@not_strictly_false", build.accumulated),
      step: build.call("_&&_", build.accumulated, step),
    });
  };

const exists =
  (variables: number): Macro =>
  (build, target, args) => {
    const { step } = filterAndStep(args, variables);
    if (!step) return undefined;
    return build.loop(target, args.slice(0, variables), {
      start: build.literal({ type: "bool", value: false }),
      condition: build.call("@not_strictly_false", build.call("!_", build.accumulated)),
      step: build.call("_||_", build.accumulated, step),
    });
  };

const existsOne =
  (variables: number): Macro =>
  (build, target, args) => {
    const { step } = filterAndStep(args, variables);
    if (!step) return undefined;
    const one = build.literal({ type: "int", value: 1n });
    return build.loop(target, args.slice(0, variables), {
      start: build.literal({ type: "int", value: 0n }),
      step: build.when(step, build.call("_+_", build.accumulated, one)),
      finish: build.call("_==_", build.accumulated, one),
    });
  };

const map =
  (variables: number): Macro =>
  (build, target, args) => {
    const { filter, step } = filterAndStep(args, variables);
    if (!step) return undefined;
    const parts = {
      start: build.list(),
      step: build.when(filter, build.call("_+_", build.accumulated, build.list(step))),
    };
    return build.loop(target, args.slice(0, variables), parts, variables === 1 ? noIdentifier : undefined);
  };

const filter: Macro = (build, target, args) => {
  const [variable, condition] = args;
  if (!variable || !condition) return undefined;
  const parts = {
    start: build.list(),
    step: build.when(condition, build.call("_+_", build.accumulated, build.list(variable))),
  };
  return build.loop(target, [variable], parts, noIdentifier);
};

const transformMap =
  (withKey: boolean): Macro =>
  (build, target, args) => {
    const { filter: condition, step } = filterAndStep(args, 2);
    if (!step) return undefined;
    const key = withKey ? [build.ident(build.variable(args[0]))] : [];
    return build.loop(target, args.slice(0, 2), {
      start: { kind: "map", entries: [], at: step.at },
      step: build.when(condition, build.call("cel.@mapInsert", build.accumulated, ...key, step)),
    });
  };

/** Binds a variable with a loop that has no turns. */
const optionalMap =
  (flat: boolean): Macro =>
  (build, target, args) => {
    const [variable, step] = args;
    if (!step) return undefined;
    const name = build.variable(variable);
    const bound: Expression = {
      kind: "loop",
      range: build.list(),
      variable: "#unused",
      result: name,
      start: build.member(target, "value"),
      condition: build.literal({ type: "bool", value: false }),
      step: build.ident(name),
      finish: step,
      at: step.at,
    };
    return build.call(
      "_?_:_",
      build.member(target, "hasValue"),
      flat ? bound : build.call("optional.of", bound),
      build.call("optional.none"),
    );
  };

const macros = new Map<string, Macro>([
  ["all/2", all(1)],
  ["all/3", all(2)],
  ["exists/2", exists(1)],
  ["exists/3", exists(2)],
  ["exists_one/2", existsOne(1)],
  ["exists_one/3", existsOne(2)],
  ["existsOne/3", existsOne(2)],
  ["map/2", map(1)],
  ["map/3", map(1)],
  ["filter/2", filter],
  ["transformList/3", map(2)],
  ["transformList/4", map(2)],
  ["transformMap/3", transformMap(true)],
  ["transformMap/4", transformMap(true)],
  ["transformMapEntry/3", transformMap(false)],
  ["transformMapEntry/4", transformMap(false)],
  ["optMap/2", optionalMap(false)],
  ["optFlatMap/2", optionalMap(true)],
]);
