/** Switch of each component. */
const debugFlags = {
  /** Log every event, and every call of a handler. */
  control_loop: "trace_events",
  /** Log the differences that each run writes. */
  reconciler: "log_diffs",
  /** Log the operations of the store and of the state API. */
  state_store: "log_operations",
} as const;

export type DebugComponent = keyof typeof debugFlags;
export type DebugFlag = (typeof debugFlags)[DebugComponent];

export interface ComponentDebugging {
  /** False turns the other switches of the component off. Default: true. */
  readonly enabled?: boolean | undefined;
  readonly trace_events?: boolean | undefined;
  readonly log_diffs?: boolean | undefined;
  readonly log_operations?: boolean | undefined;
}

/** Switches of components. Default: all off. */
export type DebugComponents = Readonly<Partial<Record<DebugComponent, ComponentDebugging>>>;

export const debugComponents = Object.keys(debugFlags) as readonly DebugComponent[];

export function isDebugComponent(name: string): name is DebugComponent {
  return Object.hasOwn(debugFlags, name);
}

/** Debugging output of components, switched at run time. Parts of the system read it before each line, so that it costs nothing while off. */
export class DebugSwitches {
  readonly #state = new Map<DebugComponent, Record<string, boolean>>();
  readonly #listeners = new Set<() => void>();
  /** Switches that are on, and whose component is enabled. */
  readonly #active = new Set<DebugFlag>();

  /** @throws {RangeError} for a component or a switch that does not exist. */
  constructor(components: DebugComponents = {}) {
    for (const [component, flag] of Object.entries(debugFlags) as [DebugComponent, DebugFlag][]) {
      this.#state.set(component, { enabled: true, [flag]: false });
    }
    for (const [component, change] of Object.entries(components)) {
      if (change !== undefined) this.set(component, change);
    }
  }

  isOn(flag: DebugFlag): boolean {
    return this.#active.has(flag);
  }

  /** Switches of a component. @throws {RangeError} */
  get(component: string): ComponentDebugging {
    const state = isDebugComponent(component) ? this.#state.get(component) : undefined;
    if (state !== undefined) return { ...state };
    throw new RangeError(
      `there is no component ${JSON.stringify(component)}; the components are ${debugComponents.join(", ")}`,
    );
  }

  /** Changes switches of a component. @throws {RangeError} */
  set(component: string, change: Readonly<Record<string, unknown>> | ComponentDebugging): ComponentDebugging {
    const state = { ...this.get(component) } as Record<string, boolean>;
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) continue;
      if (!Object.hasOwn(state, name)) {
        throw new RangeError(
          `${component} has no switch ${JSON.stringify(name)}; its switches are ${Object.keys(state).join(", ")}`,
        );
      }
      if (typeof value !== "boolean") throw new RangeError(`${component}.${name} must be true or false`);
      state[name] = value;
    }
    this.#state.set(component as DebugComponent, state);
    const flag = debugFlags[component as DebugComponent];
    if (state["enabled"] === true && state[flag] === true) this.#active.add(flag);
    else this.#active.delete(flag);
    for (const listener of this.#listeners) listener();
    return this.get(component);
  }

  /** Calls back after each change. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
