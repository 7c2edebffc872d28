/** Tools to test controllers, event handlers and plugins, in any test runner. */
export { testPlane, type RecordedEvent, type TestPlane, type TestPlaneOptions } from "./test-plane.js";
export { fakeClient, type FakeClient, type FakeClientOptions } from "./fake-client.js";
export type { Call, TransportMethod } from "./api/calls.js";
export type { Interceptor, Interceptors } from "./api/interceptors.js";
export type { TestObject } from "./api/put-objects.js";
export { TestClock } from "./time/test-clock.js";
export { NotIdleError } from "./time/stillness.js";
export { perturb } from "./perturb/perturb.js";
export type {
  WorldOptions,
  OutsideWorld,
  PerturbOptions,
  Scenario,
  WorkloadTools,
} from "./perturb/scenario.js";
export type { Comparable } from "./perturb/comparable.js";
export { faultKinds, type FaultKind } from "./perturb/schedule.js";
export type { PerturbFailure, PerturbReport } from "./perturb/report.js";
export {
  testEvents,
  type DeliveryOutcome,
  type TestEvents,
  type TestEventsOptions,
} from "./events/test-events.js";
export { testPlugin, type TestPlugin, type TestPluginOptions } from "./events/test-plugin.js";
