import {
  controller,
  predicates,
  toAll,
  toIndexed,
  watch,
  type Controller,
  type KubeObject,
  type TriggerSource,
} from "fettle";
import type { Observed, ReconcileContext } from "fettle/runtime";
import {
  Gateway,
  GatewayClass,
  gatewaySpec,
  HTTPRoute,
  routeSpec,
  type GatewayObject,
} from "../kinds/gateway-api.js";
import {
  Backend,
  Certificate,
  defaultClass,
  policySpec,
  ProxyClass,
  ProxyConfig,
  RateLimitPolicy,
} from "../kinds/proxy.js";
import { passOn, type Preview } from "../preview.js";
import type { Results } from "../results.js";
import { childrenOf, type ConfigChildren, type ConfigPorts } from "./children.js";
import { hashOf, labelValue } from "./child-names.js";
import { addressOf } from "./config-url.js";
import {
  certificateStanding,
  combine,
  gatewayStanding,
  pending,
  policyStanding,
  routeStanding,
  type Standing,
} from "./standing.js";

/** Label of the objects of a configuration: its name. */
export const configLabel = "proxy.fettle.dev/config";
/** Annotation of these objects: hash of the spec that they were given last. */
const specHash = "proxy.fettle.dev/spec-hash";
/** Annotations that are passed on, since they decide when a change is applied. */
const passedOn = new Set(["fettle.dev/priority", "fettle.dev/change-type"]);

/** Delays before the status of the children is looked at again. Their changes are seen at once, unless a strategy holds them back. */
const firstLook = 1000;
const lastLook = 60_000;

const owned = [Gateway, HTTPRoute, RateLimitPolicy, Certificate] as const;

export interface ProxyConfigsOptions {
  readonly results: Pick<Results, "gateway">;
  /** Shows what the objects of a configuration would change. */
  readonly preview?: Preview | undefined;
  /** Requests of event handlers to run an object. */
  readonly requests?: TriggerSource | undefined;
}

type ConfigContext = ReconcileContext<typeof ProxyConfig, (typeof owned)[number]>;
type Config = Observed<typeof ProxyConfig>;

/**
 * Makes a Gateway, HTTPRoutes, policies and a certificate for every configuration, and reports whether nginx serves them. It has no
 * strategy of its own: the configured ones decide when a change is acted upon.
 */
export function proxyConfigs({ results, preview, requests }: ProxyConfigsOptions): Controller {
  return controller({
    for: ProxyConfig,
    owns: owned,
    triggers: requests === undefined ? [] : [requests],
    indexes: {
      class: ({ spec }) => [spec.className],
      backend: ({ metadata, spec }) =>
        spec.routes.flatMap(({ backends }) => backends.map(({ id }) => `${metadata.namespace}/${id}`)),
    },
    watches: [
      watch(GatewayClass, { to: toIndexed("class"), where: predicates.desired }),
      watch(ProxyClass, { to: toAll, where: predicates.desired }),
      watch(Backend, {
        to: toIndexed("backend", ({ metadata }) => `${metadata.namespace}/${metadata.name}`),
        // Only whether it exists matters here.
        where: ({ type }) => type === "CREATED" || type === "DELETED",
      }),
    ],
    async reconcile(config, context) {
      const { wait, fail, report, recordEvent } = context;
      const ports = portsOf(config, context);
      if (ports === undefined) {
        const { className } = config.spec;
        return wait(
          "ClassNotFound",
          `there is no GatewayClass ${className} with a ProxyClass: create it, or set className`,
        );
      }
      const children = childrenOf(config, ports);
      if ("problem" in children) {
        const { reason, message } = children.problem;
        if (isNews(config, "False", message)) recordEvent("Refused", message, "Warning");
        return fail(reason, message);
      }
      if (preview !== undefined) {
        const options = {
          unless: () => isStaged(children, config, context),
          detail: () => preview(objectsOf(children, config.namespace)),
        };
        await context.step(passOn, options, () => {});
      }
      const { standing, gateway } = stage(config, children, context);
      const generation = results.gateway(gateway?.metadata.uid ?? "")?.programming.generation;
      report({
        routes: config.spec.routes.length,
        url: addressOf(config.spec, ports, gateway),
        ...(generation !== undefined && { generation }),
      });
      return conclude(config, standing, hasOthers(children, context), context);
    },
  });
}

/** True if the gateway, routes and policies exist in this version. */
function isStaged(
  { gateway, routes, policies }: ConfigChildren,
  config: Config,
  { read }: ConfigContext,
): boolean {
  const isCurrent = (
    kind: typeof Gateway | typeof HTTPRoute | typeof RateLimitPolicy,
    { name, spec }: { readonly name: string; readonly spec: object },
  ): boolean => {
    const found: KubeObject | undefined = read(kind, { name, namespace: config.namespace });
    return found?.metadata.annotations?.[specHash] === hashOf(JSON.stringify(spec), 16);
  };
  return (
    isCurrent(Gateway, gateway) &&
    routes.every((route) => isCurrent(HTTPRoute, route)) &&
    policies.every((policy) => isCurrent(RateLimitPolicy, policy))
  );
}

/** Objects of a configuration, as a plan has them. */
function objectsOf({ gateway, routes, policies }: ConfigChildren, namespace: string): readonly KubeObject[] {
  const objects = (
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    schema: { parse(spec: object): unknown },
    children: readonly { readonly name: string; readonly spec: object }[],
  ): readonly KubeObject[] =>
    children.map(({ name, spec }) => ({
      apiVersion,
      kind,
      metadata: { name, namespace, uid: `planned ${kind} ${name}`, generation: 1 },
      spec: schema.parse(spec),
    }));
  return [
    ...objects(Gateway, gatewaySpec, [gateway]),
    ...objects(HTTPRoute, routeSpec, routes),
    ...objects(RateLimitPolicy, policySpec, policies),
  ];
}

