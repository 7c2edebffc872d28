import type { Account } from "./machine/account.js";
import { obtain, type Program } from "./machine/program.js";
import { Service, type Place, type Recipe } from "./process/service.js";

/** Options of every component. */
export interface StartOptions {
  /** Further arguments of the program, after ours, so that they take precedence. */
  readonly args?: readonly string[];
}

/** Dependency of a suite: its name, and a way to install it. */
export interface Need {
  readonly name: string;
  /** Installs it if necessary; rejects with `Unavailable` when that is not possible. */
  obtain(): Promise<unknown>;
}

/** Program that tests start: a server, or a browser. */
export interface Component<Running extends AsyncDisposable, Options = StartOptions> extends Need {
  /** Path of the program. */
  obtain(): Promise<string>;
  /** Starts one in a new folder on free loopback ports; resolves when it responds. */
  start(options?: Options): Promise<Running>;
  /** The same component with these options as defaults. */
  with(options: Options): Component<Running, Options>;
}

/** Definition of a component. */
export interface Definition<
  Port extends string,
  Options extends StartOptions,
  Extra extends object,
> extends Omit<Recipe<Port>, "args" | "configure"> {
  readonly program: Program;
  /** User to run as when the test runs as root; for programs that refuse root. */
  readonly account?: () => Account | undefined;
  /** Called before the first start, and again when it is retried on other ports: writes the files that contain them. */
  configure?(place: Place<Port>, options: Options | undefined): Promise<void>;
  /** Arguments of the program; `options.args` are appended. */
  args(place: Place<Port>): readonly string[];
  /** Properties of a running component besides its ports and folder. */
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
