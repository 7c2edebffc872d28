import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const meter = new URL("./turn-meter.mjs", import.meta.url).href;

/** Long turns of a server's event loop, by processor time. */
export class LongTurns implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "fettle-turns-"));
  readonly #file = join(this.#folder, "turns");

  /** Environment of the server. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import ${meter}`,
      FETTLE_TURNS: this.#file,
    };
  }

  /** Milliseconds of each long turn since the last call. Empty where they cannot be measured. */
  take(): number[] {
    const text = readFileSync(this.#file, { encoding: "utf8", flag: "a+" });
    writeFileSync(this.#file, "");
    return text.split("\n").filter(Boolean).map(Number);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
