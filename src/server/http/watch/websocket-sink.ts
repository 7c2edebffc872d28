import type { WebSocket } from "ws";
import type { Clock } from "../../../model/core.js";
import { highWaterMark } from "../socket/accept-websocket.js";
import type { EventSink } from "./send-events.js";

/** Writes a watch to a WebSocket: one text message for each event. */
export function webSocketSink(socket: WebSocket, clock: Clock, stalledAfter: number): EventSink {
  return {
    write(events) {
      if (socket.readyState !== socket.OPEN) return false;
      const last = events.length - 1;
      for (const [index, { line }] of events.entries()) {
        if (index === last) break;
        socket.send(line, { binary: false });
      }
      const line = events[last]?.line;
      if (line === undefined) return true;
      if (socket.bufferedAmount < highWaterMark) {
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
