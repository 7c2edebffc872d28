import type { Account } from "./machine/account.js";
import { obtain, type Program } from "./machine/program.js";
import { Service, type Place, type Recipe } from "./process/service.js";

/** What every component can be started with. */
export interface StartOptions {
  /** More arguments for the program, after ours, so that they win. */
  readonly args?: readonly string[];
}

/** Something a suite needs: how it is called, and a way to get it onto this machine. */
export interface Need {
  readonly name: string;
  /** Makes sure it is on this machine; rejects with `Unavailable` when that cannot be. */
  obtain(): Promise<unknown>;
}

/** A program that tests start: a server, or a browser. */
export interface Component<Running extends AsyncDisposable, Options = StartOptions> extends Need {
  /** Path of the program. */
  obtain(): Promise<string>;
  /** Starts one in a fresh folder on free loopback ports, and resolves when it answers. */
  start(options?: Options): Promise<Running>;
  /** The same component, started with these options unless `start` is given others. */
  with(options: Options): Component<Running, Options>;
}

/** How a component comes to be. */
export interface Definition<
  Port extends string,
  Options extends StartOptions,
  Extra extends object,
> extends Omit<Recipe<Port>, "args" | "configure"> {
  readonly program: Program;
  /** Whom to run as when the test runs as root; for programs that refuse root. */
  readonly account?: () => Account | undefined;
  /** Before the first start, and again when that is tried on other ports: writes what names them. */
  configure?(place: Place<Port>, options: Options | undefined): Promise<void>;
  /** The program's arguments; `options.args` are added behind them. */
  args(place: Place<Port>): readonly string[];
  /** What a test wants to know of a running one besides its ports and folder. */
  expose(service: Service<Port>, place: Pick<Place<Port>, "program">): Extra;
}

/**
 * Defines a component.
 *
 * @example
 * export const memcached = component({
 *   name: "memcached",
 *   program: { name: "memcached", package: "memcached" },
 *   ports: ["client"],
 *   args: ({ ports }) => ["-l", "127.0.0.1", "-p", `${ports.client}`],
 *   ready: ({ ports }) => accepts(ports.client),
 *   expose: ({ ports }) => ({ url: `memcached://127.0.0.1:${ports.client}` }),
 * });
 *
 * await using cache = await memcached.start();
 */
export function component<
  Port extends string,
  Extra extends object,
  Options extends StartOptions = StartOptions,
>(definition: Definition<Port, Options, Extra>): Component<Service<Port> & Extra, Options> {
  return startedWith(undefined);

  function startedWith(defaults: Options | undefined): Component<Service<Port> & Extra, Options> {
    return {
      name: definition.name,
      obtain: () => obtain(definition.program),
      async start(options = defaults) {
        const program = await obtain(definition.program);
        const recipe: Recipe<Port> = {
          ...definition,
          configure: async (place) => definition.configure?.(place, options),
          args: (place) => [...definition.args(place), ...(options?.args ?? [])],
        };
        const service = await Service.launch(recipe, program, definition.account?.());
        return Object.assign(service, definition.expose(service, { program }));
      },
      with: startedWith,
    };
  }
}
