import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NotServed, type ProxyDriver, type VerifyOptions } from "./driver.js";

/** Driver and the means to test it. */
export interface ProxyUnderTest extends AsyncDisposable {
  readonly driver: ProxyDriver;
  /** Opens the driver again, as a new instance of Fettle does after a crash. */
  reopen(): Promise<void>;
  /** Starts nginx with the arguments of the driver, unless it runs. */
  startNginx(): Promise<void>;
  /** Kills nginx with its workers. */
  killNginx(): Promise<void>;
  /** Changes, adds or deletes a file of the active generation. */
  edit(path: string, content: string | undefined): Promise<void>;
  /** Ports that no program uses. */
  freePorts(count: number): Promise<readonly number[]>;
  /** Lets another program listen on a port. */
  occupy(port: number): Promise<AsyncDisposable>;
  /** Lets time pass until a promise is settled; real time passes on its own. */
  elapse<T>(promise: Promise<T>): Promise<T>;
}

/** A configuration that nginx cannot load: line 2 of `ports.conf` has an unknown directive. */
export const unknownDirective = "unknown_to_nginx on;";

export interface SmallConfiguration {
  readonly ports: readonly number[];
  /** Text that the server of each port responds with. */
  readonly text?: string | undefined;
  /** Further lines for `http { … }`. */
  readonly lines?: readonly string[] | undefined;
}

/** Files of a small configuration, of the same shape as rendered ones. */
export function filesOf(
  driver: ProxyDriver,
  { ports, text = "hello", lines = [] }: SmallConfiguration,
): Map<string, string> {
  const { socket, pidFile, errorLog, temporary, asRoot } = driver.paths;
  const purposes = temporary === undefined ? [] : ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const main = [
    ...(asRoot ? ["user www-data;"] : []),
    "worker_processes 2;",
    "worker_shutdown_timeout 1s;",
    `pid "${pidFile}";`,
    "error_log stderr notice;",
    `error_log "${errorLog}" notice;`,
    "events { worker_connections 64; }",
    "http {",
    "access_log off;",
    ...purposes.map((purpose) => `${purpose}_temp_path "${temporary}/${purpose}";`),
    "include ports.conf;",
    `server { listen "unix:${socket}"; include generation.conf; location / { return 404; } }`,
    "}",
  ];
  const servers = ports.flatMap((port) => [
    "server {",
    `  listen 127.0.0.1:${port};`,
    `  location / { return 200 "${text}"; }`,
    "}",
  ]);
  return new Map([
    ["nginx.conf", `${main.join("\n")}\n`],
    ["ports.conf", `${["# Ports", ...lines, ...servers].join("\n")}\n`],
  ]);
}

const timeout: VerifyOptions = { timeout: 20_000 };

