export {
  controller,
  type Backoff,
  type CommonOptions,
  type Controller,
  type ControllerOptions,
} from "./controller/controller.js";
export {
  plainController,
  type PlainOptions,
  type PlainReconcile,
  type PlainResult,
} from "./controller/plain.js";
export type {
  CleanupContext,
  Effect,
  EnqueueTarget,
  EnsureOptions,
  Observed,
  PlainContext,
  ReconcileContext,
  StatusPatch,
  StepOptions,
  TypedKind,
} from "./controller/reconcile-context.js";
export { PermanentError, type Requeue, type Failed, type Verdict, type Wait } from "./controller/outcome.js";
export type { PhaseRules } from "./controller/phases.js";
export { predicates, type Predicate } from "./controller/predicates.js";
export {
  toAll,
  toIndexed,
  toOwner,
  watch,
  type Lookup,
  type Mapper,
  type ReconcileRequest,
  type Watch,
  type ControllerWatchOptions,
} from "./controller/watch.js";
export { onEvent, type EventFeed, type EventMapper, type EventWatch } from "./controller/event-watch.js";
export { triggers, type TriggerSource } from "./controller/triggers.js";
export { startControllers, type Controllers, type ControllersOptions } from "./start/start-controllers.js";
export type { Election, Shards } from "./start/ownership.js";
export type { ControllerHandle } from "./loop/controller-handle.js";
export type { Plan, PlannedChange } from "./plan/plan.js";
export type { Run, RunOutcome, StepRecord, Trigger, WriteRecord } from "./runs/run.js";
export { MemoryRunStore, type MemoryRunStoreOptions } from "./runs/memory-run-store.js";
export type { RunQuery, RunStore } from "./runs/run-store.js";
export { StepError } from "./reconcile/steps/steps.js";
export type { Log } from "./log/log.js";
export { createLog, type LogOptions } from "./log/create-log.js";
export { controllerMetrics, type MetricFamily, type Metrics } from "./observe/metrics.js";
export { traces, type OpenTelemetry } from "./observe/traces.js";
export type { Observer, RunFacts } from "./observe/observer.js";
export type { ObservationOptions } from "./observe/observation.js";
export type { Finding } from "./observe/findings/finding.js";
export { renderRun } from "./runs/render-run.js";

export { WorkQueue, type QueueObserver, type QueueOptions } from "./queue/work-queue.js";
export type { AddOptions, DeadLetter, QueueOutcome, QueueItem } from "./queue/queue-item.js";
export {
  exponentialBackoff,
  fixedDelay,
  maxOf,
  tokenBucket,
  type RateLimiter,
} from "./queue/rate-limiter.js";
export { strategies } from "./controller/strategies.js";
export type { Strategy, StrategyRule } from "./queue/strategy.js";
export type {
  AnnotationRule,
  ObjectStrategyInput,
  PriorityLevel,
  StrategyCondition,
} from "./controller/annotation-strategy.js";

export { schedule, type Schedule, type ScheduleOptions, type ScheduleContext } from "./schedule/schedule.js";
export {
  startSchedule,
  type RunningSchedule,
  type ScheduleObserver,
  type ScheduleStats,
} from "./schedule/start-schedule.js";
export { cron, type Cadence } from "./schedule/cron.js";
export { window, type Window, type WindowOptions } from "./schedule/window.js";

export { leaderElection, type LeaderElection, type LeaderElectionOptions } from "./leader/leader-election.js";
export { sharding, type Sharding, type ShardingOptions, type ShardWork } from "./shard/sharding.js";
export { NotLeaderError } from "./lease/term.js";
export { eventRecorder, type EventRecorder, type EventRecorderOptions } from "./recorder/event-recorder.js";
export { breakers, type Breakers } from "./breaker/breakers.js";
export {
  CircuitOpenError,
  type Breaker,
  type BreakerOptions,
  type BreakerSnapshot,
  type BreakerState,
} from "./breaker/breaker.js";
export { health, type Health, type HealthReport, type HealthStatus } from "./health/health.js";
export {
  startHealthMonitor,
  type HealthChange,
  type HealthMonitor,
  type HealthMonitorOptions,
} from "./health/health-monitor.js";
export {
  startPerformanceMonitor,
  type Alert,
  type PerformanceMonitor,
  type PerformanceMonitorOptions,
} from "./performance/performance-monitor.js";
export type { MetricDefinition, PerformanceOptions, ThresholdOptions } from "./performance/options.js";
