import type { Client } from "../../client/client.js";
import { asApiError, failures, fromStatus, type Clock } from "../../model/core.js";
import type { Controllers } from "../../runtime/start/start-controllers.js";
import type { Extension, ExtensionAnswer, ExtensionRequest } from "../../server/index.js";
import { storeFailure } from "../../server/registry/store-failures.js";
import type { Store } from "../../store/index.js";
import { durationAsked, fieldsAsked, isAsked, neededParameter, numberAsked } from "./asked.js";
import { managementPath } from "./contract.js";
import { controllerList, controllerNamed, deadList } from "./controllers/controller-states.js";
import { instruct, instructionOf, isVerb } from "./controllers/instruct.js";
import { lines, whileRead } from "./lines.js";
import { manifestsIn, planManifests } from "./plan/plan-manifests.js";
import { cpuProfile } from "./profile.js";
import { followRuns, lastRuns } from "./runs/told-runs.js";
import { followChanges, lastChanges } from "./store/changes.js";
import { historyOf } from "./store/history.js";
import { stateOf } from "./store/state.js";
import { TopMeter } from "./top/top.js";

export interface ManagementOptions {
  /** The controllers and a client, as soon as they are there. */
  readonly parts: () => { readonly controllers?: Controllers; readonly client?: Client };
  readonly store: Store;
  readonly clock: Clock;
}

/** What all questions are answered from. */
interface Plane {
  readonly store: Store;
  readonly clock: Clock;
  readonly top: TopMeter;
  controllers(): Controllers;
  client(): Client;
}

interface Question {
  readonly method: "GET" | "POST";
  answer(request: ExtensionRequest, plane: Plane): Promise<ExtensionAnswer>;
}

/** Serves what a control plane has to tell besides its objects; {@link managementPath} has the contract. */
export function management({ parts, store, clock }: ManagementOptions): Extension {
  const plane: Plane = {
    store,
    clock,
    top: new TopMeter(store, clock),
    controllers: () => needed(parts().controllers),
    client: () => needed(parts().client),
  };
  return {
    path: managementPath,
    async serve(request) {
      const question = questionAt(request.path);
      if (question === undefined) return undefined;
      const { method } = question;
      if (request.method === method) return answered(question, request, plane);
      throw fromStatus({
        code: 405,
        reason: "MethodNotAllowed",
        message: `${managementPath}/${request.path} is asked with ${method}, not with ${request.method}`,
      });
    },
  };
}

/** What was given up because nobody waits for it any more is no failure of the server's. */
async function answered(
  question: Question,
  request: ExtensionRequest,
  plane: Plane,
): Promise<ExtensionAnswer> {
  try {
    return await question.answer(request, plane);
  } catch (error) {
    if (!request.signal.aborted || asApiError(error) !== undefined) throw storeFailure(error);
    throw failures.serviceUnavailable("the client is gone, or the control plane stops");
  }
}

function needed<T>(part: T | undefined): T {
  if (part !== undefined) return part;
  throw failures.serviceUnavailable(
    "the control plane is starting: its controllers are not there yet; try again in a moment",
  );
}

function questionAt(path: string): Question | undefined {
  if (Object.hasOwn(questions, path)) return questions[path];
  const [first, name, verb, ...more] = path.split("/");
  if (first !== "controllers" || name === undefined || more.length > 0 || !isVerb(verb)) return undefined;
  return {
    method: "POST",
    async answer(request, plane) {
      const handle = controllerNamed(plane.controllers(), name);
      return { json: instruct(handle, verb, instructionOf(await fieldsAsked(request))) };
    },
  };
}

const questions: Readonly<Record<string, Question>> = {
  controllers: { method: "GET", answer: async (_, plane) => ({ json: controllerList(plane.controllers()) }) },
  dead: { method: "GET", answer: async (_, plane) => ({ json: deadList(plane.controllers()) }) },
  runs: { method: "GET", answer: answerRuns },
  plan: { method: "POST", answer: answerPlan },
  history: { method: "GET", answer: answerHistory },
  top: { method: "GET", answer: answerTop },
  changes: { method: "GET", answer: answerChanges },
  state: { method: "GET", answer: answerState },
  profile: { method: "GET", answer: answerProfile },
  backup: { method: "GET", answer: answerBackup },
};

