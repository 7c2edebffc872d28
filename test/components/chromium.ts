import { readFileSync } from "node:fs";
import { join } from "node:path";
import { component } from "./component.js";
import { Guardian, environment } from "./process/guardian.js";
import { answersHttp } from "./process/probe.js";

/** Quiet and offline: nothing but the pages that a test opens. As root there is no sandbox. */
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--user-data-dir=profile",
];

const browser = component({
  name: "chromium",
  program: { name: "chromium", package: "chromium" },
  ports: ["debug"],
  args: ({ ports }) => [...flags, `--remote-debugging-port=${ports.debug}`, "about:blank"],
  ready: ({ ports }) => answersHttp(`http://127.0.0.1:${ports.debug}/json/version`),
  // The URL that Playwright's `connectOverCDP` takes.
  expose: ({ ports }) => ({ url: `http://127.0.0.1:${ports.debug}` }),
});

/**
 * Headless browser; `url` is its DevTools endpoint. `obtain()` returns the path, for tests that launch it themselves.
 */
export const chromium = {
  ...browser,
  /** HTML of the page at `url`, after its scripts have run. */
  async dom(url: string): Promise<string> {
    const program = await browser.obtain();
    await using guardian = await Guardian.open("chromium");
    const shell = ["-c", 'exec "$0" "$@" >page.html', program, ...flags, "--dump-dom", url];
    const ending = { stopSignal: "SIGTERM", grace: 1_000 } as const;
    await guardian.start({ command: "/bin/sh", args: shell, env: environment(), ...ending });
    const { code, signal } = await guardian.ended();
    if (code === 0) return readFileSync(join(guardian.dir, "page.html"), "utf8");
    const output = readFileSync(join(guardian.dir, "output.log"), "utf8").trim();
    throw new Error(`chromium ended with ${signal ?? code} on ${url}:\n${output}`);
  },
};
