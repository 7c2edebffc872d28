import { z } from "zod";
import { controllerOf, isNotFound, type KubeObject } from "../../../model/core.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import type { HandlerContext } from "../../handler.js";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions } from "./read-options.js";

const name = "ContextBuilder";
/** Longest text of an attribute. */
const maxLabels = 2048;

/**
 * Adds the present state of the object that an event names: `objectlabels` (`app=web,tier=front`), `objectphase`, and `objectowner`
 * (`Site/hello`).
 */
export const contextBuilder: HandlerFactory = (options, { client }) => {
  readOptions(name, z.strictObject({}), options);
  const enrich = async (event: CloudEvent, { signal }: HandlerContext): Promise<CloudEvent | undefined> => {
    const { objectapiversion: apiVersion, objectkind: kind, objectname, objectnamespace: namespace } = event;
    if (client === undefined || apiVersion === undefined || kind === undefined || objectname === undefined) {
      return undefined;
    }
    const which = { name: objectname, ...(namespace !== undefined && { namespace }) };
    const found = (await client
      .find({ apiVersion, kind }, which, { signal })
      // Somebody may name a kind that does not exist.
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      })) as KubeObject | undefined;
    return found === undefined ? undefined : { ...event, ...contextOf(found) };
  };
  return { name, canHandle: (event) => event.objectname !== undefined, handle: enrich };
};

function contextOf(object: KubeObject): Partial<CloudEvent> {
  const { labels = {} } = object.metadata;
  const { phase } = (object.status ?? {}) as { readonly phase?: unknown };
  const owner = controllerOf(object) ?? object.metadata.ownerReferences?.[0];
  const text = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",");
  return {
    ...(text !== "" && { objectlabels: text.slice(0, maxLabels) }),
    ...(typeof phase === "string" && { objectphase: phase }),
    ...(owner !== undefined && { objectowner: `${owner.kind}/${owner.name}` }),
  };
}
