import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MissingToolchain } from "../../../test/components/machine/program.js";

const run = promisify(execFile);
const version = "0.5.8";
const cache = fileURLToPath(new URL("../../../.cache/components/", import.meta.url));

/** Directive as crossplane reads it. Quotes are removed; of the escapes, only those of quotes. */
export interface ParsedDirective {
  readonly directive: string;
  readonly line: number;
  readonly args: readonly string[];
  readonly block?: readonly ParsedDirective[];
}

/**
 * Parser of nginx configurations that is independent of nginx and of us. pip installs it once, into a folder of its own.
 *
 * @example const files = await crossplane.parse(folder); files.get("nginx.conf");
 */
export const crossplane = {
  name: "crossplane",
  /** Folder of the Python module; rejects with `MissingToolchain` without Python and pip. */
  async obtain(): Promise<string> {
    const home = join(cache, `crossplane-${version}`);
    if (existsSync(home)) return home;
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(join(cache, "crossplane-"));
    const options = ["--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check"];
    try {
      await run("python3", ["-m", "pip", "install", ...options, "--target", fresh, `crossplane==${version}`]);
      // Another worker may have been faster, with an equal copy.
      if (!existsSync(home)) renameSync(fresh, home);
    } catch (error) {
      throw new MissingToolchain(`crossplane ${version} could not be installed by pip: ${String(error)}`);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    return home;
  },
  /**
   * Directives of `nginx.conf` in a folder and of all files that it includes, by path. By default, it also checks where directives are
   * and how many arguments they have.
   */
  async parse(
    folder: string,
    { isChecked = true }: { readonly isChecked?: boolean } = {},
  ): Promise<ReadonlyMap<string, readonly ParsedDirective[]>> {
    const program = [
      "import crossplane, json, sys",
      "check = sys.argv[2] == 'true'",
      "result = crossplane.parse(sys.argv[1], check_ctx=check, check_args=check)",
      "if result['status'] != 'ok': sys.exit(json.dumps(result['errors']))",
      "print(json.dumps([[one['file'], one['parsed']] for one in result['config']]))",
    ];
    const home = await crossplane.obtain();
    const { stdout } = await run(
      "python3",
      ["-c", program.join("\n"), join(folder, "nginx.conf"), String(isChecked)],
      {
        env: { ...process.env, PYTHONPATH: home, PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" },
        maxBuffer: 256 * 1024 * 1024,
      },
    );
    const files = JSON.parse(stdout) as readonly [string, readonly ParsedDirective[]][];
    return new Map(files.map(([path, parsed]) => [path.slice(folder.length + 1), parsed]));
  },
};
