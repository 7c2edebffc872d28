import { failures, names, type ApiError } from "../../../model/core.js";
import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import { splitKey } from "../../../runtime/controller/keys.js";
import { conflict, milliseconds, notFound } from "../asked.js";
import type { Instructed, Instruction } from "../contract.js";

export type Verb = "enqueue" | "pause" | "resume" | "retry";

export function isVerb(word: string | undefined): word is Verb {
  return word === "enqueue" || word === "pause" || word === "resume" || word === "retry";
}

/** @throws {ApiError} 400 when a field is none of an instruction's. */
export function instructionOf(fields: Readonly<Record<string, unknown>>): Instruction {
  for (const [name, value] of Object.entries(fields)) {
    if (name !== "key" && name !== "reason" && name !== "after") {
      throw failures.badRequest(`${name} is no field of an instruction: there are key, reason and after`);
    }
    if (typeof value !== "string") throw failures.badRequest(`${name} has to be a text`);
  }
  return fields;
}

/** Tells a controller what to do; returns how many objects that concerned. */
export function instruct(handle: ControllerHandle, verb: Verb, instruction: Instruction): Instructed {
  const { key, reason, after } = instruction;
  switch (verb) {
    case "enqueue": {
      if (key === undefined) throw failures.badRequest("which object is meant is not said: key is missing");
      const options = {
        ...(reason !== undefined && { reason }),
        ...(after !== undefined && { after: milliseconds(after, "after") }),
      };
      handle.enqueue(objectOf(handle, key), options);
      return { count: 1 };
    }
    case "retry": {
      working(handle);
      if (key === undefined) return { count: handle.retry(undefined, reason) };
      const which = objectOf(handle, key);
      // One that failed but has not been given up waits for its next try: it need not.
      if (handle.retry(which, reason) === 0)
        handle.enqueue(which, { reason: reason ?? "tried again on request" });
      return { count: 1 };
    }
    case "pause":
      if (key === undefined) handle.pause();
      else handle.pause(objectOf(handle, key));
      return { count: key === undefined ? size(handle) : 1 };
    case "resume":
      if (key === undefined) {
        handle.resume();
        return { count: size(handle) };
      }
      return resume(handle, key);
  }
}

/** An object that is gone may still be paused by name. */
function resume(handle: ControllerHandle, key: string): Instructed {
  const before = handle.pausedObjects;
  const { name, namespace } = splitKey(key);
  // What cannot be a name was never paused.
  const isName = (part: string): boolean => names.validatePathSegmentName(part).length === 0;
  if (name !== "" && isName(name) && isName(namespace)) handle.resume({ name, namespace });
  const count = before - handle.pausedObjects;
  if (count === 0) objectOf(handle, key);
  return { count };
}

function size(handle: ControllerHandle): number {
  return handle.loop?.isStarted ? handle.loop.sources.objects.size : 0;
}

/**
 * The object of that key, as the controller sees it. Rows that a poller lists need not have a namespace, though whoever asks
 * may be in one.
 */
function objectOf(handle: ControllerHandle, key: string): { name: string; namespace: string } {
  const { sources } = working(handle);
  const given = splitKey(key);
  const { for: kind, from } = handle.controller.options;
  if (sources.objects.get(key) !== undefined) return given;
  const hasNone = kind.scope === "Cluster" || from !== undefined;
  if (hasNone && sources.objects.get(given.name) !== undefined) return { ...given, namespace: "" };
  throw notFound(`controller ${handle.name} sees no ${kind.kind} ${key}`);
}

function working(handle: ControllerHandle): NonNullable<ControllerHandle["loop"]> {
  if (handle.loop?.isStarted) return handle.loop;
  throw notAtWork(handle);
}

function notAtWork({ name }: ControllerHandle): ApiError {
  return conflict(
    `controller ${name} is not at work in this process: it starts or stops, or another process leads; ask that one`,
  );
}
