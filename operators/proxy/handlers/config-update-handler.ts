import { duration, type Client, type Clock, type Duration, type TriggerSource } from "fettle";
import {
  ConfigCreated,
  ConfigUpdated,
  EventRejected,
  type CloudEvent,
  type PipelineHandler,
} from "fettle/events";
import { asApiError } from "fettle/model";
import type { Log } from "fettle/runtime";
import { ProxyConfig, type ProxyConfigObject } from "../kinds/proxy.js";
import { fromConfigDocument, toConfigField, type ConfigContent } from "../rest/config-document.js";
import { decisionOn } from "./config-decision.js";

/** Field manager of configurations that come as events. */
const fieldManager = "fettle-config-events";

/** Fields in the message about an applied object that has unknown ones. */
const undeclared = /\.(spec\.[^:\s]+): field not declared in schema/g;

export interface ConfigUpdateOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Triggers runs of configurations; pass it to `proxyConfigs()`, too. */
  readonly requests: TriggerSource;
  /**
   * Time after which a configuration whose controller has not run counts as held back by a strategy. Short, since as many events
   * as the pipeline handles at once wait for it. Default: 3s.
   */
  readonly runWithin?: Duration | undefined;
  /** Time within which nginx should be configured. Shorter than the timeout of the pipeline, 30s. Default: 20s. */
  readonly decideWithin?: Duration | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Configuration that an event is about. */
interface Subject {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly generation: number;
}

/**
 * Handles `config.created` and `config.updated`: validates the configuration, applies it, and verifies that nginx serves it.
 *
 * An event about a change of a ProxyConfig needs no write: its controller is at work, and the handler awaits the outcome. The configuration
 * of any other event is written to the ProxyConfig of its id, which is created if there is none; the change of that object is an event of
 * its own, which this handler does not write again. Events of one source are handled one after the other: give those about different
 * configurations different subjects, so that they do not wait for each other.
 *
 * | outcome | the event |
 * |---|---|
 * | the configuration is invalid | is rejected, with the fields |
 * | nginx serves it, or a later generation exists | is handled |
 * | it is refused | fails: it is tried again, and becomes a dead letter with the reason. The last good configuration stays in force |
 * | it waits for something, such as a backend | is handled; a line in the log tells |
 * | a strategy holds it back, or nginx takes long | is handled; a line in the log tells, and the status of the ProxyConfig will |
 */
export function configUpdateHandler(options: ConfigUpdateOptions): PipelineHandler {
  const { client, clock, requests } = options;
  const runWithin = duration(options.runWithin ?? "3s");
  const decideWithin = duration(options.decideWithin ?? "20s");
  return {
    name: "ConfigUpdateHandler",
    canHandle: ({ type }) => type === ConfigUpdated.type || type === ConfigCreated.type,
    async handle(event, { signal, log }) {
      const { id, namespace, content } = readEvent(event);
      const subject = isAboutChange(event)
        ? subjectOf(event)
        : await write(client, { id, namespace: namespace ?? client.namespace, content }, signal);
      const { name, generation } = subject;
      const key = { name, ...(subject.namespace !== undefined && { namespace: subject.namespace }) };
      requests.send(key, `${event.type} ${event.id}`);
      const { outcome, message } = await decisionOn({
        client,
        clock,
        ...subject,
        runWithin,
        decideWithin,
        signal,
      });
      if (outcome === "refused") throw new Error(`configuration ${name} is not served: ${message}`);
      report(log, { config: name, generation, event: event.id }, outcome, message);
    },
  };
}

/** True for events that the event log has derived from a change of the object; those from outside have other ids. */
function isAboutChange({ id, objectkind, objectuid, revision }: CloudEvent): boolean {
  return objectkind === ProxyConfig.kind && objectuid !== undefined && id === `${objectuid}-${revision}`;
}

function subjectOf({ objectname = "", objectnamespace, objectuid, data }: CloudEvent): Subject {
  const { generation } = data as { readonly generation?: unknown };
  return {
    name: objectname,
    namespace: objectnamespace,
    uid: objectuid,
    generation: typeof generation === "number" ? generation : 0,
  };
}

interface ConfigEvent {
  readonly id: string;
  readonly namespace: string | undefined;
  readonly content: ConfigContent;
}

/** @throws {EventRejected} with the fields that are wrong. */
function readEvent(event: CloudEvent): ConfigEvent {
  const data: unknown = event.data;
  const { id, namespace, configuration }: Fields = isRecord(data) ? data : {};
  if (!isRecord(configuration)) throw new EventRejected("data.configuration: must be an object");
  const { id: named } = configuration;
  const name = id ?? named ?? event.objectname;
  if (typeof name !== "string" || name === "")
    throw new EventRejected("data.id: must be the name of a configuration");
  if (named !== undefined && named !== name)
    throw new EventRejected(`data.configuration.id: must be ${name}, as data.id, or left out`);
  if (namespace !== undefined && typeof namespace !== "string")
    throw new EventRejected("data.namespace: must be a string");
  try {
    return {
      id: name,
      namespace: namespace ?? event.objectnamespace,
      content: fromConfigDocument(configuration),
    };
  } catch (error) {
    throw rejection(error);
  }
}

/** Writes a configuration that came from outside. @throws {EventRejected} for one that the API refuses. */
async function write(
  client: Client,
  { id: name, namespace, content }: ConfigEvent,
  signal: AbortSignal,
): Promise<Subject> {
  // What an earlier event has set, and this one does not, is removed by the apply.
  const annotations = Object.entries(content.metadata?.annotations ?? {}).filter(
    ([, value]) => value !== null,
  );
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    annotations: Object.fromEntries(annotations) as Record<string, string>,
  };
  let written: ProxyConfigObject;
  try {
    written = await client.apply(
      ProxyConfig,
      { metadata, spec: content.spec },
      { fieldManager, force: true, fieldValidation: "Strict", signal },
    );
  } catch (error) {
    throw rejection(error);
  }
  const { uid, generation = 0 } = written.metadata;
  return { name, namespace: written.metadata.namespace, uid, generation };
}

/** A rejection if the configuration is wrong, else the error itself: then another attempt may succeed. */
function rejection(error: unknown): unknown {
  const { code, status } = asApiError(error) ?? {};
  if (code !== 400 && code !== 422) return error;
  // As in Kubernetes, one without a field says that rules were not checked because of the others.
  const causes = (status?.details?.causes ?? []).filter(({ field }) => field !== "<nil>");
  const fields = causes.map(({ field, message }) =>
    field === undefined ? message : `data.configuration.${toConfigField(field)}: ${message}`,
  );
  for (const [, field = ""] of (status?.message ?? "").matchAll(undeclared))
    fields.push(`data.configuration.${toConfigField(field)}: there is no such field`);
  return new EventRejected(fields.length > 0 ? fields.join("; ") : (error as Error).message, {
    cause: error,
  });
}

function report(log: Log, facts: object, outcome: string, message: string): void {
  switch (outcome) {
    case "held":
      return log.info(
        facts,
        "the configuration is held back by a strategy, or waits for its turn: its status will tell",
      );
    case "unknown":
      return log.warn(facts, `nginx has not been configured in time: ${message}`);
    case "waiting":
      return log.warn(facts, `the configuration is not served completely: ${message}`);
    default:
      return log.debug(facts, `the configuration is ${outcome}: ${message}`);
  }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
