import type { ControllerState, QueueCommandRequest } from "../../plane/management/contract.js";
import type { OptionValues, Terminal } from "../command.js";
import { connect } from "../connect.js";
import { withWhere } from "../kinds/absent.js";
import { managementClient } from "../management-client.js";
import { controllersNamed, keyFor, type TargetWords } from "./target-words.js";

/** What a controller was told, and about what. */
export interface InstructedController {
  readonly controller: ControllerState;
  /** `Site default/hello`, or the kind alone. */
  readonly title: string;
  readonly count: number;
}

/** Tells all controllers of a kind, or the one that was named, the same. */
export async function instructAll(
  verb: "enqueue" | "pause" | "resume" | "retry",
  target: TargetWords,
  instruction: Omit<QueueCommandRequest, "key">,
  options: OptionValues,
  terminal: Terminal,
): Promise<readonly InstructedController[]> {
  await using server = await connect(options, terminal);
  const plane = managementClient(server, terminal.signal);
  const { controllers } = await plane.controllers();
  const meant = await controllersNamed(target.kind, controllers, server, terminal.signal);
  const told: InstructedController[] = [];
  for (const controller of meant) {
    const key = target.name === undefined ? undefined : keyFor(controller, target.name, server.namespace);
    const { count } = await plane
      .instruct(controller.name, verb, { ...instruction, key })
      .catch((error: unknown) => {
        throw withWhere(error, controller, undefined);
      });
    told.push({
      controller,
      title: key === undefined ? controller.kind : `${controller.kind} ${key}`,
      count,
    });
  }
  return told;
}
