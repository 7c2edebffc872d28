import type { Meter } from "../values/meter.js";
import type { CelValue } from "../values/value.js";

/** Variables in scope while an expression runs. */
export class Variables {
  constructor(
    readonly meter: Meter,
    private readonly name: string,
    private readonly value: CelValue,
    private readonly outer: Variables | undefined,
  ) {}

  find(name: string): CelValue | undefined {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- walks outwards from here
    for (let variables: Variables | undefined = this; variables; variables = variables.outer) {
      if (variables.name === name) return variables.value;
    }
    return undefined;
  }

  with(name: string, value: CelValue): Variables {
    return new Variables(this.meter, name, value, this);
  }
}

/** Compiled expression or part of one. */
export type Evaluate = (variables: Variables) => CelValue;
