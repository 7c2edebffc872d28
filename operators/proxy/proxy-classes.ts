import {
  controller,
  duration,
  predicates,
  strategies,
  watch,
  type Controller,
  type TriggerSource,
} from "fettle";
import { EndpointSlice, Namespace, Secret, Service } from "fettle/kubernetes";
import type { Mapper, Observed, ReconcileContext, Verdict } from "fettle/runtime";
import { Process } from "@fettle/process";
import { applyConfiguration, Refused } from "./apply-configuration.js";
import type { ClassDrivers } from "./class-drivers.js";
import { ProxyDriverError, type ProxyDriver, type ProxyState } from "./driver/driver.js";
import { findProgram } from "./driver/linux/nginx-check.js";
import { gatherInput, serviceIndex, serviceOf } from "./gather-input.js";
import { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "./kinds/gateway-api.js";
import { Backend, ProxyClass, RateLimitPolicy, type BackendObject } from "./kinds/proxy.js";
import { render } from "./nginx/render.js";
import type { RenderedConfiguration } from "./nginx/rendered.js";
import { RefusedValue } from "./nginx/refusal.js";
import { refusalOf, RefusedObjects } from "./refused-objects.js";
import type { Programming, Results } from "./results.js";
import { ServedCertificates } from "./served-certificates.js";
import { translate } from "./translate/translate.js";
import type { Translation, TranslationInput } from "./translate/translation.js";
import { UrgentClasses } from "./urgent-classes.js";

export interface ProxyClassesOptions {
  readonly drivers: ClassDrivers;
  readonly results: Results;
  /** Triggers runs of classes whose nginx or files have changed on the machine. */
  readonly changes: TriggerSource;
  /** Path of a program. Default: looked up in $PATH and the folders of the system. */
  readonly findProgram?: ((program: string) => Promise<string | undefined>) | undefined;
}

type ClassContext = ReconcileContext<typeof ProxyClass, typeof Process>;

/** Everything that one run works with. */
interface ClassRun {
  readonly proxyClass: Observed<typeof ProxyClass>;
  readonly context: ClassContext;
  readonly driver: ProxyDriver;
  readonly state: ProxyState;
}

/** Memory of earlier runs, for all classes. */
interface ClassMemory {
  readonly refused: RefusedObjects;
  readonly certificates: ServedCertificates;
}

/** A translation and its files. */
interface Desired {
  readonly input: TranslationInput;
  readonly translation: Translation;
  readonly rendered: RenderedConfiguration;
}

/** Objects that nginx refuses one after the other in one run; more of them have to wait for the next one. */
const maxRefusals = 20;
/** Refused objects that the status of a class names. */
const maxShown = 5;

/**
 * Configures the nginx of every class: translates all objects that belong to it, and applies the result if it differs from what
 * nginx serves. Changes within `spec.batch` are applied together, critical ones at once.
 */
export function proxyClasses(options: ProxyClassesOptions): Controller {
  const { drivers, results, changes } = options;
  const find = options.findProgram ?? findProgram;
  const urgent = new UrgentClasses();
  const memory: ClassMemory = { refused: new RefusedObjects(), certificates: new ServedCertificates() };
  const to: Mapper = (object, lookup) => {
    const classes = [...lookup.list()];
    for (const { metadata } of classes) urgent.note(metadata.name ?? "", object);
    return classes;
  };
  const where = predicates.desired;

  /** Stages the process of nginx; it is written when a configuration is active. */
  const stageProcess = async ({ proxyClass, driver, context }: ClassRun): Promise<void> => {
    const { name, spec } = proxyClass;
    if (spec.nginx.existing !== undefined) return;
    const { namespace = "default", program: wanted = "nginx" } = spec.nginx.process ?? {};
    const path = await find(wanted);
    if (path === undefined) {
      throw new ProxyDriverError(
        "ProgramMissing",
        `${wanted} is not installed: install it (apt-get install nginx-light), or set spec.nginx.process.program to its path`,
      );
    }
    const grace = duration(spec.shutdownTimeout) + 5000;
    context.ensure(
      Process,
      name,
      {
        command: [path],
        args: [...driver.arguments],
        stop: { signal: "SIGQUIT", grace: `${grace}ms` },
        reload: { signal: "SIGHUP" },
        restart: { policy: "Always", backoff: { initial: "100ms", max: "30s", resetAfter: "1m" } },
      },
      {
        namespace,
        labels: { "proxy.fettle.dev/class": name },
        // A configured strategy must not delay the start of nginx.
        annotations: { "fettle.dev/priority": "critical" },
      },
    );
  };

  return controller({
    for: ProxyClass,
    owns: [Process],
    triggers: [changes],
    concurrency: 4,
    timeout: "5m",
    resync: false,
    backoff: { base: "2s", max: "2m" },
    strategy: ({ key, object }) =>
      urgent.has(key) || object === undefined
        ? strategies.immediate
        : strategies.batched({ size: 1000, timeout: object.spec.batch, name: `class ${key}` }),
    watches: [
      watch(GatewayClass, { to, where }),
      watch(Gateway, { to, where }),
      watch(HTTPRoute, { to, where }),
      watch(ReferenceGrant, { to, where }),
      watch(RateLimitPolicy, { to, where }),
      watch(Backend, {
        to,
        where: ({ type, object, old }) =>
          type === "DELETED" || old === undefined || serversOf(object) !== serversOf(old),
      }),
      watch(Service, { to, where }),
      watch(EndpointSlice, { to, indexes: { [serviceIndex]: serviceOf } }),
      watch(Secret, { to, scope: { fieldSelector: "type=kubernetes.io/tls" } }),
      watch(Namespace, { to, where: predicates.changed.labels }),
    ],

    async reconcile(proxyClass, context) {
      const { name } = proxyClass;
      urgent.clear(name);
      const driver = await drivers.get(proxyClass);
      const state = await driver.inspect(context.signal);
      const run: ClassRun = { proxyClass, context, driver, state };
      await memory.certificates.load(name, driver, state);
      if (state.edited.length > 0) {
        const text = `changed by others, and repaired: ${state.edited.join(", ")}`;
        context.recordEvent("FilesEdited", text, "Warning");
      }
      let desired = translateAll(run, new Map(), memory);
      const portsInUse = await findPortsInUse(run, desired);
      if (portsInUse.size > 0) desired = translateAll(run, portsInUse, memory);
      const settle = (programming: Programming): void => {
        const { input, translation, rendered } = desired;
        results.set(name, { input, translation, files: rendered.files, programming });
        if (programming.problem === undefined) memory.certificates.set(name, rendered.files);
      };
      const fail = (error: unknown): never => {
        const problem = problemOf(error);
        settle({ generation: state.good?.number, problem });
        const { digest } = desired.rendered;
        const at = new Date(context.now()).toISOString();
        context.report({ refused: { digest, step: stepOf(error), message: problem.message, at } });
        throw error;
      };

      await stageProcess(run).catch(fail);
      for (let refusals = 0; ; refusals++) {
        if (isServed(state, desired)) {
          settle({ generation: state.active?.number, problem: undefined });
          return done(run, desired);
        }
        try {
          const generation = await apply(run, desired);
          settle({ generation, problem: undefined });
          return await done(run, desired, generation);
        } catch (error) {
          const object =
            refusals < maxRefusals ? noteRefusal(error, run, desired, memory.refused) : undefined;
          if (object === undefined) return fail(error);
          desired = translateAll(run, portsInUse, memory);
        }
      }
    },

    async cleanup(proxyClass, { client, step, wait }) {
      const { name, spec } = proxyClass;
      const driver = await drivers.get(proxyClass);
      if (spec.nginx.existing === undefined) {
        const namespace = spec.nginx.process?.namespace ?? "default";
        const found = await client.find(Process, { name, namespace });
        const isOurs = found?.metadata.ownerReferences?.some(({ uid }) => uid === proxyClass.metadata.uid);
        if (found !== undefined && isOurs === true) {
          if (found.metadata.deletionTimestamp === undefined)
            await step("stop nginx", () => client.delete(Process, { name, namespace }));
          return wait("Stopping", "nginx finishes the requests that it has", "1s");
        }
      }
      await step("remove the configuration", () => driver.remove());
      await drivers.close(name);
      results.delete(name);
      memory.refused.forget(name);
      memory.certificates.delete(name);
      return undefined;
    },
  });
}

/** Translates and renders all objects of a class, except those with values that nginx cannot have. */
function translateAll(
  run: ClassRun,
  portsInUse: ReadonlyMap<number, string>,
  { refused, certificates }: ClassMemory,
): Desired {
  const { proxyClass, context, driver } = run;
  const gathered = gatherInput(proxyClass, context, {
    portsInUse,
    findServedSecret: (namespace, name) => certificates.find(proxyClass.name, namespace, name),
  });
  for (;;) {
    const input = { ...gathered, refused: refused.current(proxyClass.name, gathered) };
    const translation = translate(input);
    try {
      return { input, translation, rendered: render(translation.configuration, driver.paths) };
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error;
      const refusals = [error, ...error.others];
      const noted = refusals.flatMap((each) => refused.note(proxyClass.name, each, input) ?? []);
      if (noted.length === 0) throw error;
      const others = refusals.length > 1 ? `; and ${refusals.length - 1} others` : "";
      context.recordEvent("ObjectRefused", `${messageOf(error)}${others}`, "Warning");
    }
  }
}

/** Ports of a configuration that other programs have, with a sentence about each. */
async function findPortsInUse(
  { proxyClass, driver }: ClassRun,
  { translation }: Desired,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const { port } of translation.configuration.ports) {
    for (const address of proxyClass.spec.addresses) {
      const problem = await driver.portProblem(address, port);
      if (problem !== undefined) found.set(port, problem);
    }
  }
  return found;
}

