import { VirtualClock } from "../../model/core.js";
import { describeStateBackend } from "./fixtures/state-contract.js";
import { memoryState } from "./memory-state.js";

describeStateBackend("memory", async () => {
  const clock = new VirtualClock();
  const backend = memoryState({ clock });
  return {
    backend,
    peer: backend,
    pass: (milliseconds) => clock.advance(milliseconds),
    async [Symbol.asyncDispose]() {},
  };
});
