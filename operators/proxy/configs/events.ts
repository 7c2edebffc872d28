import { eventsOf, type KindEvents, type ObjectTransition } from "fettle/events";
import { diff, type Json } from "fettle/model";
import type { TopicDeclarations } from "fettle/plane";
import { Backend, Certificate, ProxyConfig, type ProxyConfigObject } from "../kinds/proxy.js";
import { toConfigDocument } from "../rest/config-document.js";

/** Types of the events about objects: `config.updated`, `backend.created`, `certificate.status_updated` and so on. */
export const proxyEvents: readonly KindEvents[] = [
  eventsOf(ProxyConfig, "config", { data: configData }),
  eventsOf(Backend, "backend"),
  eventsOf(Certificate, "certificate"),
];

/**
 * Topics of the WebSocket. Their events name the object that they are about, so that users get those of objects that they may watch;
 * events without one, which a program has emitted, are for users who may watch everything.
 */
export const proxyTopics: TopicDeclarations = {
  "config.changes": ["config.created", "config.updated", "config.deleted"],
  "health.updates": ["backend.health.changed", "health_check.*"],
  certificates: ["certificate.*"],
  limits: ["rate_limit.exceeded"],
};

/** Data of an event about a configuration: its document, as the REST API has it, and what has changed in it. */
function configData({ type, object, old }: ObjectTransition): unknown {
  const configuration = documentOf(object);
  const { name, namespace, generation } = object.metadata;
  return {
    id: name,
    namespace,
    generation,
    configuration,
    ...(old !== undefined &&
      type !== "DELETED" && { changes: diff(documentOf(old) as Json, configuration as Json) }),
  };
}

function documentOf(object: ObjectTransition["object"]) {
  // The event log calls this for objects of the kind only.
  return toConfigDocument(object as unknown as ProxyConfigObject);
}