async function apply(run: ClassRun, { translation, rendered }: Desired): Promise<number> {
  const { proxyClass, context } = run;
  const ports = translation.configuration.ports.map(({ port }) => port);
  const generation = await applyConfiguration({ ...run, rendered, ports, start: () => context.flush() });
  context.report({
    reloads: (proxyClass.status?.reloads ?? 0) + 1,
    lastReload: new Date(context.now()).toISOString(),
  });
  return generation;
}

/** Leaves an object out that nginx refuses, and returns its name; undefined if the failure is about no object. */
function noteRefusal(
  error: unknown,
  { proxyClass, context }: ClassRun,
  { input, rendered }: Desired,
  refused: RefusedObjects,
): string | undefined {
  if (!(error instanceof Refused)) return undefined;
  const refusal = refusalOf(error.check, rendered);
  const object = refused.note(proxyClass.name, refusal, input);
  if (object !== undefined) context.recordEvent("ObjectRefused", `${object}: ${refusal.message}`, "Warning");
  return object;
}

/** True if nginx serves exactly this configuration, and its files are as they were written. */
function isServed({ active, good, served, edited }: ProxyState, { rendered }: Desired): boolean {
  return (
    active !== undefined &&
    active.digest === rendered.digest &&
    active.number === good?.number &&
    active.number === served &&
    edited.length === 0
  );
}

