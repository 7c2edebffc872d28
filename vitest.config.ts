import { availableParallelism } from "node:os";
import { defineConfig, type Plugin } from "vitest/config";

/**
 * Tests run the TypeScript sources, but Node starts a worker thread from a file it can execute. This points
 * `new Worker(new URL("./x.js", import.meta.url))` in a source file at its compiled twin, which the global
 * set-up has just built.
 */
const compiledWorkers: Plugin = {
  name: "compiled-workers",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("/src/") || !code.includes("new Worker(")) return;
    const compiled = new URL(`file://${id.replace("/src/", "/dist/")}`).href;
    return code.replaceAll(/(new Worker\(\s*new URL\([^,]+, )import\.meta\.url/g, `$1"${compiled}"`);
  },
};

const source = new URL("src/", import.meta.url).pathname;

export default defineConfig({
  plugins: [compiledWorkers],
  resolve: {
    // Examples import the package by its name, as users do.
    alias: [
      { find: /^fettle$/, replacement: `${source}index.ts` },
      { find: /^fettle\/kubernetes$/, replacement: `${source}client/kinds/kubernetes.ts` },
      { find: /^fettle\/(\w+)$/, replacement: `${source}$1/index.ts` },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts", "operators/**/*.test.ts"],
    globalSetup: ["test/build.ts"],
    // By default one processor is left alone, which on a machine with two is half of it; much of the time is spent waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // As Node does it, so that what runs here runs there.
    deps: { interopDefault: false },
  },
});
