// Runs a test for longer than `npm test` does: `node scripts/long-test.mjs crash|corrupt|kills|process-kills|proxy-kills|event-kills|fuzz|history|load|hostile`. The environment
// variable in the third column changes how long.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const tests = {
  crash: ["test/store/crash.test.ts", "FETTLE_CRASH_ROUNDS", process.env.ROUNDS ?? "500"],
  corrupt: ["test/store/corruption.test.ts", "FETTLE_CORRUPTIONS", process.env.ROUNDS ?? "2000"],
  kills: ["test/runtime/faults/kills.test.ts", "FETTLE_KILLS", process.env.KILLS ?? "200"],
  "process-kills": [
    "operators/process/test/kills.test.ts",
    "FETTLE_PROCESS_KILLS",
    process.env.KILLS ?? "200",
  ],
  "proxy-kills": ["operators/proxy/test/under-load.test.ts", "FETTLE_PROXY_KILLS", "all"],
  "event-kills": ["test/events/kills.test.ts", "FETTLE_EVENT_CHANGES", process.env.CHANGES ?? "100000"],
  fuzz: ["test/fuzz", "FETTLE_FUZZ_SECONDS", process.env.SECONDS ?? "300"],
  history: ["test/history", "FETTLE_HISTORY_ROUNDS", process.env.ROUNDS ?? "10"],
  load: ["test/load", "FETTLE_LOAD", "full"],
  hostile: ["test/hostile", "FETTLE_LOAD", "full"],
};
const [name, ...rest] = process.argv.slice(2);
const [files, variable, value] = tests[name];
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", files, ...rest], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, [variable]: value },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
