import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { describeWith } from "../../../../test/components/describe-with.js";
import { nginx } from "../../../../test/components/services.js";
import { smallDisk } from "../../../../test/components/small-disk.js";
import { filesOf, unknownDirective } from "../contract.js";
import { textFrom, TestProxy } from "./fixtures.js";
import { childrenOf } from "./master-process.js";

const timeout = { timeout: 20_000 };

async function serve(proxy: TestProxy, ports: readonly number[], text = "hello"): Promise<number> {
  const { driver } = proxy;
  const generation = await driver.stage(filesOf(driver, { ports, text }), text);
  await driver.activate(generation);
  await driver.reload();
  await proxy.startNginx();
  await driver.verify(generation, ports, timeout);
  await driver.markGood(generation);
  return generation;
}

describeWith("a full disk", smallDisk(1), (get) => {
  test("leaves the active and the good generation as they are", async () => {
    await using proxy = await TestProxy.open({ folder: get().path });
    const files = filesOf(proxy.driver, { ports: [] });
    await proxy.driver.activate(await proxy.driver.stage(files, "d1"));
    await proxy.driver.markGood(1);
    const before = await proxy.driver.inspect();
    const large = new Map(files).set("large.conf", "#".repeat(3_000_000));
    const failed = proxy.driver.stage(large, "d2");
    await expect(failed).rejects.toMatchObject({ name: "ProxyDriverError", reason: "DiskFull" });
    await expect(failed).rejects.toThrow("Configuration 2 could not be written: the disk is full");
    expect(await proxy.driver.inspect()).toEqual(before);
    expect(readdirSync(join(proxy.root, "generations"))).toEqual(["1"]);
    expect(await proxy.driver.stage(files, "d2")).toBe(2);
    await proxy.driver.remove();
  });
});

describe("without nginx", () => {
  test("a missing program is reported with the way out", async () => {
    const spec = {
      nginx: { process: { namespace: "default", program: "nginx-of-mars" } },
      addresses: ["127.0.0.1"],
    };
    await using proxy = await TestProxy.open({ spec });
    const generation = await proxy.driver.stage(filesOf(proxy.driver, { ports: [] }), "d1");
    const failed = proxy.driver.check(generation);
    await expect(failed).rejects.toMatchObject({ reason: "ProgramMissing" });
    await expect(failed).rejects.toThrow(/no program nginx-of-mars in \$PATH or \/usr\/sbin: install nginx/);
  });

  test("files and folders are closed to other users", async () => {
    await using proxy = await TestProxy.open();
    const files = filesOf(proxy.driver, { ports: [] }).set("certificates/a.key", "secret");
    await proxy.driver.activate(await proxy.driver.stage(files, "d1"));
    const mode = (path: string): number => lstatSync(join(proxy.root, path)).mode & 0o777;
    expect(mode(".")).toBe(0o700);
    expect(mode("generations/1")).toBe(0o700);
    expect(mode("active/certificates")).toBe(0o700);
    expect(mode("active/certificates/a.key")).toBe(0o600);
  });

  test.each(["../x.conf", "/etc/x.conf", "a//b.conf", "./a.conf", "", "generation.conf", "manifest.json"])(
    "a file %j is not written",
    async (path) => {
      await using proxy = await TestProxy.open();
      await expect(proxy.driver.stage(new Map([[path, ""]]), "d1")).rejects.toThrow("cannot have a file");
    },
  );

  test.each([
    { name: "another program", argv0: "node", more: "" },
    { name: "an nginx with another configuration", argv0: "nginx: master process nginx", more: "x" },
  ])("$name gets no signal", async ({ argv0, more }) => {
    await using proxy = await TestProxy.open();
    const { configFile, paths } = proxy.driver;
    const words = ["-e", "setInterval(() => {}, 1000)", "--", "-c", `${configFile}${more}`];
    const other = spawn(process.execPath, words, { argv0, stdio: "ignore" });
    await once(other, "spawn");
    writeFileSync(paths.pidFile, `${other.pid}\n`);
    expect((await proxy.driver.inspect()).pid).toBeUndefined();
    expect(await proxy.driver.reload()).toBe(false);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    const ended = once(other, "exit");
    other.kill("SIGKILL");
    await ended;
  });

  test.each(["", "0", "-1", "1", "nonsense", "99999999999"])(
    "a pid file with %j names no process",
    async (text) => {
      await using proxy = await TestProxy.open();
      writeFileSync(proxy.driver.paths.pidFile, text);
      expect((await proxy.driver.inspect()).pid).toBeUndefined();
    },
  );

  test("a damaged or missing manifest counts as an edit", async () => {
    await using proxy = await TestProxy.open();
    await proxy.driver.activate(await proxy.driver.stage(filesOf(proxy.driver, { ports: [] }), "d1"));
    await proxy.edit("manifest.json", '{"digest":');
    expect(await proxy.driver.inspect()).toMatchObject({
      active: { number: 1, digest: "" },
      edited: ["manifest.json"],
    });
    await proxy.edit("manifest.json", undefined);
    expect((await proxy.driver.inspect()).edited).toEqual(["manifest.json"]);
    await expect(proxy.driver.read(1)).rejects.toThrow(
      "manifest.json of configuration 1 was changed or deleted",
    );
  });

  test("links whose folder was deleted keep their numbers from being used again", async () => {
    await using proxy = await TestProxy.open();
    const files = filesOf(proxy.driver, { ports: [] });
    for (let count = 0; count < 3; count++) await proxy.driver.stage(files, "d1");
    await proxy.driver.activate(3);
    await proxy.driver.markGood(2);
    rmSync(join(proxy.root, "generations"), { recursive: true });
    expect(await proxy.driver.inspect()).toMatchObject({ active: undefined, good: undefined, newest: 3 });
    expect(await proxy.driver.stage(files, "d1")).toBe(4);
  });

  test("an address of another machine is a problem", async () => {
    await using proxy = await TestProxy.open();
    expect(await proxy.driver.portProblem("192.0.2.1", 8080)).toContain(
      "does not have the address 192.0.2.1",
    );
  });
});

