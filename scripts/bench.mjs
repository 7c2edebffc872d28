// Builds the package and the benchmarks, and runs one of these: `node scripts/bench.mjs start|store|server|runtime|events|process|proxy [option...]`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [name, ...options] = process.argv.slice(2);
for (const words of [
  ["scripts/build.mjs"],
  ["node_modules/typescript/bin/tsc", "-p", "bench"],
  [`.cache/bench/${name}.js`, ...options],
]) {
  const { status } = spawnSync(process.execPath, words, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
