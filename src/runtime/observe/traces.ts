import type * as Otel from "@opentelemetry/api";
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { Run, WriteFacts } from "../runs/run.js";
import { splitKey } from "../controller/keys.js";
import { describeTrigger } from "../runs/describe.js";
import type { Observer, RunFacts } from "./observer.js";

/** OpenTelemetry's API, as `import * as otel from "@opentelemetry/api"` gives it. */
export type OpenTelemetry = Pick<typeof Otel, "trace" | "context" | "SpanStatusCode">;

export interface TracesOptions {
  /** OpenTelemetry's API, if the process uses another copy than Fettle's. */
  readonly api?: OpenTelemetry | undefined;
}

/** Triggers of a run that are added to its span. */
const maxTriggers = 16;

/**
 * Creates an observer that makes a span of every run, with child spans for steps and writes. Without an OpenTelemetry SDK, nothing is
 * recorded, at almost no cost.
 *
 * @example
 * const controllers = startControllers({ controllers: [sites], client, observer: await traces() });
 */
export async function traces({ api }: TracesOptions = {}): Promise<Observer> {
  return observerOver(api ?? (await import("@opentelemetry/api")));
}

/** Whether an SDK has been set up in this process; checked without loading the API. */
export function isTraced(): boolean {
  const api = (globalThis as Record<symbol, unknown>)[Symbol.for("opentelemetry.js.api.1")];
  return typeof api === "object" && api !== null && "trace" in api;
}

function observerOver({ trace, context, SpanStatusCode }: OpenTelemetry): Observer {
  const tracer: Tracer = trace.getTracer("fettle");
  /** Spans of active runs. */
  const runs = new WeakMap<RunFacts, Span>();

  /** Parent span: the active one, or that of the run if no context manager tracks the active one. */
  const parentOf = (facts: RunFacts): Context => {
    const active = context.active();
    const span = trace.getSpan(active) === undefined ? runs.get(facts) : undefined;
    return span === undefined ? active : trace.setSpan(active, span);
  };

  async function within<T>(
    facts: RunFacts,
    name: string,
    attributes: Attributes,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!runs.has(facts)) return work();
    const parent = parentOf(facts);
    const span = tracer.startSpan(name, { attributes }, parent);
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  function failed(span: Span, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    span.recordException(error instanceof Error ? error : message);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  return {
    around(facts, work) {
      const { namespace, name } = splitKey(facts.key);
      const attributes: Attributes = {
        "fettle.controller": facts.controller,
        "fettle.kind": facts.kind,
        "fettle.namespace": namespace,
        "fettle.name": name,
        "fettle.run": facts.runId,
      };
      // A root span: the span that was active when the object was enqueued is unrelated.
      const span = tracer.startSpan(`reconcile ${facts.controller}`, { attributes, root: true });
      if (!span.isRecording()) return work(undefined);
      runs.set(facts, span);
      const spanContext = span.spanContext();
      const traceId = trace.isSpanContextValid(spanContext) ? spanContext.traceId : undefined;
      return context.with(trace.setSpan(context.active(), span), () => work(traceId));
    },
    aroundStep: (facts, name, work) => within(facts, `step ${name}`, { "fettle.step": name }, work),
    aroundWrite: (facts, write, work) =>
      within(facts, `${write.verb} ${write.kind}`, writeAttributes(write), work),
    ended(run, facts) {
      const span = runs.get(facts);
      if (span === undefined) return;
      runs.delete(facts);
      span.setAttributes(outcomeAttributes(run));
      const { outcome } = run;
      if (outcome.type === "error" || outcome.type === "fail") {
        span.setStatus({ code: SpanStatusCode.ERROR, message: `${outcome.reason}: ${outcome.message}` });
      }
      span.end();
    },
  };
}

function writeAttributes({ verb, kind, namespace, name, subresource }: WriteFacts): Attributes {
  return {
    "fettle.verb": verb,
    "fettle.kind": kind,
    "fettle.namespace": namespace,
    "fettle.name": name,
    ...(subresource !== undefined && { "fettle.subresource": subresource }),
  };
}

function outcomeAttributes({
  outcome,
  triggers,
  droppedTriggers,
  wait,
  failures,
  generation,
}: Run): Attributes {
  return {
    "fettle.outcome": outcome.type,
    ...("reason" in outcome && { "fettle.reason": outcome.reason }),
    "fettle.triggers": triggers.slice(-maxTriggers).map(describeTrigger),
    "fettle.triggers_dropped": droppedTriggers + Math.max(0, triggers.length - maxTriggers),
    "fettle.wait_ms": wait,
    "fettle.failures": failures,
    ...(generation !== undefined && { "fettle.generation": generation }),
  };
}