/** Tests that a driver keeps the contract of {@link ProxyDriver}. */
export function describeProxy(name: string, open: () => Promise<ProxyUnderTest>): void {
  describe(name, () => {
    let under: ProxyUnderTest;
    beforeEach(async () => void (under = await open()));
    afterEach(() => under[Symbol.asyncDispose]());

    const stage = (configuration: SmallConfiguration, digest = "d1"): Promise<number> =>
      under.driver.stage(filesOf(under.driver, configuration), digest);
    const activate = async (generation: number): Promise<void> => {
      await under.driver.activate(generation);
      await under.driver.reload();
      await under.startNginx();
    };
    /** Performs all steps of a configuration that nginx accepts. */
    const serve = async (configuration: SmallConfiguration, digest?: string): Promise<number> => {
      const generation = await stage(configuration, digest);
      expect(await under.driver.check(generation)).toEqual({ ok: true });
      await activate(generation);
      await under.driver.verify(generation, configuration.ports, timeout);
      await under.driver.markGood(generation);
      return generation;
    };
    const failureOf = async (generation: number, ports: readonly number[] = []): Promise<NotServed> => {
      const verified = under.driver.verify(generation, ports, { timeout: 1500 });
      const error = await under.elapse(
        verified.then(
          () => undefined,
          (reason: unknown) => reason,
        ),
      );
      if (!(error instanceof NotServed)) throw new Error(`verify() gave ${String(error)}`);
      return error;
    };

    test("nothing is there at the beginning", async () => {
      expect(await under.driver.inspect()).toEqual({
        active: undefined,
        good: undefined,
        newest: 0,
        pid: undefined,
        served: undefined,
        edited: [],
      });
      expect(await under.driver.read(1)).toBeUndefined();
      expect(await under.driver.reload()).toBe(false);
    });

    test("a configuration is staged, checked, served and good", async () => {
      const ports = await under.freePorts(2);
      const files = filesOf(under.driver, { ports });
      expect(await under.driver.stage(files, "d1")).toBe(1);
      expect(await under.driver.inspect()).toMatchObject({ active: undefined, newest: 1 });
      expect(await under.driver.check(1)).toEqual({ ok: true });
      await activate(1);
      expect(await under.driver.inspect()).toMatchObject({ active: { number: 1 }, good: undefined });
      await under.driver.verify(1, ports, timeout);
      await under.driver.markGood(1);
      const one = { number: 1, digest: "d1" };
      const state = await under.driver.inspect();
      expect(state).toMatchObject({ active: one, good: one, newest: 1, served: 1, edited: [] });
      expect(state.pid).toBeGreaterThan(1);
      expect(await under.driver.read(1)).toEqual(files);
    });

    test("a new configuration replaces the old one in the same process", async () => {
      const ports = await under.freePorts(2);
      await serve({ ports: ports.slice(0, 1) });
      const { pid } = await under.driver.inspect();
      expect(await serve({ ports: ports.slice(1), text: "new" }, "d2")).toBe(2);
      expect(await under.driver.inspect()).toMatchObject({
        served: 2,
        pid,
        good: { number: 2, digest: "d2" },
      });
    });

    test("two generations alternate", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports, text: "one" });
      await serve({ ports, text: "two" });
      for (const generation of [1, 2, 1, 2]) {
        await activate(generation);
        await under.driver.verify(generation, ports, timeout);
        expect((await under.driver.inspect()).served).toBe(generation);
      }
    });

    test("a configuration that cannot be loaded is refused with file and line", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports });
      const bad = await stage({ ports, lines: [unknownDirective] });
      const result = await under.driver.check(bad);
      expect(result).toMatchObject({ ok: false, file: "ports.conf", line: 2 });
      expect(result.ok ? "" : result.message).toBe('unknown directive "unknown_to_nginx"');
      expect(await under.driver.inspect()).toMatchObject({ served: 1, active: { number: 1 }, newest: bad });
    });

    test("nginx keeps the old configuration if the new one cannot be loaded, and the good one is restored", async () => {
      const ports = await under.freePorts(1);
      const good = await serve({ ports });
      const bad = await stage({ ports, lines: [unknownDirective] });
      await activate(bad);
      const error = await failureOf(bad);
      expect(error.reason).toBe("OldConfiguration");
      expect(error.message).toContain(
        'nginx kept the old configuration: unknown directive "unknown_to_nginx"',
      );
      expect(await under.driver.inspect()).toMatchObject({ served: good, active: { number: bad } });
      await activate(good);
      await under.driver.verify(good, ports, timeout);
      expect(await under.driver.inspect()).toMatchObject({
        active: { number: good },
        good: { number: good },
      });
    });

    test("a port that was taken after the check is a reason not to serve", async () => {
      const [port = 0, taken = 0] = await under.freePorts(2);
      const good = await serve({ ports: [port] });
      const next = await stage({ ports: [port, taken] });
      expect(await under.driver.check(next)).toEqual({ ok: true });
      await using _other = await under.occupy(taken);
      await activate(next);
      const error = await under.elapse(
        under.driver.verify(next, [port, taken], timeout).catch((reason: unknown) => reason),
      );
      expect(error).toMatchObject({ name: "NotServed", reason: "OldConfiguration" });
      expect(String(error)).toMatch(/bind\(\) to \S+ failed \(98: Address already in use\)/);
      await activate(good);
      await under.driver.verify(good, [port], timeout);
    });

    test("a port that is not in the configuration is not served", async () => {
      const [port = 0, missing = 0] = await under.freePorts(2);
      const generation = await serve({ ports: [port] });
      const error = await failureOf(generation, [port, missing]);
      expect(error.reason).toBe("PortNotServed");
      expect(error.message).toContain(`${missing}`);
    });

    test("a port of another program is in use; free ones and those of nginx are not", async () => {
      const [port = 0, other = 0, free = 0] = await under.freePorts(3);
      await serve({ ports: [port] });
      await using _other = await under.occupy(other);
      expect(await under.driver.portProblem("127.0.0.1", port)).toBeUndefined();
      expect(await under.driver.portProblem("127.0.0.1", free)).toBeUndefined();
      expect(await under.driver.portProblem("127.0.0.1", other)).toMatch(
        new RegExp(String.raw`Port ${other} on 127\.0\.0\.1 is in use by \S+ \(process \d+\)`),
      );
    });

    test("nginx that was killed is not running, and serves again when it is started", async () => {
      const ports = await under.freePorts(1);
      const generation = await serve({ ports });
      await under.killNginx();
      expect(await under.driver.inspect()).toMatchObject({ pid: undefined, served: undefined });
      expect(await under.driver.reload()).toBe(false);
      expect((await failureOf(generation)).reason).toBe("NotRunning");
      await under.startNginx();
      await under.driver.verify(generation, ports, timeout);
      expect((await under.driver.inspect()).served).toBe(generation);
    });

    test("verify waits for an nginx that is started later", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports });
      await under.killNginx();
      const next = await stage({ ports, text: "two" });
      await under.driver.activate(next);
      const verified = under.driver.verify(next, ports, timeout);
      await under.startNginx();
      await under.elapse(verified);
    });

    test("edited, deleted and added files are found", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports });
      await under.edit("ports.conf", "# nothing\n");
      expect((await under.driver.inspect()).edited).toEqual(["ports.conf"]);
      await under.edit("ports.conf", undefined);
      await under.edit("zones.conf", "# new\n");
      expect((await under.driver.inspect()).edited).toEqual(["ports.conf", "zones.conf"]);
      await expect(under.driver.read(1)).rejects.toMatchObject({ reason: "Unreadable" });
      await serve({ ports });
      expect((await under.driver.inspect()).edited).toEqual([]);
    });

    test("listeners learn of edits, of the end and of the start of nginx, and not of the driver's own steps", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports });
      await under.driver.inspect();
      const changes: string[] = [];
      using _subscription = under.driver.subscribe((change) => changes.push(change));
      await serve({ ports, text: "two" });
      await under.driver.prune();
      await under.edit("ports.conf", "# nothing\n");
      await vi.waitFor(() => expect(changes).toEqual([expect.stringContaining("ports.conf")]), 10_000);
      await under.killNginx();
      await vi.waitFor(() => expect(changes.at(-1)).toBe("nginx ended"), 10_000);
      await serve({ ports, text: "three" });
      await under.startNginx();
      await vi.waitFor(() => expect(changes.at(-1)).toMatch(/^nginx was started/), 10_000);
      expect(changes).toHaveLength(3);
    });

    test("a crash between two steps leaves a state from which the next instance can go on", async () => {
      const ports = await under.freePorts(1);
      const good = await serve({ ports });
      const staged = await stage({ ports, text: "two" }, "d2");
      await under.reopen();
      expect(await under.driver.inspect()).toMatchObject({
        active: { number: good },
        newest: staged,
        served: good,
      });
      await under.driver.activate(staged);
      await under.reopen();
      expect(await under.driver.inspect()).toMatchObject({
        active: { number: staged, digest: "d2" },
        good: { number: good },
        served: good,
      });
      await under.driver.reload();
      await under.reopen();
      await under.driver.verify(staged, ports, timeout);
      await under.reopen();
      expect(await under.driver.inspect()).toMatchObject({ served: staged, good: { number: good } });
      await under.driver.markGood(staged);
      await under.reopen();
      expect(await under.driver.inspect()).toMatchObject({ good: { number: staged } });
    });

    test("old generations are deleted, and their numbers are not used again", async () => {
      const ports = await under.freePorts(1);
      const good = await serve({ ports });
      let newest = good;
      for (let count = 0; count < 12; count++) newest = await stage({ ports, text: `${count}` });
      expect(newest).toBe(13);
      await under.driver.prune();
      expect(await under.driver.read(good)).toBeDefined();
      expect(await under.driver.read(good + 1)).toBeUndefined();
      expect(await under.driver.read(newest)).toBeDefined();
      for (const method of ["activate", "check", "markGood"] as const)
        await expect(under.driver[method](good + 1)).rejects.toMatchObject({ reason: "Unreadable" });
      expect(await stage({ ports })).toBe(14);
      await under.reopen();
      expect(await Promise.all([stage({ ports }), stage({ ports })])).toEqual([15, 16]);
    });

    test("remove deletes everything", async () => {
      const ports = await under.freePorts(1);
      await serve({ ports });
      await under.killNginx();
      await under.driver.remove();
      await under.driver.remove();
      await under.reopen();
      expect(await under.driver.inspect()).toMatchObject({ active: undefined, good: undefined, newest: 0 });
    });

    test("calls can be cancelled", async () => {
      const signal = AbortSignal.abort(new Error("stopped"));
      await expect(under.driver.inspect(signal)).rejects.toThrow("stopped");
      await expect(under.driver.verify(1, [], { timeout: 1000, signal })).rejects.toThrow("stopped");
    });
  });
}
