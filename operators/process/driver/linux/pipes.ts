import { closeSync, constants, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { driverError } from "./attempt-folder.js";
import { errorCode } from "./identity.js";

/**
 * Reads the named pipe to which shims write the names of attempts that changed: lines `UID ATTEMPT`. It is opened for writing, too, so
 * that it does not end when the last shim closes it.
 */
export function openEventPipe(path: string, changed: (uid: string, attempt: number) => void): Disposable {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  let socket: Socket;
  try {
    socket = new Socket({ fd: descriptor, readable: true, writable: false });
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  let rest = "";
  socket.on("data", (bytes) => {
    const lines = `${rest}${bytes.toString()}`.split("\n");
    rest = lines.pop() ?? "";
    // A burst of changes of one attempt is one change.
    for (const line of new Set(lines)) {
      const [uid = "", attempt = ""] = line.split(" ");
      changed(uid, Number(attempt));
    }
  });
  // Events are a shortcut; attempts are looked at regularly, too.
  socket.on("error", () => {});
  return { [Symbol.dispose]: () => void socket.destroy() };
}

/** Writes to a named pipe; false if nobody reads it. */
export function writeToPipe(path: string, text: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(descriptor, text);
    return true;
  } catch (error) {
    if (["ENXIO", "ENOENT", "EPIPE"].includes(errorCode(error) ?? "")) return false;
    throw driverError(error, "The request could not be sent to the shim");
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
