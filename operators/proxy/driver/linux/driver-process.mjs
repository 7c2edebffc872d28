// Runs steps of the Linux driver in a program of its own, which tests kill: node driver-process.mjs OPTIONS STEPS. STEPS is JSON such
// as [["stage", [["nginx.conf", "…"]], "digest"], ["activate", 1]]; files are given as a list of paths and contents.
import { createJiti } from "jiti";

const { openLinuxProxy } = await createJiti(import.meta.url).import("./linux-proxy.ts");
const [options, steps] = process.argv.slice(2).map((text) => JSON.parse(text));
const driver = await openLinuxProxy(options);
for (const [method, first, ...rest] of steps)
  await driver[method](Array.isArray(first) ? new Map(first) : first, ...rest);
await driver[Symbol.asyncDispose]();
