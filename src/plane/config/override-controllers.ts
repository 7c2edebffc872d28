import type { Controller } from "../../runtime/controller/controller.js";
import { ConfigError, type ControllerSettings, type Origin } from "./config.js";

/**
 * Applies the settings of a configuration to controllers by name.
 *
 * @throws {ConfigError} for an unknown name.
 */
export function overrideControllers(
  controllers: readonly Controller[],
  overrides: Readonly<Record<string, ControllerSettings>>,
  origins: ReadonlyMap<string, Origin> = new Map(),
): readonly Controller[] {
  const names = controllers.map(({ name }) => name);
  for (const name of Object.keys(overrides)) {
    if (names.includes(name)) continue;
    const [, origin] = [...origins].find(([path]) => path.startsWith(`controllers.${name}.`)) ?? [];
    const where = origin?.type === "file" ? `${origin.file}:${origin.line}: ` : "";
    throw new ConfigError(
      `${where}there is no controller ${JSON.stringify(name)}; the controllers are: ${names.join(", ") || "none"}`,
    );
  }
  return controllers.map((controller) => {
    const { backoff, ...rest } = overrides[controller.name] ?? {};
    const options = { ...controller.options, ...rest };
    return {
      ...controller,
      options: backoff === undefined ? options : { ...options, backoff: { ...options.backoff, ...backoff } },
    };
  });
}
