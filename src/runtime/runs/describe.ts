import type { Trigger } from "./run.js";

/** Describes a trigger, such as `Page default/hello-1 was updated`. */
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
      return `${by ?? "something it watches"} ${changeWords(text)}`;
    case "resync":
      return withReason("periodic resync", text);
    case "requeue":
      return withReason("it requested another run", text);
    case "retry":
      return withReason("the last run failed", text);
    case "manual":
      return withReason("it was requested", text);
    case "external":
      return text === undefined || text === "" ? "something happened outside of the API" : text;
    case "event":
      return withReason("an event occurred", text);
    case "shard":
      return withReason("this process took over its shard", text);
  }
}

/** Describes objects in the first list of a controller. */
const foundWords = "was there at the start";

function changeWords(text: string | undefined): string {
  if (text === "found") return foundWords;
  if (text === "status") return "has a new status";
  return text === undefined ? "was changed" : `was ${text}`;
}

function withReason(what: string, reason: string | undefined): string {
  return reason === undefined || reason === "" ? what : `${what}: ${reason}`;
}
