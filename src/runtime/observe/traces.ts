import type * as Otel from "@opentelemetry/api";
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { Run, WriteFacts } from "../runs/run.js";
import { splitKey } from "../controller/keys.js";
import { describeTrigger } from "../runs/describe.js";
import type { Observer, RunFacts } from "./observer.js";

/** OpenTelemetry's API, as `import * as otel from "@opentelemetry/api"` gives it. */
export type OpenTelemetry = Pick<typeof Otel, "trace" | "context" | "SpanStatusCode">;

export interface TracesOptions {
  /** The API to use, when the process has another copy of it than ours; spans are lost between two that do not agree. */
  readonly api?: OpenTelemetry | undefined;
}

/** How many of a run's triggers are told. */
const mostTriggers = 16;

/**
 * An observer that makes a span of every run, with one below it for each step and each write to the API. Where no SDK of
 * OpenTelemetry is set up, that costs next to nothing and nothing is recorded.
 *
 * @example
 * const controllers = startControllers({ controllers: [sites], client, observer: await traces() });
 */
export async function traces({ api }: TracesOptions = {}): Promise<Observer> {
  return observerOver(api ?? (await import("@opentelemetry/api")));
}

/** Whether an SDK has been set up in this process, which is seen without loading anything. */
export function isTraced(): boolean {
  const api = (globalThis as Record<symbol, unknown>)[Symbol.for("opentelemetry.js.api.1")];
  return typeof api === "object" && api !== null && "trace" in api;
}

function observerOver({ trace, context, SpanStatusCode }: OpenTelemetry): Observer {
  const tracer: Tracer = trace.getTracer("fettle");
  /** The spans of runs under way. One whose run is not told to have ended is forgotten with it. */
  const runs = new WeakMap<RunFacts, Span>();

  /** The span it belongs under: the nearest that is active, or that of the run where nobody keeps track of what is. */
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
      // What happened to be active where the queue was filled has nothing to do with it.
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
    "fettle.triggers": triggers.slice(-mostTriggers).map(describeTrigger),
    "fettle.triggers_dropped": droppedTriggers + Math.max(0, triggers.length - mostTriggers),
    "fettle.wait_ms": wait,
    "fettle.failures": failures,
    ...(generation !== undefined && { "fettle.generation": generation }),
  };
}
