import { definePlugin, type CloudEvent, type PluginContext, type PluginHttp } from "fettle/events";
import { eventDocument } from "fettle/events";
import { testEvents, testPlugin } from "fettle/testing";
import { describe, expect, test } from "vitest";
import { ConfigUpdateHandler, type NginxManager } from "./config-update-handler.js";

/** A proxy in memory that records what is done to it. */
class MemoryNginx implements NginxManager {
  readonly calls: string[] = [];
  works = true;

  async validate(configuration: object): Promise<boolean> {
    return "port" in configuration;
  }
  async apply(configuration: object): Promise<void> {
    this.calls.push(`apply ${JSON.stringify(configuration)}`);
  }
  async verify(): Promise<boolean> {
    return this.works;
  }
  async rollback(): Promise<void> {
    this.calls.push("rollback");
  }
}

describe("the handler of configurations", () => {
  test("applies a changed configuration, and ignores other events", async () => {
    const nginx = new MemoryNginx();
    await using events = await testEvents({ handlers: [new ConfigUpdateHandler(nginx)] });
    await events.deliver({ type: "config.updated", data: { configuration: { port: 80 } } });
    await events.deliver({ type: "config.created", data: { configuration: { port: 81 } } });
    expect(nginx.calls).toEqual(['apply {"port":80}']);
  });

  test("rejects an invalid one at once", async () => {
    const nginx = new MemoryNginx();
    await using events = await testEvents({ handlers: [new ConfigUpdateHandler(nginx)] });
    const { dead } = await events.deliver({ type: "config.updated", data: { configuration: {} } });
    expect(dead).toMatchObject([{ reason: "the configuration is invalid", attempts: 1 }]);
    expect(nginx.calls).toEqual([]);
  });

  test("takes back one that does not work, each time it is tried", async () => {
    const nginx = new MemoryNginx();
    nginx.works = false;
    await using events = await testEvents({ handlers: [new ConfigUpdateHandler(nginx)] });
    const { dead } = await events.deliver({ type: "config.updated", data: { configuration: { port: 80 } } });
    expect(dead).toMatchObject([{ reason: "the configuration could not be verified", attempts: 4 }]);
    expect(nginx.calls.filter((call) => call === "rollback")).toHaveLength(4);
  });
});

test("the whole pipeline: validation, enrichment, processing and persistence", async () => {
  const nginx = new MemoryNginx();
  await using events = await testEvents({
    pipelineHandlers: [new ConfigUpdateHandler(nginx), { name: "HealthCheckHandler", handle() {} }],
    pipeline: {
      stages: [
        { name: "validation", handlers: ["SchemaValidator", "SecurityValidator"] },
        { name: "enrichment", handlers: ["MetadataEnricher", "ContextBuilder"] },
        { name: "processing", handlers: ["ConfigUpdateHandler", "HealthCheckHandler", "AlertingHandler"] },
        { name: "persistence", handlers: ["EventLogger", "MetricsCollector"] },
      ],
    },
  });
  await events.deliver({ type: "config.updated", data: { configuration: { port: 80 } } });
  const { dead } = await events.deliver({ type: "config.updated", data: { configuration: "port 80" } });
  expect(dead[0]?.reason).toMatch(/^SchemaValidator \(stage validation\): data\.configuration: /);
  const { emitted } = await events.deliver({
    type: "system.error",
    data: { component: "store", message: "disk full" },
  });
  expect(emitted).toMatchObject([
    { type: "alert.raised", data: { title: "Error in store", message: "disk full" } },
  ]);
  expect(nginx.calls).toEqual(['apply {"port":80}']);
});

test("a plugin may be a class, as in the base class of the document", async () => {
  class CustomHealthChecker {
    #http: PluginHttp | undefined;
    #endpoint = "";

    get name(): string {
      return "custom-health-checker";
    }

    get version(): string {
      return "1.0.0";
    }

    async setup({ config, http }: PluginContext): Promise<void> {
      this.#endpoint = (config as { readonly endpoint: string }).endpoint;
      this.#http = http;
    }

    async onEvent(event: CloudEvent) {
      if (event.type !== "health_check.requested") return undefined;
      return { type: "health_check.completed", data: { result: await this.#check() } };
    }

    async #check(): Promise<boolean> {
      const response = await this.#http?.get(this.#endpoint).catch(() => undefined);
      return response?.ok ?? false;
    }
  }
  await using plugin = await testPlugin(definePlugin(new CustomHealthChecker()), {
    config: { endpoint: "http://127.0.0.1:1/" },
  });
  const { event, emitted } = await plugin.deliver({ type: "health_check.requested" });
  expect(emitted).toMatchObject([
    { type: "health_check.completed", data: { result: false }, cause: event.id },
  ]);
  const [completed] = emitted;
  if (completed === undefined) throw new Error("nothing was emitted");
  expect(eventDocument(completed)).toEqual({
    id: completed.id,
    type: "health_check.completed",
    timestamp: "2026-01-01T00:00:00.000Z",
    source: "/plugins/custom-health-checker",
    data: { result: false },
    metadata: { hops: 1, cause: event.id },
  });
});
