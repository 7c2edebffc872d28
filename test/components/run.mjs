// @ts-check
/**
 * Runs components until Ctrl-C, to try things out by hand:
 *
 *     node test/components/run.mjs etcd postgres
 *
 * Prints one line of JSON for each when it answers. With --obtain they are only installed or built, so that later runs
 * start at once.
 */
import { fileURLToPath } from "node:url";
import { createViteServer } from "vitest/node";

const root = fileURLToPath(new URL(".", import.meta.url));
const server = await createViteServer({
  root,
  configFile: false,
  logLevel: "error",
  oxc: { target: "node20" },
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: null },
});
const components = await server.ssrLoadModule("./services.ts");
const obtaining = process.argv[2] === "--obtain";
const names = process.argv.slice(obtaining ? 3 : 2);
const unknown = names.filter((name) => !Object.hasOwn(components, name));
if (names.length === 0 || unknown.length > 0) {
  console.error(
    `usage: node test/components/run.mjs [--obtain] NAME…, with names out of ${Object.keys(components).join(", ")}`,
  );
  process.exit(2);
}
if (obtaining) {
  for (const name of names) console.log(`${name}: ${await components[name].obtain()}`);
  process.exit();
}
await Promise.all(
  names.map(async (name) => {
    const { url, ports, dir, pid } = await components[name].start();
    console.log(JSON.stringify({ name, url, ports, dir, pid }));
  }),
);
setInterval(() => {}, 2 ** 31 - 1);
