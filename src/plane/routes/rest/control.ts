import type { Events } from "../../../events/events.js";
import { failures, newUid, parseApiVersion, systemRandom, type Clock } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import { joinKey } from "../../../runtime/controller/keys.js";
import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { ExtensionRequest, ExtensionResponse, User } from "../../../server/index.js";
import type { UserAccess } from "../../management/access.js";
import { managementPath } from "../../management/contract.js";
import { controllerState } from "../../management/controllers/controller-states.js";
import { executeQueueCommand } from "../../management/controllers/queue-commands.js";
import { notFoundError } from "../../management/parameters.js";

export interface ControlParts {
  readonly controllers: Controllers;
  readonly users: UserAccess;
  readonly events: Pick<Events, "subscriptions">;
  readonly clock: Clock;
}

/** State of the control loop: what `/control/status` shows. Needs the permission for `GET /fettle/v1/controllers`. */
export async function controlStatus(
  { user }: ExtensionRequest,
  { controllers, users, events, clock }: ControlParts,
): Promise<ExtensionResponse> {
  await users.checkAccess({ user, verb: "get", path: `${managementPath}/controllers` });
  const { status, checks } = await controllers.health.report();
  const states = controllers.all.map(controllerState);
  const failing = checks.filter(({ ok }) => !ok);
  return {
    json: {
      status,
      reasons: failing.map(({ name, message }) => `${name}: ${message}`),
      time: new Date(clock.now()).toISOString(),
      leader: controllers.isLeader,
      running: states.some(({ atWork }) => atWork),
      queued: states.reduce((sum, { queue }) => sum + queue.ready + queue.delayed, 0),
      controllers: states,
      findings: controllers.findings(),
      subscriptions: events.subscriptions(),
    },
  };
}

/** Objects to reconcile; without a kind, those of all controllers, and without a name, all of a kind. */
interface ReconcileRequest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly reason?: string;
}

/**
 * Enqueues objects. The id of a run is not known before it starts, so the response has a text that the run will have as its trigger, and
 * links to the runs that end from now on. Needs the permission to enqueue objects of each controller over the management API.
 */
export async function reconcileObjects(
  request: ExtensionRequest,
  { controllers, users, clock }: ControlParts,
): Promise<ExtensionResponse> {
  const { user } = request;
  const asked = reconcileRequest(await request.json());
  const handles = handlesFor(controllers, asked);
  for (const { name } of handles) {
    await users.checkAccess({ user, verb: "post", path: `${managementPath}/controllers/${name}/enqueue` });
  }
  const since = clock.now();
  const trigger = `${asked.reason ?? "requested"} (by ${user.name}, request ${newUid(systemRandom).slice(0, 8)})`;
  let count = 0;
  for (const handle of handles) count += await enqueue(handle, asked, trigger, users, user);
  const query = new URLSearchParams({ since: String(since), limit: "1000" });
  const [only, ...others] = handles;
  if (only !== undefined && others.length === 0) query.set("controller", only.name);
  if (only !== undefined && asked.name !== undefined) query.set("key", keyOf(only, asked, users, user));
  const runs = `${managementPath}/runs?${query.toString()}`;
  return {
    code: 202,
    headers: { Location: runs },
    json: { count, trigger, since, runs, follow: `${runs}&follow=true` },
  };
}

function reconcileRequest(body: unknown): ReconcileRequest {
  if (body === undefined) return {};
  if (!isJsonObject(body as never)) throw failures.badRequest("the body must be a JSON object");
  const fields = body as Readonly<Record<string, unknown>>;
  const names = ["apiVersion", "kind", "namespace", "name", "reason"];
  for (const [field, value] of Object.entries(fields)) {
    if (!names.includes(field))
      throw failures.badRequest(`unknown field ${field}: the fields are ${names.join(", ")}`);
    if (typeof value !== "string" || value === "")
      throw failures.badRequest(`${field} must be a string that is not empty`);
  }
  if (fields["kind"] === undefined && Object.keys(fields).some((field) => field !== "reason")) {
    throw failures.badRequest("kind is missing: without it, everything would be reconciled");
  }
  return fields;
}

/** Controllers of a kind, or all of them. @throws {ApiError} 404 */
function handlesFor(
  { all }: Controllers,
  { apiVersion, kind }: ReconcileRequest,
): readonly ControllerHandle[] {
  if (kind === undefined) return all;
  const group = apiVersion === undefined ? undefined : parseApiVersion(apiVersion)?.group;
  const found = all.filter(({ controller: { options } }) => {
    const { for: reconciled } = options;
    const isNamed = [reconciled.kind, reconciled.plural].includes(kind);
    return isNamed && (group === undefined || parseApiVersion(reconciled.apiVersion)?.group === group);
  });
  if (found.length > 0) return found;
  const kinds = all.map(({ controller: { options } }) => options.for.kind);
  throw notFoundError(`no controller reconciles ${kind}; the kinds are: ${kinds.join(", ") || "none"}`);
}

async function enqueue(
  handle: ControllerHandle,
  asked: ReconcileRequest,
  reason: string,
  users: UserAccess,
  user: User,
): Promise<number> {
  const client = users.clientAs(user);
  if (asked.name !== undefined) {
    const key = joinKey(asked.namespace ?? client.namespace, asked.name);
    return (await executeQueueCommand(handle, "enqueue", { key, reason }, client)).count;
  }
  const { namespace } = asked;
  if (namespace === undefined)
    return (await executeQueueCommand(handle, "enqueue", { all: true, reason }, client)).count;
  const objects = handle.loop?.isStarted ? handle.loop.sources.objects.list() : [];
  let count = 0;
  for (const { metadata } of objects) {
    if (metadata.namespace !== namespace) continue;
    handle.enqueue({ metadata }, { reason });
    count++;
  }
  return count;
}

function keyOf(
  { controller: { options } }: ControllerHandle,
  { namespace, name = "" }: ReconcileRequest,
  users: UserAccess,
  user: User,
): string {
  if (options.for.scope === "Cluster" || options.from !== undefined) return name;
  return joinKey(namespace ?? users.clientAs(user).namespace, name);
}
