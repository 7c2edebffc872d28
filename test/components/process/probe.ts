import { get } from "node:https";
import { connect } from "node:net";

/** Timeout of a single probe in milliseconds. */
const patience = 2_000;

/** True if a GET returns a status below 300. */
export async function answersHttp(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patience) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** The same over TLS, with this CA. */
export function answersHttps(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { ca, agent: false, timeout: patience }, (response) => {
      response.resume();
      resolve((response.statusCode ?? 500) < 300);
    });
    request.once("timeout", () => request.destroy()).once("error", () => resolve(false));
  });
}

/** True if this loopback port accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: patience });
    const answer = (yes: boolean) => () => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
  });
}

/**
 * Sends text to a loopback port and resolves with the first line of the response; rejects when the connection fails or
 * there is no response.
 */
export function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1", timeout: patience }, () => void socket.write(text));
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!received.endsWith("\n")) return;
      socket.destroy();
      resolve(received);
    });
    socket.once("error", fail);
    socket.once("timeout", () => fail(new Error(`no answer on port ${port} within ${patience} ms`)));
    socket.once("end", () => fail(new Error(`port ${port} closed the connection after "${received}"`)));
  });
}
