import type { Command } from "../command.js";
import { events } from "./debug/events.js";
import { profile } from "./debug/profile.js";
import { state } from "./debug/state.js";
import { trace } from "./debug/trace.js";

export const command: Command = {
  description:
    "Looks inside a control plane: the stream of changes, what is stored, runs with their steps, where time goes.",
  examples: [
    ["fettle debug events --tail 20 -f", "the last changes, and those to come"],
    ["fettle debug state --key 'sites/*'", "what is stored"],
    ["fettle debug trace --component reconciler -f", "runs with their steps, as they happen"],
    ["fettle debug profile --duration 60", "what the processor is busy with for a minute"],
  ],
  commands: { events, state, trace, profile },
};
