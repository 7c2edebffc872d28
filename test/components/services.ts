/** What can be started by name; free of vitest, so that the command in run.mjs can load it. */
export { chromium } from "./chromium.js";
export { etcd } from "./etcd.js";
export { kubernetes } from "./kubernetes.js";
export { nginx } from "./nginx.js";
export { postgres } from "./postgres.js";
export { redis } from "./redis.js";
