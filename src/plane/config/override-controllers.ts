import type { Controller } from "../../runtime/controller/controller.js";
import { ConfigError, type ControllerSettings, type Origin } from "./config.js";

/**
 * Controllers with what a configuration says of them by name.
 *
 * @throws {ConfigError} for a name that none of them has.
 */
export function overrideControllers(
  controllers: readonly Controller[],
  said: Readonly<Record<string, ControllerSettings>>,
  origins: ReadonlyMap<string, Origin> = new Map(),
): readonly Controller[] {
  const names = controllers.map(({ name }) => name);
  for (const name of Object.keys(said)) {
    if (names.includes(name)) continue;
    const [, origin] = [...origins].find(([path]) => path.startsWith(`controllers.${name}.`)) ?? [];
    const where = origin?.type === "file" ? `${origin.file}:${origin.line}: ` : "";
    throw new ConfigError(
      `${where}there is no controller ${JSON.stringify(name)}: there ${names.length === 1 ? "is" : "are"} ${names.join(", ") || "none"}`,
    );
  }
  return controllers.map((controller) => {
    const { backoff, ...rest } = said[controller.name] ?? {};
    const options = { ...controller.options, ...rest };
    return {
      ...controller,
      options: backoff === undefined ? options : { ...options, backoff: { ...options.backoff, ...backoff } },
    };
  });
}
