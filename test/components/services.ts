/** Components that can be started by name; without vitest, so that run.mjs can load them. */
export { chromium } from "./chromium.js";
export { etcd } from "./etcd.js";
export { kubernetes } from "./kubernetes.js";
export { nginx } from "./nginx.js";
export { postgres } from "./postgres.js";
export { redis } from "./redis.js";
