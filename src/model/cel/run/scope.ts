import type { Meter } from "../values/meter.js";
import type { Value } from "../values/value.js";

/** The variables at some place in an expression while it runs. */
export class Variables {
  constructor(
    readonly meter: Meter,
    private readonly name: string,
    private readonly value: Value,
    private readonly outer: Variables | undefined,
  ) {}

  find(name: string): Value | undefined {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- walks outwards from here
    for (let scope: Variables | undefined = this; scope; scope = scope.outer) {
      if (scope.name === name) return scope.value;
    }
    return undefined;
  }

  with(name: string, value: Value): Variables {
    return new Variables(this.meter, name, value, this);
  }
}

/** An expression, or a part of one, ready to run. */
export type Run = (scope: Variables) => Value;