/** Ports of a configuration: its own, else those of its class. Undefined while the class is missing. */
function portsOf({ spec }: Config, { read }: ConfigContext): ConfigPorts | undefined {
  const gatewayClass = read(GatewayClass, { name: spec.className, namespace: "" });
  if (gatewayClass === undefined) return undefined;
  const { parametersRef } = gatewayClass.spec;
  const proxyClass = read(ProxyClass, { name: parametersRef?.name ?? defaultClass, namespace: "" });
  const http = spec.listen.port ?? proxyClass?.spec.ports.http;
  const https =
    spec.listen.tlsPort ?? proxyClass?.spec.ports.https ?? (spec.tls === undefined ? 0 : undefined);
  return http === undefined || https === undefined ? undefined : { http, https };
}

/** Stages all children, and finds out how they stand. */
function stage(
  config: Config,
  { gateway, certificate, routes, policies }: ConfigChildren,
  { ensure, read }: ConfigContext,
): { readonly standing: Standing; readonly gateway: GatewayObject | undefined } {
  const { annotations = {} } = config.metadata;
  const options = (spec: object) => ({
    labels: { [configLabel]: labelValue(config.name) },
    annotations: {
      ...Object.fromEntries(Object.entries(annotations).filter(([key]) => passedOn.has(key))),
      [specHash]: hashOf(JSON.stringify(spec), 16),
    },
  });
  const all: Standing[] = [];
  /** The cache may be behind the last write: what it has then is the status of an older spec. */
  const judge = <T extends KubeObject>(
    child: T | undefined,
    about: string,
    spec: object,
    standingOf: (child: T) => Standing,
  ): void => {
    const isCurrent = child?.metadata.annotations?.[specHash] === hashOf(JSON.stringify(spec), 16);
    all.push(child !== undefined && isCurrent ? standingOf(child) : pending(`${about}: it is being written`));
  };

  if (certificate !== undefined) {
    const { name, spec } = certificate;
    judge(ensure(Certificate, name, spec, options(spec)), "certificate", spec, certificateStanding);
  }
  // With defaults, as the API stores them: lists are compared as a whole, and would differ in every run.
  const existing = ensure(Gateway, gateway.name, gatewaySpec.parse(gateway.spec), options(gateway.spec));
  judge(existing, "gateway", gateway.spec, gatewayStanding);
  for (const { name, spec, about } of routes) {
    const missing = spec.rules
      ?.flatMap(({ backendRefs = [] }) => backendRefs)
      .find((each) => read(Backend, { name: each.name, namespace: config.namespace }) === undefined);
    judge(ensure(HTTPRoute, name, routeSpec.parse(spec), options(spec)), about, spec, (route) => {
      const standing = routeStanding(about, route);
      return missing === undefined || standing.state !== "waiting"
        ? standing
        : {
            ...standing,
            message: `${about}: backend ${missing.name} not found: create it, or correct the id`,
          };
    });
  }
  for (const { name, spec, about } of policies) {
    const policy = ensure(RateLimitPolicy, name, policySpec.parse(spec), options(spec));
    judge(policy, about, spec, (each) => policyStanding(about, each));
  }
  return { standing: combine(all), gateway: existing };
}

/** True if there are children of an earlier version of the configuration, which this run deletes. */
function hasOthers(
  { gateway, routes, policies, certificate }: ConfigChildren,
  { children }: ConfigContext,
): boolean {
  const wanted = new Set([
    `Gateway ${gateway.name}`,
    ...routes.map(({ name }) => `HTTPRoute ${name}`),
    ...policies.map(({ name }) => `RateLimitPolicy ${name}`),
    ...(certificate === undefined ? [] : [`Certificate ${certificate.name}`]),
  ]);
  return owned
    .flatMap((kind) => children(kind).map(({ metadata }) => `${kind.kind} ${metadata.name}`))
    .some((child) => !wanted.has(child));
}

/** Sets the Ready condition, and decides when to look again. */
function conclude(
  config: Config,
  standing: Standing,
  isOutdated: boolean,
  { ready, condition, fail, requeue, recordEvent, now }: ConfigContext,
) {
  if (standing.state === "ready") {
    const count = config.spec.routes.length;
    const message = `nginx serves ${count} ${count === 1 ? "route" : "routes"}`;
    if (isNews(config, "True")) recordEvent("Programmed", message);
    ready("Programmed", message);
    return undefined;
  }
  const { state, reason, message } = standing;
  if (state === "refused" && isNews(config, "False", message)) recordEvent("Refused", message, "Warning");
  // A failed run deletes no children, so those of earlier versions go first.
  if (state === "refused" && !isOutdated) return fail(reason, message);
  condition("Ready", false, reason, message);
  if (state === "waiting") return undefined;
  return requeue(nextLook(config, now()), message);
}

/** Delay that grows with the time for which the configuration has not been ready. */
function nextLook({ status }: Config, now: number): number {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  const age = condition?.status === "False" ? now - Date.parse(condition.lastTransitionTime) : 0;
  return Math.min(Math.max(age, firstLook), lastLook);
}

/** True if Ready was different before, or was for an earlier generation. */
function isNews({ status, metadata }: Config, value: "True" | "False", message?: string): boolean {
  const before = status?.conditions?.find(({ type }) => type === "Ready");
  if (before?.status !== value || before.observedGeneration !== metadata.generation) return true;
  return message !== undefined && before.message !== message;
}
