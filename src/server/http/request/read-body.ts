import { gunzip } from "node:zlib";
import { failures } from "../../../model/core.js";
import type { Exchange } from "../exchange.js";
import { AbortedError } from "./aborted-error.js";

/** Reads the body, decompressed. Throws a 413 above `limit` bytes. */
export async function readBody(exchange: Exchange, limit: number): Promise<Buffer> {
  const encoding = exchange.header("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity" && encoding !== "gzip" && encoding !== "x-gzip") {
    throw failures.unsupportedMediaType(["identity, gzip (Content-Encoding)"]);
  }
  const declared = Number(exchange.header("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  if (exchange.expectsContinue) exchange.response.writeContinue();
  const body = await collect(exchange, limit);
  return encoding.endsWith("gzip") && body.length > 0 ? decompress(body, limit) : body;
}

function collect({ request }: Exchange, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const data = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        stop();
        // The rest is discarded, so that the client finishes sending and reads the response.
        request.resume();
        reject(tooLarge(limit));
      }
    };
    const end = (): void => {
      stop();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    };
    const abort = (): void => {
      stop();
      reject(new AbortedError("the client disconnected"));
    };
    const stop = (): void => {
      request.off("data", data).off("end", end).off("close", abort).off("error", abort);
    };
    if (request.destroyed && !request.readableEnded) {
      abort();
      return;
    }
    request.on("data", data).on("end", end).on("close", abort).on("error", abort);
  });
}

function decompress(body: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: limit }, (error, decompressed) => {
      if (error === null) resolve(decompressed);
      else if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(limit));
      else
        reject(
          failures.badRequest(
            `the body is not valid gzip, as its Content-Encoding requires: ${error.message}`,
          ),
        );
    });
  });
}

function tooLarge(limit: number): Error {
  return failures.requestEntityTooLarge(`limit is ${limit}`);
}
