import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { accepts, describeWith, redis } from "../index.js";

const command = new URL("../run.mjs", import.meta.url);

/** Ways in which a test process can end; the text is run after the component was started. */
const endings: [string, string, (child: ChildProcess) => void][] = [
  ["SIGKILL", "", (child) => child.kill("SIGKILL")],
  ["SIGTERM", "", (child) => child.kill("SIGTERM")],
  ["SIGINT, as Ctrl-C sends", "", (child) => child.kill("SIGINT")],
  ["an exception", "throw new Error('on purpose');", () => {}],
  ["process.exit", "process.exit(0);", () => {}],
];

interface Started {
  readonly dir: string;
  readonly pid: number;
  readonly ports: { readonly client: number };
}

describeWith("a guardian", redis, () => {
  test.each(endings)("leaves nothing behind after %s", async (_, afterwards, end) => {
    const program = `await import(${JSON.stringify(command.href)}); ${afterwards}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, "run", "redis"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exit = new Promise((resolve) => child.once("exit", resolve));
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve).once("close", reject);
    });
    const { dir, pid, ports }: Started = JSON.parse(line);
    end(child);
    await exit;
    await expect
      .poll(async () => ({ port: await accepts(ports.client), folder: existsSync(dir) }), { timeout: 10_000 })
      .toEqual({ port: false, folder: false });
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
