import type { WebSocket } from "ws";
import type { Clock } from "../../../model/core.js";
import type { Outlet } from "./events.js";

/** Above this many bytes that wait to be sent, nothing more is asked for. */
const enough = 64 * 1024;

/** A watch over a WebSocket: one text message for each event. */
export function socketOutlet(socket: WebSocket, clock: Clock, stalledAfter: number): Outlet {
  return {
    write(frames) {
      if (socket.readyState !== socket.OPEN) return false;
      const last = frames.length - 1;
      for (const [index, { line }] of frames.entries()) {
        if (index === last) break;
        socket.send(line, { binary: false });
      }
      const line = frames[last]?.line;
      if (line === undefined) return true;
      if (socket.bufferedAmount < enough) {
        socket.send(line, { binary: false });
        return true;
      }
      return new Promise((resolve) => {
        const timer = clock.after(stalledAfter, () => socket.terminate());
        socket.send(line, { binary: false }, (error) => {
          timer.cancel();
          resolve(error === undefined || error === null);
        });
      });
    },
  };
}
