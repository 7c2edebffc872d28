import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Unavailable, type Program } from "./machine/program.js";

const run = promisify(execFile);
const version = "30.5.2";
const cache = fileURLToPath(new URL("../../.cache/components/", import.meta.url));

/** Jest, which a single test needs: npm installs it once, into a folder of its own. */
export const jest: Program = {
  name: "jest",
  async build() {
    const home = join(cache, `jest-${version}`);
    const program = join(home, "node_modules/jest/bin/jest.js");
    if (existsSync(program)) return program;
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(join(cache, "jest-"));
    try {
      const settings = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
      await run("npm", ["install", ...settings, "--prefix", fresh, `jest@${version}`]);
      if (!existsSync(program)) renameSync(fresh, home);
    } catch (error) {
      throw new Unavailable(`jest ${version} could not be installed: ${String(error)}`);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    return program;
  },
};
