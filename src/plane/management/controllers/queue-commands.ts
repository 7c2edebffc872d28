import type { Client } from "../../../client/client.js";
import { failures, isNotFound } from "../../../model/core.js";
import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import { joinKey, splitKey } from "../../../runtime/controller/keys.js";
import { annotatePause, storePause } from "../../pauses/pauses.js";
import type { QueueCommandRequest, QueueCommandResult } from "../contract.js";
import { managementConflict, milliseconds, notFoundError } from "../parameters.js";

/** Commands for the work queue of a controller. */
export type QueueCommand = "enqueue" | "pause" | "resume" | "retry";

export function isQueueCommand(word: string | undefined): word is QueueCommand {
  return word === "enqueue" || word === "pause" || word === "resume" || word === "retry";
}

/** @throws {ApiError} 400 when a field is unknown or not a string. */
export function queueCommandRequest(fields: Readonly<Record<string, unknown>>): QueueCommandRequest {
  for (const [name, value] of Object.entries(fields)) {
    const isText = name === "key" || name === "reason" || name === "after";
    if (!isText && name !== "all") {
      throw failures.badRequest(`unknown field ${name}: the fields are key, all, reason and after`);
    }
    if (isText && typeof value !== "string") throw failures.badRequest(`${name} must be a string`);
    if (!isText && typeof value !== "boolean") throw failures.badRequest(`${name} must be true or false`);
  }
  return fields;
}

/** Executes a command on one object, or on all objects of a controller. Pauses are written by the client. */
export async function executeQueueCommand(
  handle: ControllerHandle,
  command: QueueCommand,
  { key, all = false, reason, after }: QueueCommandRequest,
  client: Client,
): Promise<QueueCommandResult> {
  if (all && command !== "enqueue") throw failures.badRequest(`all is for enqueue, not for ${command}`);
  switch (command) {
    case "enqueue": {
      if (all) {
        if (key !== undefined) throw failures.badRequest("set either key or all, not both");
        if (after !== undefined) throw failures.badRequest("after is for one object: it needs a key");
        startedLoop(handle);
        return { count: handle.enqueueAll({ reason }) };
      }
      if (key === undefined) throw failures.badRequest("key is missing: it names the object to enqueue");
      const options = {
        ...(reason !== undefined && { reason }),
        ...(after !== undefined && { after: milliseconds(after, "after") }),
      };
      handle.enqueue(objectOf(handle, key), options);
      return { count: 1 };
    }
    case "retry": {
      startedLoop(handle);
      if (key === undefined) return { count: handle.retry(undefined, reason) };
      const object = objectOf(handle, key);
      // An object that failed but is not a dead letter waits for its next retry; enqueue it now.
      if (handle.retry(object, reason) === 0) {
        handle.resetBackoff(object);
        handle.enqueue(object, { reason: reason ?? "tried again on request" });
      }
      return { count: 1 };
    }
    case "pause":
    case "resume":
      if (key === undefined) await setPaused(handle, undefined, command === "pause", client);
      else return command === "pause" ? pause(handle, key, client) : resume(handle, key, client);
      return { count: objectCount(handle) };
  }
}

async function pause(handle: ControllerHandle, key: string, client: Client): Promise<QueueCommandResult> {
  const { namespace, name } = objectOf(handle, key);
  await setPaused(handle, joinKey(namespace, name), true, client);
  return { count: 1 };
}

/** Resumes an object by its key, since it may have been deleted while it was paused. */
async function resume(handle: ControllerHandle, key: string, client: Client): Promise<QueueCommandResult> {
  const paused = handle.pausedKeys();
  const found = [key, splitKey(key).name].find((each) => paused.includes(each));
  if (found === undefined) objectOf(handle, key);
  else await setPaused(handle, found, false, client);
  return { count: found === undefined ? 0 : 1 };
}

/** Stores a pause, or removes it, so that it outlives this process; it takes effect at once. */
async function setPaused(
  handle: ControllerHandle,
  key: string | undefined,
  paused: boolean,
  client: Client,
): Promise<void> {
  const { for: kind, from } = handle.controller.options;
  if (key === undefined || from !== undefined || (!paused && handle.isStoredPause(key))) {
    handle.setStoredPauses(await storePause(client, handle.name, key, paused));
  }
  if (key !== undefined && from === undefined) {
    try {
      await annotatePause(client, kind, splitKey(key), paused);
    } catch (error) {
      // The pause of an object ends with the object.
      if (paused || !isNotFound(error)) throw error;
    }
    handle.noteAnnotation(key, paused);
  }
  if (paused) return;
  if (key === undefined) handle.resume();
  else handle.resume(splitKey(key));
}

function objectCount(handle: ControllerHandle): number {
  return handle.loop?.isStarted ? handle.loop.sources.objects.size : 0;
}

/**
 * Object of a key in the controller's cache. Rows of a poller and cluster-scoped objects are also found by a key with a
 * namespace, since clients add their default namespace.
 *
 * @throws {ApiError} 404
 */
function objectOf(handle: ControllerHandle, key: string): { name: string; namespace: string } {
  const { sources } = startedLoop(handle);
  const given = splitKey(key);
  const { for: kind, from } = handle.controller.options;
  if (sources.objects.get(key) !== undefined) return given;
  const hasNoNamespace = kind.scope === "Cluster" || from !== undefined;
  if (hasNoNamespace && sources.objects.get(given.name) !== undefined) return { ...given, namespace: "" };
  throw notFoundError(`controller ${handle.name} sees no ${kind.kind} ${key}`);
}

/** @throws {ApiError} 409 when the controller is not running in this process. */
function startedLoop(handle: ControllerHandle): NonNullable<ControllerHandle["loop"]> {
  if (handle.loop?.isStarted) return handle.loop;
  throw managementConflict(
    `controller ${handle.name} is not running in this process: it is starting or stopping, or another process leads; send the command to that process`,
  );
}
