// Runs steps of the Linux driver in a program of its own, which tests kill: node driver-process.mjs FOLDER STEPS, where STEPS is JSON
// such as [["start", "uid", 1, launch, record]].
import { createJiti } from "jiti";

const { openLinuxDriver } = await createJiti(import.meta.url).import("./linux-driver.ts");
const [folder, steps] = process.argv.slice(2);
const driver = await openLinuxDriver({ folder });
for (const [method, ...parameters] of JSON.parse(steps)) await driver[method](...parameters);
await driver[Symbol.asyncDispose]();
