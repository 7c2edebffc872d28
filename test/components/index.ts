/**
 * Real components for tests: started on free loopback ports in a new folder, and removed afterwards, whatever happens
 * to the test.
 *
 * @example await using db = await postgres.start(); expect(await db.psql("select 1")).toBe("1");
 */
export { component, type Component, type Definition, type Need, type StartOptions } from "./component.js";
export { describeWith } from "./describe-with.js";
export { kubectl, type Kubectl } from "./kubectl.js";
export type { Kubernetes } from "./kubernetes.js";
export { Unavailable, type Program } from "./machine/program.js";
export { accepts, answersHttp, exchange } from "./process/probe.js";
export type { Place, Service } from "./process/service.js";
export { chromium, etcd, kubernetes, nginx, postgres, redis } from "./services.js";
export { smallDisk } from "./small-disk.js";
