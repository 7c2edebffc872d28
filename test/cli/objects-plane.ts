import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { recordingTerminal, type RecordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import type { Client } from "../../src/client/client.js";
import type { UntypedObject } from "../../src/client/kinds/kind.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import { widget, widgetDefinition } from "../server/widgets.js";

interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly terminal: RecordingTerminal;
  readonly done: Promise<Done>;
}

interface StartOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly tty?: boolean;
  readonly colors?: boolean;
}

/** Control plane with three widgets, recreated for every test, and commands against it. */
interface ObjectsPlane {
  readonly folder: string;
  readonly client: Client;
  apply(...manifests: readonly (string | object)[]): Promise<unknown>;
  /** Starts a command, which may run until Ctrl-C. */
  readonly start: (words: readonly string[], options?: StartOptions) => Started;
  /** Runs a command to its end. */
  readonly fettle: (...words: readonly string[]) => Promise<Done>;
  /** Output of a command, which must succeed without warnings. */
  readonly printed: (...words: readonly string[]) => Promise<string>;
  /** Writes a file in the folder, and returns its path. */
  readonly file: (name: string, text: string) => string;
  widget(name: string): Promise<UntypedObject>;
}

export const Widget = "demo.dev/v1/Widget";

/** Starts the plane before the tests of a file, and stops it after them. */
export function useObjectsPlane(): ObjectsPlane {
  const folder = mkdtempSync(join(tmpdir(), "fettle-objects-"));
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await controlPlane({ store: "memory", data: join(folder, "data"), listen: { port: 0 } });
    await plane.apply(widgetDefinition);
  });
  afterAll(async () => {
    await plane?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await plane.apply(
      widget("red", "red"),
      widget("blue", "blue", "replicas: 10"),
      widget("green", "green", "replicas: 2"),
    );
  });
  afterEach(async () => {
    await plane.client.deleteAll(Widget);
  });

  const start = (
    words: readonly string[],
    { input, env = {}, tty = false, colors }: StartOptions = {},
  ): Started => {
    const terminal = recordingTerminal({
      cwd: folder,
      env: { KUBECONFIG: plane.kubeconfig, PATH: process.env["PATH"], TMPDIR: folder, ...env },
      input,
      tty,
      colors,
    });
    const received = (): number | undefined => (terminal.signal.aborted ? 130 : undefined);
    const done = runCommandLine(words, terminal, received).then((code) => ({
      code,
      out: terminal.out(),
      err: terminal.err(),
    }));
    return { terminal, done };
  };
  const fettle = (...words: readonly string[]): Promise<Done> => start(words).done;
  return {
    folder,
    get client() {
      return plane.client;
    },
    apply: (...manifests) => plane.apply(...manifests),
    start,
    fettle,
    printed: async (...words) => {
      const { code, out, err } = await fettle(...words);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      return out;
    },
    file: (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    widget: (name) => plane.client.get(Widget, name),
  };
}

/** Cells of a printed table; no cell has two spaces in a row. */
export function cells(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}
