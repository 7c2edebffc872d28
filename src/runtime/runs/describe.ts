import type { Trigger } from "./run.js";

/** A trigger in words: `Page default/hello-1 was updated`. */
export function describeTrigger({ type, text, by }: Trigger): string {
  switch (type) {
    case "found":
      return `it ${foundWords}`;
    case "created":
    case "deleted":
      return `it was ${type}`;
    case "updated":
      return "it was changed";
    case "status":
      return "its status was changed";
    case "child":
    case "watched":
      return `${by ?? "something it watches"} ${told(text)}`;
    case "resync":
      return said("it is checked from time to time", text);
    case "requeue":
      return said("it asked for another run", text);
    case "retry":
      return said("the last run failed", text);
    case "manual":
      return said("somebody asked for it", text);
    case "shard":
      return said("it came to this process", text);
  }
}

/** Of what was there when the controller began: it knows nothing of what happened before. */
const foundWords = "was there at the start";

function told(text: string | undefined): string {
  if (text === "found") return foundWords;
  if (text === "status") return "has a new status";
  return text === undefined ? "was changed" : `was ${text}`;
}

function said(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? what : `${what}: ${why}`;
}
