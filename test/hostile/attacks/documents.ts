import { full } from "../../load/figures.js";
import type { Answer, Attack } from "../attack.js";
import { defineKind } from "./definitions.js";

const kinds = full ? 2000 : 300;

/** The document of all kinds, again after every change of one. */
export const openApi: Attack = {
  name: `/openapi/v2 with ${kinds} kinds`,
  codes: [200],
  async prepare(attacker) {
    const spec = {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [
          `field${index}`,
          { type: "string", description: "A field." },
        ]),
      ),
    };
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < kinds) await defineKind(attacker, `kinds${next++}s`, spec);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  },
  async run(attacker) {
    const answers: Answer[] = [];
    for (let round = 0; round < 3; round++) {
      await defineKind(attacker, `more${round}s`, { type: "object" });
      answers.push(
        ...(await Promise.all([attacker.ask("GET", "/openapi/v2"), attacker.ask("GET", "/apis")])),
      );
    }
    return answers;
  },
};