describeWith("a real nginx", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  test("a long folder has its socket below the folder for temporary files", async () => {
    const parent = mkdtempSync(join(tmpdir(), "fettle-long-"));
    const folder = join(parent, "f".repeat(100));
    mkdirSync(folder, { mode: 0o700 });
    const proxy = await TestProxy.open({ folder });
    const { socket } = proxy.driver.paths;
    expect(Buffer.byteLength(socket)).toBeLessThan(107);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    await serve(proxy, await proxy.freePorts(1));
    await proxy.killNginx();
    await proxy.driver.remove();
    expect(() => statSync(dirname(socket))).toThrow("ENOENT");
    mkdirSync(dirname(socket), { mode: 0o777 });
    chmodSync(dirname(socket), 0o777);
    await expect(proxy.driver.inspect()).rejects.toMatchObject({ reason: "NotPermitted" });
    await proxy[Symbol.asyncDispose]();
    rmSync(parent, { recursive: true });
  });

  test("a check leaves a running nginx alone", async () => {
    await using proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    await serve(proxy, [port]);
    const pid = readFileSync(proxy.driver.paths.pidFile, "utf8");
    await proxy.driver.stage(filesOf(proxy.driver, { ports: [port] }), "d2");
    expect(await proxy.driver.check(2)).toEqual({ ok: true });
    expect(readFileSync(proxy.driver.paths.pidFile, "utf8")).toBe(pid);
    expect(await proxy.driver.inspect()).toMatchObject({ served: 1, pid: Number(pid) });
    expect(await textFrom(port)).toBe("hello");
  });

  test("a broken certificate is refused with its file", async () => {
    await using proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    const lines = [
      `server { listen 127.0.0.1:${port} ssl; ssl_certificate certificates/a.crt; ssl_certificate_key certificates/a.key; }`,
    ];
    const files = filesOf(proxy.driver, { ports: [], lines })
      .set("certificates/a.crt", "nonsense")
      .set("certificates/a.key", "nonsense");
    const result = await proxy.driver.check(await proxy.driver.stage(files, "d1"));
    expect(result).toMatchObject({ ok: false, file: "certificates/a.crt", line: undefined });
    expect(JSON.stringify(result)).not.toContain(proxy.folder);
  });

  test("numbers go on above the one that nginx serves, even if the disk has none", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    for (let count = 0; count < 3; count++) await serve(proxy, ports, `${count}`);
    for (const name of ["generations", "active", "good"]) rmSync(join(proxy.root, name), { recursive: true });
    expect(await proxy.driver.inspect()).toMatchObject({
      active: undefined,
      good: undefined,
      newest: 3,
      served: 3,
    });
    expect(await serve(proxy, ports, "again")).toBe(4);
    expect(await textFrom(ports[0] ?? 0)).toBe("again");
  });

  test("workers that outlive their master do not count as a running nginx", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    await serve(proxy, ports);
    const { pid = 0 } = await proxy.driver.inspect();
    process.kill(pid, "SIGKILL");
    await vi.waitFor(async () => expect((await proxy.driver.inspect()).pid).toBeUndefined());
    // They have their ports until their supervisor ends them; these are not in use by another program.
    expect(await proxy.driver.portProblem("127.0.0.1", ports[0] ?? 0)).toBeUndefined();
    expect(await proxy.driver.reload()).toBe(false);
  });

  test("an nginx whose pid file was deleted is found and reloaded", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    await serve(proxy, ports);
    const { pid } = await proxy.driver.inspect();
    rmSync(proxy.driver.paths.pidFile);
    expect(await proxy.driver.inspect()).toMatchObject({ pid, served: 1 });
    expect(await serve(proxy, ports, "again")).toBe(2);
    expect(await textFrom(ports[0] ?? 0)).toBe("again");
  });

  test("an nginx that started with the configuration before is reloaded while it is verified", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    const first = await serve(proxy, ports);
    await proxy.killNginx();
    const second = await proxy.driver.stage(filesOf(proxy.driver, { ports, text: "two" }), "d2");
    expect(await proxy.driver.reload()).toBe(false);
    await proxy.startNginx();
    await vi.waitFor(async () => expect((await proxy.driver.inspect()).served).toBe(first), 20_000);
    await proxy.driver.activate(second);
    await proxy.driver.verify(second, ports, timeout);
    expect(await textFrom(ports[0] ?? 0)).toBe("two");
  });

  test("a port that nginx has on one address cannot be bound on all of them", async () => {
    await using proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    await serve(proxy, [port]);
    expect(await proxy.driver.portProblem("127.0.0.1", port)).toBeUndefined();
    expect(await proxy.driver.portProblem("0.0.0.0", port)).toBe(
      `Port ${port} cannot be bound on 0.0.0.0 while nginx itself has it on 127.0.0.1`,
    );
  });

  test("a worker that is killed does not count as a refused configuration", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    await serve(proxy, ports);
    const [worker = 0] = await childrenOf((await proxy.driver.inspect()).pid ?? 0);
    const generation = await proxy.driver.stage(filesOf(proxy.driver, { ports, text: "two" }), "d2");
    await proxy.driver.activate(generation);
    process.kill(worker, "SIGKILL");
    const { errorLog } = proxy.driver.paths;
    await vi.waitFor(() => expect(readFileSync(errorLog, "utf8")).toContain("exited on signal 9"), 20_000);
    await proxy.driver.reload();
    await proxy.driver.verify(generation, ports, timeout);
  });

  test("the configuration that nginx kept can be verified without another reload", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    const good = await serve(proxy, ports);
    const files = filesOf(proxy.driver, { ports, lines: [unknownDirective] });
    const bad = await proxy.driver.stage(files, "d2");
    await proxy.driver.activate(bad);
    await proxy.driver.reload();
    await expect(proxy.driver.verify(bad, ports, timeout)).rejects.toMatchObject({
      reason: "OldConfiguration",
    });
    await proxy.driver.activate(good);
    await proxy.driver.verify(good, ports, timeout);
  });

  test("several ports can be tested at the same time", async () => {
    await using proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    const addresses = ["127.0.0.1", "0.0.0.0", "127.0.0.1"];
    const problems = await Promise.all(addresses.map((address) => proxy.driver.portProblem(address, port)));
    expect(problems).toEqual([undefined, undefined, undefined]);
  });

  test("a deleted socket is named as the reason", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    await serve(proxy, ports);
    rmSync(proxy.driver.paths.socket);
    await expect(proxy.driver.verify(1, ports, { timeout: 200 })).rejects.toThrow(
      `its socket ${proxy.driver.paths.socket} was deleted and it has to be restarted`,
    );
  });

  test("nginx gets another socket with the next configuration if the file of its socket was deleted", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    const [first, second] = [proxy.driver.paths.socket, `${proxy.root}/nginx2.sock`];
    for (const [lost, next] of [
      [first, second],
      [second, first],
    ] as const) {
      await serve(proxy, ports, next);
      rmSync(lost, { force: true });
      expect(await proxy.driver.inspect()).toMatchObject({ served: undefined });
      expect(proxy.driver.paths.socket).toBe(next);
      const generation = await serve(proxy, ports, "again");
      await proxy.reopen();
      expect(await proxy.driver.inspect()).toMatchObject({ served: generation });
      expect(proxy.driver.paths.socket).toBe(next);
    }
  });

  test("the error log is emptied when it is large, and nginx goes on writing to it", async () => {
    await using proxy = await TestProxy.open();
    const ports = await proxy.freePorts(1);
    await serve(proxy, ports);
    const { errorLog } = proxy.driver.paths;
    appendFileSync(errorLog, "x\n".repeat(5_000_000));
    await proxy.driver.inspect();
    expect(statSync(errorLog).size).toBeLessThan(1000);
    await serve(proxy, ports, "two");
    expect(readFileSync(errorLog, "utf8")).toContain("reconfiguring");
  });

  test("reloads in quick succession end with the last configuration, on all workers", async () => {
    await using proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    for (let count = 0; count < 8; count++) {
      await serve(proxy, [port], `${count}`);
      const texts = await Promise.all(Array.from({ length: 20 }, () => textFrom(port)));
      expect(new Set(texts)).toEqual(new Set([`${count}`]));
    }
  });
});
