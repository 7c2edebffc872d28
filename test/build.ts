import { execFileSync } from "node:child_process";

/** Compiles `src` once before any test, so that worker threads and child processes run what is being tested. */
export default function build(): void {
  if (process.env["FETTLE_SKIP_BUILD"]) return;
  execFileSync("npx", ["tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
