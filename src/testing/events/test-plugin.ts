import type { PluginDefinition } from "../../events/plugins/define-plugin.js";
import type { CheckResult } from "../../runtime/health/health.js";
import type { Log } from "../../runtime/log/log.js";
import { testEvents, type TestEvents } from "./test-events.js";

export interface TestPluginOptions {
  /** Configuration of the plugin, as in `fettle.yaml`, with variables replaced. */
  readonly config?: unknown;
  /** Start of virtual time. Default: 2026. */
  readonly clock?: string | undefined;
  readonly log?: Log | undefined;
}

/** A plugin on its own. Made by {@link testPlugin}. */
export interface TestPlugin extends TestEvents {
  /** Result of its health check. */
  health(): Promise<CheckResult>;
}

/**
 * Sets up a plugin on an event bus in memory, in virtual time. Its HTTP client is a real one: point its configuration to a local server.
 *
 * @example
 * await using plugin = await testPlugin(healthChecker, { config: { endpoint: server.url } });
 * const { emitted } = await plugin.deliver({ type: "health_check.requested" });
 * expect(emitted[0]).toMatchObject({ type: "health_check.completed", data: { result: true } });
 *
 * @throws {Error} if its configuration is invalid, or its setup fails.
 */
export async function testPlugin(
  plugin: PluginDefinition,
  { config, ...options }: TestPluginOptions = {},
): Promise<TestPlugin> {
  const events = await testEvents({ ...options, plugins: [{ name: plugin.name, plugin, config }] });
  return Object.assign(events, {
    health: async () => events.plugins.healthChecks[0]?.check(new AbortController().signal),
  });
}