async function done(
  { proxyClass, context, driver, state }: ClassRun,
  { input, translation, rendered }: Desired,
  generation = state.active?.number,
): Promise<Verdict> {
  const { pid } = generation === state.active?.number ? state : await driver.inspect(context.signal);
  const { gateways, routes } = translation;
  context.report({
    ...(generation !== undefined && { generation }),
    digest: rendered.digest,
    ...(pid !== undefined && { pid }),
    gateways: gateways.length,
    routes: routes.length,
    refused: null,
  });
  const waiting = [...input.portsInUse.values()];
  if (waiting.length > 0) {
    context.condition("Ready", "False", "PortInUse", waiting.join("; "));
    // nginx itself may just have released the port, on another address.
    const isNew = generation !== state.active?.number;
    return context.requeue(isNew ? "100ms" : "5s", "a port is in use");
  }
  const refused = [...input.refused];
  if (refused.length > 0) {
    const text = refused.slice(0, maxShown).map(([object, message]) => `${object}: ${message}`);
    const others = refused.length > maxShown ? `; and ${refused.length - maxShown} others` : "";
    context.ready("PartlyServed", `nginx refuses ${text.join("; ")}${others}`);
  } else context.ready("Served", `configuration ${generation} is served`);
  return context.requeue(proxyClass.spec.checkInterval, "compare files and nginx with what they should be");
}

/** Servers of a backend that requests can be passed to, to compare them. */
function serversOf({ spec, status }: BackendObject): string {
  const targets = status?.targets?.map(({ host, port, addresses, health }) => [
    host,
    port,
    addresses,
    health === "unhealthy",
  ]);
  return JSON.stringify([spec, targets]);
}

function problemOf(error: unknown): { readonly reason: string; readonly message: string } {
  if (error instanceof ProxyDriverError) return { reason: error.reason, message: error.message };
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error && "reason" in cause && typeof cause.reason === "string"
      ? cause.reason
      : "Refused";
  return { reason, message: messageOf(error) };
}

/** Step that failed; one that nginx has refused was checked. */
function stepOf(error: unknown): string {
  if (error instanceof Refused) return "check configuration";
  return error instanceof Error && "step" in error ? String(error.step) : "prepare";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
