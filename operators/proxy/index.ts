import {
  defineOperator,
  isAlreadyExists,
  triggers,
  type Client,
  type Clock,
  type OperatorDefinition,
} from "fettle";
import type { Log } from "fettle/runtime";
import defaultProcessOperator from "@fettle/process";
import { backends, deletedBackends } from "./backends/backends.js";
import { checkTarget } from "./backends/check-target.js";
import { memoizedHealth } from "./backends/health-view.js";
import { HealthProber } from "./backends/prober.js";
import { NameResolver } from "./backends/resolve-name.js";
import { certificates } from "./certificates/certificates.js";
import { certificateExpiry, issuedCertificate } from "./certificates/expiry.js";
import { ClassDrivers } from "./class-drivers.js";
import { proxyEvents, proxyTopics } from "./configs/events.js";
import { proxyConfigs } from "./configs/proxy-configs.js";
import type { ProxyDriver } from "./driver/driver.js";
import { gatewayClasses } from "./gateway-classes.js";
import { gateways } from "./gateways.js";
import { configUpdateHandler } from "./handlers/config-update-handler.js";
import { healthCheckHandler } from "./handlers/health-check-handler.js";
import { httpRoutes } from "./http-routes.js";
import { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "./kinds/gateway-api.js";
import {
  Backend,
  Certificate,
  controllerName,
  defaultClass,
  ProxyClass,
  ProxyConfig,
  RateLimitPolicy,
  type ProxyClassObject,
} from "./kinds/proxy.js";
import { LimitLogs } from "./limits/limit-logs.js";
import { rateLimitPolicies } from "./limits/policies.js";
import { RefusedCounts } from "./limits/refused-counts.js";
import { limitedZone, LimitReporter } from "./limits/report-limits.js";
import { createPreview } from "./preview.js";
import { proxyClasses } from "./proxy-classes.js";
import { proxyRest } from "./rest/rest.js";
import { Results } from "./results.js";

export { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "./kinds/gateway-api.js";
export {
  Backend,
  Certificate,
  controllerName,
  ProxyClass,
  ProxyConfig,
  RateLimitPolicy,
} from "./kinds/proxy.js";

interface DriverOptions {
  readonly folder: string;
  /** Name of the class. */
  readonly name: string;
  readonly spec: ProxyClassObject["spec"];
  readonly clock: Clock;
  readonly log: Log;
}

export interface ProxyOperatorOptions {
  /** Operator that runs nginx as a process. Default: that of `@fettle/process`. */
  readonly process?: OperatorDefinition | undefined;
  /** Machine that nginx runs on. Default: this one. */
  readonly openDriver?: ((options: DriverOptions) => Promise<ProxyDriver>) | undefined;
  /** Finds the program of nginx on that machine. Default: in $PATH and in the folders of the system. */
  readonly findProgram?: ((program: string) => Promise<string | undefined>) | undefined;
}

/**
 * Runs nginx as a reverse proxy, configured by objects of the Gateway API, or by documents of the kind ProxyConfig.
 *
 * @example
 * const plane = await controlPlane({ operators: [proxyOperator()] });
 */
export function proxyOperator({
  process = defaultProcessOperator,
  openDriver = openThisMachine,
  findProgram,
}: ProxyOperatorOptions = {}): OperatorDefinition {
  return defineOperator({
    name: "proxy",
    requires: [process],
    kinds: [
      GatewayClass,
      Gateway,
      HTTPRoute,
      ReferenceGrant,
      ProxyClass,
      Backend,
      RateLimitPolicy,
      Certificate,
      ProxyConfig,
    ],
    events: proxyEvents,
    topics: proxyTopics,
    async setup({ folder, client, clock, log, state, events, signal, onStop }) {
      await createDefaultClass(client);
      const results = new Results();
      const [classChanges, backendChanges, configRequests] = [triggers(), triggers(), triggers()];
      const changes = { Gateway: triggers(), HTTPRoute: triggers(), RateLimitPolicy: triggers() };
      results.onChange(({ kind, name, namespace }) =>
        changes[kind].send({ name, namespace }, "the configuration of nginx has changed"),
      );

      const counts = new RefusedCounts();
      const reporter = new LimitReporter({
        clock,
        emit: (event) => events.emit(event),
        findZone: (zone) =>
          limitedZone(
            [...results.classes.values()].map(({ translation }) => translation),
            zone,
          ),
        counts,
        changes: changes.RateLimitPolicy,
        onError: (error) => log.warn({ err: error }, "refused requests could not be reported"),
      });
      onStop(() => reporter.flush());
      const limitLogs = new LimitLogs({
        clock,
        signal,
        onLines: (lines) => reporter.add(lines),
        onError: (error) => log.warn({ err: error }, "the log of refused requests cannot be read"),
      });

      const drivers = new ClassDrivers({
        open: async ({ metadata: { name = "" }, spec }) => {
          const driver = await openDriver({ folder, name, spec, clock, log });
          limitLogs.follow(name, driver.paths.limitLog);
          return driver;
        },
        onChange: (name, text) => classChanges.send({ name }, text),
        onClose: (name) => limitLogs.end(name),
      });
      onStop(() => drivers[Symbol.asyncDispose]());

      const prober = new HealthProber({
        clock,
        check: checkTarget,
        onChange: ({ name, namespace }, text) => backendChanges.send({ name, namespace }, text),
      });
      onStop(() => prober.stopAll());
      const { resolve } = new NameResolver({ clock });
      const preview = createPreview(results, async (className) => {
        const input = results.classes.get(className)?.input;
        return input && (await drivers.get(input.proxyClass)).paths;
      });

      return {
        rest: proxyRest(memoizedHealth(state)),
        controllers: [
          proxyClasses({ drivers, results, changes: classChanges, findProgram }),
          gatewayClasses,
          gateways({ results, changes: changes.Gateway, preview }),
          httpRoutes({ results, changes: changes.HTTPRoute, preview }),
          rateLimitPolicies({ results, counts, changes: changes.RateLimitPolicy }),
          backends({ prober, changes: backendChanges, resolve }),
          certificates(),
          proxyConfigs({ results, preview, requests: configRequests }),
        ],
        schedules: [
          deletedBackends({ prober }),
          certificateExpiry({
            state,
            emit: (event) => events.emit(event),
            certificatesInUse: async () => {
              const issued = (await client.list(Certificate)).items.map(issuedCertificate);
              const served = [...results.classes.values()].flatMap(
                ({ translation }) => translation.certificates,
              );
              return [...issued.filter((each) => each !== undefined), ...served];
            },
            onError: (error) => log.warn({ err: error }, "expiring certificates could not be reported"),
          }),
        ],
        handlers: [
          configUpdateHandler({ client, clock, requests: configRequests }),
          healthCheckHandler({ client, checkNow: (uid) => prober.checkNow(uid) }),
        ],
      };
    },
  });
}

/** Creates a class unless there is one, so that gateways and configurations work without further objects. */
async function createDefaultClass(client: Client): Promise<void> {
  const { items } = await client.list(ProxyClass, { limit: 1 });
  if (items.length > 0) return;
  const name = defaultClass;
  const parametersRef = { group: ProxyClass.group, kind: ProxyClass.kind, name };
  const unlessExists = (error: unknown): void => {
    if (!isAlreadyExists(error)) throw error;
  };
  // The ProxyClass comes last: without it, both are tried again at the next start.
  await client
    .create(GatewayClass, { metadata: { name }, spec: { controllerName, parametersRef } })
    .catch(unlessExists);
  await client.create(ProxyClass, { metadata: { name }, spec: {} }).catch(unlessExists);
}

async function openThisMachine(options: DriverOptions): Promise<ProxyDriver> {
  const { openLinuxProxy } = await import("./driver/linux/linux-proxy.js");
  return openLinuxProxy(options);
}

export default proxyOperator();
