import { setTimeout as pause } from "node:timers/promises";
import type { Burst } from "./requests/burst.js";
import type { FuzzRequest } from "./requests/draft.js";
import { messageOf, Session } from "./session.js";
import type { Answer } from "./wire/answer.js";
import { Http1, type Address, type Piece } from "./wire/http1.js";

/** Number of attempts to get a response after a burst, and milliseconds between them. */
const tries = 100;
const between = 50;

/**
 * Sends the same request on so many connections at once. Held requests do not end until a quarter of all have a
 * response; until then, only rejected ones have.
 */
export function sendBurst(
  address: Address,
  request: FuzzRequest,
  held: Burst["held"],
  count: number,
): Promise<Answer>[] {
  const message = messageOf(new Session(address).complete(request));
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const half = message.length - Math.floor((request.body?.length ?? 0) / 2);
  const pieces: Piece[] =
    held === "body" ? [message.subarray(0, half), released, message.subarray(half)] : [message];
  let answered = 0;
  return Array.from({ length: count }, async () => {
    const answer = await new Http1(address).send({ pieces, until: held === "answer" ? released : undefined });
    if (++answered >= count / 4) release();
    return answer;
  });
}

/** True if requests are served again, at the latest some time after a burst. */
export async function stillAnswers(address: Address): Promise<boolean> {
  const session = new Session(address);
  const parts = {
    family: "",
    verb: "",
    method: "GET",
    headers: [],
    body: undefined,
    lies: false,
    waits: false,
  };
  const request = session.complete({ ...parts, target: "/api/v1/namespaces/default", broken: [] });
  try {
    for (let turn = 0; turn < tries; turn++) {
      if ((await session.send(request, false)).code === 200) return true;
      await pause(between);
    }
    return false;
  } finally {
    session.close();
  }
}
