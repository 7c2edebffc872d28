import { execFileSync } from "node:child_process";

/** Compiles `src` once before any test, so that worker threads and child processes run what is being tested. */
export default function build(): void {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
