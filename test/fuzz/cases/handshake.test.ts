import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Administrator } from "../administrator.js";
import { FuzzedServer } from "../server/fuzzed-server.js";

/** Longer than the server's timeout for a TLS handshake. */
const tooLong = 6000;

/** Proxy that holds the server's responses back until the server has closed the connection, or should have. */
async function slowRoad(to: number): Promise<{ port: number; released: Promise<void>; close(): void }> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const sockets: Socket[] = [];
  const road = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far);
    const timer = setTimeout(() => far.destroyed || far.pipe(near), tooLong);
    timer.unref();
    setTimeout(release, tooLong).unref();
    far.once("close", () => {
      near.destroy();
      release();
    });
  });
  road.listen(0, "127.0.0.1");
  await once(road, "listening");
  return {
    port: (road.address() as AddressInfo).port,
    released,
    close() {
      for (const socket of sockets) socket.destroy();
      road.close();
    },
  };
}

test("a client that completes TLS too late and then sends HTTP/2 loses its connection, and the server survives", async () => {
  const data = mkdtempSync(join(tmpdir(), "fettle-fuzz-"));
  try {
    await using server = await FuzzedServer.start(data, "tls");
    const { url, ca } = server.address;
    const road = await slowRoad(Number(new URL(url).port));
    const session = connectHttp2(`https://127.0.0.1:${road.port}`, { ca, servername: "localhost" });
    session.on("error", () => {});
    const stream = session.request({ ":path": "/version" }).on("error", () => {});
    const over = once(stream, "close");
    await road.released;
    session.setTimeout(tooLong, () => session.destroy());
    await over;
    session.destroy();
    road.close();
    const admin = new Administrator(server.address);
    expect((await admin.read("/readyz")).toString()).toBe("ok");
    admin.close();
    expect(server.ended).toBeUndefined();
    expect(server.complaints).toBe("");
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
