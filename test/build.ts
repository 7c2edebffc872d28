import { execFileSync } from "node:child_process";

/** Builds `dist` once before any test, so that worker threads and child processes run the code under test. */
export default function build(): void {
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}
