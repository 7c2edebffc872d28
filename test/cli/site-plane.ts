import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { recordingTerminal, type RecordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { resource } from "../../src/model/index.js";
import { controlPlane, type ControlPlane, type ControlPlaneOptions } from "../../src/plane/control-plane.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import type { Run } from "../../src/runtime/runs/run.js";
import { followFrom } from "../../src/runtime/runs/run-store.js";

export const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(0).default(1) }),
  status: z.object({ published: z.int() }),
});
export const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });
export const Note = resource("demo.dev/v1", "Note", { spec: z.object({ text: z.string().optional() }) });

/** Controller of sites whose outside world is a number for each site. */
function sitesController(published = new Map<string, number>()) {
  return controller({
    for: Site,
    owns: [Page],
    resync: false,
    backoff: { base: "10m" },
    async reconcile(site, { ensure, step, report, ready, requeue, fail }) {
      const { title, pages } = site.spec;
      if (title === "") return fail("NoTitle", "a site needs a title");
      if (title === "broken") throw new Error("the printer is on fire");
      for (let page = 1; page <= pages; page++)
        ensure(Page, `${site.name}-${page}`, { html: `<h1>${title} ${page}</h1>` });
      await step(
        "publish",
        { unless: () => published.get(site.name) === pages },
        () => void published.set(site.name, pages),
      );
      report({ published: pages });
      ready("Published");
      return requeue("12h", "check the certificate");
    },
  });
}

const notes = plainController({ for: Note, reconcile: async () => ({}) });

/** Result of a command line. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Options as they are typed: `{ dryRun: true, to: "-1" }` is `--dry-run --to -1`. */
export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Command that runs until it is interrupted. */
interface Following {
  readonly terminal: RecordingTerminal;
  /** Resolves as soon as the output matches; rejects when the command ends before. */
  shows(what: string | RegExp): Promise<unknown>;
  /** Presses Ctrl-C. */
  stop(): Promise<Outcome>;
}

/** Control plane with sites and notes, and commands against it. */
export interface SitePlane extends AsyncDisposable {
  readonly plane: ControlPlane;
  /** A folder of its own. */
  readonly data: string;
  /** Runs `fettle WORDS… OPTIONS…`. */
  fettle(words: string, options?: Options, terminal?: RecordingTerminal): Promise<Outcome>;
  follow(words: string, options?: Options, terminal?: RecordingTerminal): Following;
  /** Creates or changes a site, and waits until its controller has reconciled it. */
  site(name: string, spec: Readonly<Record<string, unknown>>): Promise<void>;
  /** Resolves when a run of the current generation has ended and the queue is empty. */
  ran(name: string): Promise<void>;
  /** Resolves when a run matches. */
  reached(matches: (run: Run) => boolean): Promise<void>;
  /** Writes a file with manifests; returns its path. */
  manifest(name: string, ...objects: readonly object[]): Promise<string>;
}

export function siteManifest(name: string, spec: object): object {
  return { apiVersion: "demo.dev/v1", kind: "Site", metadata: { name }, spec };
}

export async function startSitePlane(
  options: Pick<ControlPlaneOptions, "configure"> = {},
): Promise<SitePlane> {
  const data = await mkdtemp(join(tmpdir(), "fettle-sites-"));
  const plane = await controlPlane({
    ...options,
    controllers: [sitesController(), notes],
    store: "memory",
    data: join(data, "plane"),
    listen: { port: 0 },
  });

  const fettle: SitePlane["fettle"] = async (words, options = {}, terminal = recordingTerminal()) => {
    const line = [...words.split(" "), ...flags({ kubeconfig: plane.kubeconfig, ...options })];
    const code = await runCommandLine(line, terminal);
    return { code, out: terminal.out(), err: terminal.err() };
  };

  const reached: SitePlane["reached"] = async (matches) => {
    const reached = new AbortController();
    await new Promise<void>((resolve) => {
      void followFrom(plane.controllers.runs, {}, reached.signal, (run) => {
        if (matches(run)) resolve();
      });
    });
    reached.abort();
  };

  const ran: SitePlane["ran"] = async (name) => {
    const { generation } = (await plane.client.get(Site, name)).metadata;
    await reached((run) => run.key === `default/${name}` && run.generation === generation);
    await plane.controllers.idle();
  };

  return {
    plane,
    data,
    fettle,
    follow(words, options, terminal = recordingTerminal()) {
      const done = fettle(words, options, terminal);
      const early = done.then(({ out, err }) => {
        throw new Error(`it ended with: ${out}${err}`);
      });
      early.catch(() => {});
      return {
        terminal,
        shows: (what) => Promise.race([terminal.shows(what), early]),
        stop() {
          terminal.interrupt();
          return done;
        },
      };
    },
    async site(name, spec) {
      await plane.apply(siteManifest(name, spec));
      await ran(name);
    },
    ran,
    reached,
    async manifest(name, ...objects) {
      const file = join(data, name);
      await writeFile(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
      return file;
    },
    async [Symbol.asyncDispose]() {
      await plane.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function flags(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return typeof value === "string" ? [flag, value] : value.flatMap((each) => [flag, each]);
  });
}