async function answerRuns(request: ExtensionRequest, plane: Plane): Promise<ExtensionAnswer> {
  const controllers = plane.controllers();
  const [kind, key, controller] = ["kind", "key", "controller"].map(
    (name) => request.parameter(name) || undefined,
  );
  if (controller !== undefined) controllerNamed(controllers, controller);
  const after = request.parameter("after") || undefined;
  const filter = { kind, key, controller, after };
  const reveal = isAsked(request, "reveal");
  const follow = isAsked(request, "follow");
  const limit = numberAsked(request, "limit", {
    most: 10_000,
    otherwise: after !== undefined ? 10_000 : follow ? 0 : 50,
  });
  if (!follow) return { json: { runs: lastRuns(controllers, filter, limit, reveal) } };
  return lines(followRuns(controllers, filter, { limit, reveal, signal: request.signal }));
}

async function answerPlan(request: ExtensionRequest, plane: Plane): Promise<ExtensionAnswer> {
  const manifests = manifestsIn(await fieldsAsked(request));
  const reveal = isAsked(request, "reveal");
  const context = { client: plane.client(), controllers: plane.controllers(), manifests, reveal };
  return { json: await planManifests({ ...context, signal: request.signal }) };
}

async function answerHistory(request: ExtensionRequest, plane: Plane): Promise<ExtensionAnswer> {
  const [apiVersion = "", kind = "", name = ""] = ["apiVersion", "kind", "name"].map((parameter) =>
    neededParameter(request, parameter),
  );
  const client = plane.client();
  const asked = {
    kind: await client.kind({ apiVersion, kind }),
    namespace: request.parameter("namespace") || client.namespace,
    name,
    reveal: isAsked(request, "reveal"),
    signal: request.signal,
  };
  return { json: await historyOf(plane.store, asked) };
}

async function answerTop(request: ExtensionRequest, plane: Plane): Promise<ExtensionAnswer> {
  const controllers = plane.controllers();
  if (!isAsked(request, "follow")) return { json: await plane.top.once(controllers) };
  const every = durationAsked(request, "every", { least: 100, otherwise: 2000 });
  return lines(plane.top.follow(controllers, every, request.signal));
}

async function answerChanges(request: ExtensionRequest, { store }: Plane): Promise<ExtensionAnswer> {
  const follow = isAsked(request, "follow");
  const options = {
    kind: request.parameter("kind") || undefined,
    apiVersion: request.parameter("apiVersion") || undefined,
    tail: numberAsked(request, "tail", { most: 10_000, otherwise: follow ? 0 : 100 }),
    after: request.parameter("after")
      ? numberAsked(request, "after", { most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
      : undefined,
    reveal: isAsked(request, "reveal"),
    signal: request.signal,
  };
  return follow ? lines(followChanges(store, options)) : { json: await lastChanges(store, options) };
}

async function answerState(request: ExtensionRequest, { store }: Plane): Promise<ExtensionAnswer> {
  const options = {
    key: request.parameter("key") || "*",
    limit: numberAsked(request, "limit", { least: 1, most: 10_000, otherwise: 500 }),
    reveal: isAsked(request, "reveal"),
    signal: request.signal,
  };
  return { json: await stateOf(store, options) };
}

async function answerProfile(request: ExtensionRequest): Promise<ExtensionAnswer> {
  const seconds = numberAsked(request, "seconds", { least: 1, most: 600, otherwise: 10 });
  if (!isAsked(request, "follow")) {
    throw failures.badRequest("a profile takes longer than a request may: ask with follow=true");
  }
  const profile = cpuProfile(seconds * 1000, request.signal);
  // Whether it fails is told to whoever reads it.
  profile.catch(() => {});
  return { type: "application/json", stream: whileRead(once(profile), request.signal) };
}

async function* once(text: Promise<string>): AsyncGenerator<string, void, undefined> {
  yield await text;
}

async function answerBackup(request: ExtensionRequest, { store, clock }: Plane): Promise<ExtensionAnswer> {
  if (!isAsked(request, "follow")) {
    throw failures.badRequest("a backup takes longer than a request may: ask with follow=true");
  }
  const { backup } = await import("../backup/backup.js");
  const stream = backup(store, { clock, signal: request.signal });
  return { type: "application/gzip", stream: whileRead(stream, request.signal) };
}
