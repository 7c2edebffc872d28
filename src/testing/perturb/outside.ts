import type { Director, Life } from "./director.js";

/**
 * Proxy of the outside world for the controllers: every call of a method is an effect, at which a fault can be
 * injected. Methods run on the original object, so private fields work.
 */
export function outsideOf<World>(world: World, director: Director, life: Life): World {
  return wrap(world, "world");

  function wrap<T>(value: T, path: string): T {
    if (typeof value !== "object" || value === null || isTriggerSource(value)) return value;
    const methods = new Map<PropertyKey, unknown>();
    return new Proxy(value, {
      get(target, property) {
        const found: unknown = Reflect.get(target, property, target);
        if (typeof found !== "function") {
          return isFixed(target, property) ? found : wrap(found, `${path}.${String(property)}`);
        }
        const existing = methods.get(property);
        if (existing !== undefined) return existing;
        const isAsync = found.constructor.name === "AsyncFunction";
        const method = (...parameters: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(found, target, parameters) as unknown;
          if (typeof property === "symbol") return call();
          return director.outside(life, `${path}.${property}(${describe(parameters)})`, isAsync, call);
        };
        methods.set(property, method);
        return method;
      },
    });
  }
}

/** True for the result of `triggers()`: controllers subscribe to it, which is no effect. */
function isTriggerSource(value: object): boolean {
  return "send" in value && typeof value.send === "function" && "subscribe" in value;
}

/** True for a property that a proxy has to return unchanged. */
function isFixed(target: object, property: PropertyKey): boolean {
  const { configurable = true, writable = true } = Reflect.getOwnPropertyDescriptor(target, property) ?? {};
  return !configurable && !writable;
}

function describe(parameters: readonly unknown[]): string {
  return parameters
    .filter((each) => !(each instanceof AbortSignal))
    .map((each) => {
      const text = typeof each === "function" ? "function" : JSON.stringify(each);
      return text !== undefined && text.length > 40 ? `${text.slice(0, 39)}…` : text;
    })
    .join(", ");
}
