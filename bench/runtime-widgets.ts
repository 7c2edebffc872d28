import type { Client } from "fettle/client";
import { customResourceDefinition, resource } from "fettle/model";
import { controller, type Controller } from "fettle/runtime";
import { z } from "zod";

/** Kind of the reconciled objects: about a kilobyte in many short fields, as real kinds have. */
export const Widget = resource("bench.fettle.dev/v1", "Widget", {
  spec: z.object({
    image: z.string(),
    replicas: z.int(),
    sequence: z.int(),
    paused: z.boolean(),
    ports: z.array(z.object({ name: z.string(), port: z.int(), protocol: z.string() })),
    settings: z.record(z.string(), z.string()),
  }),
  status: z.object({ seen: z.int() }),
});

export const Part = resource("bench.fettle.dev/v1", "Part", {
  spec: z.object({ image: z.string(), sequence: z.int() }),
});

export type WidgetDraft = ReturnType<typeof widget>;

export function nameOf(index: number): string {
  return `widget-${((index * 2654435761) % 2 ** 32).toString(16).padStart(8, "0")}`;
}

export function widget(namespace: string, index: number) {
  return {
    metadata: {
      name: nameOf(index),
      namespace,
      labels: { "app.kubernetes.io/name": "widget", team: `team-${index % 100}`, tier: "backend" },
      annotations: { "bench.fettle.dev/owner": `person-${index % 997}@example.com` },
    },
    spec: {
      image: `registry.example.com/widgets/server:1.${index % 50}.${index % 7}`,
      replicas: (index % 9) + 1,
      sequence: 0,
      paused: index % 10 === 0,
      ports: [
        { name: "http", port: 8080, protocol: "TCP" },
        { name: "metrics", port: 9090 + (index % 10), protocol: "TCP" },
      ],
      settings: {
        LOG_LEVEL: "info",
        DATABASE: `postgres://db-${index % 31}.example.com:5432/widgets`,
        CACHE: `redis://cache-${index % 17}.example.com:6379`,
        REGION: `region-${index % 5}`,
      },
    },
  };
}

/** Creates the definitions of both kinds. */
export async function defineKinds(client: Client): Promise<void> {
  for (const kind of [Widget, Part]) await client.create({ ...customResourceDefinition(kind) });
}

export async function createNamespace(client: Client, name: string): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

export interface WidgetControllerOptions {
  /** Default: the scope of the process that runs it. */
  readonly namespace?: string | undefined;
  readonly concurrency?: number | undefined;
  /** Ensures a child of kind Part for each widget. */
  readonly parts?: boolean | undefined;
  /** Called at the start of a run. */
  readonly onRun?: ((name: string, sequence: number) => void) | undefined;
}

/** Controller that reports every widget as Ready, and with `parts` ensures its part. */
export function widgetController(options: WidgetControllerOptions): Controller {
  const { namespace, concurrency, parts = false, onRun } = options;
  return controller({
    for: Widget,
    owns: parts ? [Part] : [],
    scope: namespace === undefined ? {} : { namespace },
    concurrency,
    reconcile({ name, spec }, tools) {
      onRun?.(name, spec.sequence);
      if (parts) tools.ensure(Part, `${name}-part`, { image: spec.image, sequence: spec.sequence });
      tools.report({ seen: spec.sequence });
      tools.ready("Reconciled");
    },
  });
}

/** Resolves when a watch from `since` has shown `count` different widgets of a namespace as Ready. */
export async function untilReady(
  client: Client,
  namespace: string,
  { count, since }: { readonly count: number; readonly since: string },
): Promise<void> {
  const kind = await client.kind(Widget);
  const ready = new Set<string>();
  // A server may close the watch of a slow client, which then resumes.
  for (let resourceVersion = since; ready.size < count;) {
    const stop = new AbortController();
    const watching = client.transport.watch(kind, { namespace }, { resourceVersion, signal: stop.signal });
    for await (const events of watching) {
      for (const { object } of events) {
        if (isReady(object)) ready.add(object.metadata.name ?? "");
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      }
      if (ready.size >= count) break;
    }
    stop.abort();
  }
}

function isReady(object: object): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** Newest resourceVersion; the difference of two is the number of writes between them. */
export async function revision(client: Client, namespace: string): Promise<string> {
  return (await client.list(Widget, { namespace, limit: 1 })).resourceVersion;
}
