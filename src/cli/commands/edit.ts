import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { UsageError, type Command } from "../command/command.js";
import { textOption, connectionOptions } from "../command/options.js";
import { titleOf } from "../objects/find-kind.js";
import { editorText, linesAbove, withoutRemarks, withRemarks } from "./edit/edited-text.js";
import { openEditor } from "./edit/editor.js";
import { save, type Saving } from "./edit/save.js";
import { connect } from "../server/connect.js";
import { resolveObject, getObject } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Edit an object in $VISUAL or $EDITOR. If the server rejects the change, the editor opens again with the reason; your text is never lost.",
  options: [
    ...connectionOptions,
    { flags: "--subresource <name>", summary: "edit a subresource instead: status", choices: ["status"] },
  ],
  examples: [
    ["fettle edit site hello", "in the default editor"],
    ["EDITOR='code --wait' fettle edit site hello", "in another editor"],
  ],
  async run(words, options, terminal) {
    const subresource = textOption(options, "subresource");
    if (subresource !== undefined && subresource !== "status")
      throw new UsageError("invalid --subresource; use status");
    await using server = await connect(options, terminal);
    const { signal } = terminal;
    const target = await resolveObject(words, server);
    const { kind, name } = target;
    const object = await getObject(server, target, terminal);
    const saving: Saving = { client: server.client, kind, subresource, signal };
    const title = titleOf(kind, name);

    // A folder that only this user can read: objects can hold secrets.
    const folder = await mkdtemp(join(terminal.env["TMPDIR"] || tmpdir(), "fettle-edit-"));
    const path = join(folder, `${kind.singular}-${name.replaceAll(/[^\w.-]/g, "_")}.yaml`);
    let isNeeded = false;
    try {
      const original = withoutRemarks(await editorText(object));
      let base = object;
      let text = await editorText(object);
      let mayStay = false;
      for (;;) {
        await writeFile(path, text, { mode: 0o600 });
        await openEditor(path, terminal);
        const written = await readFile(path, "utf8");
        const content = withoutRemarks(written);
        if (content.trim() === "" || content === original) {
          isNeeded = false;
          terminal.stderr.write(`${title} unchanged: edit cancelled\n`);
          return 0;
        }
        isNeeded = true;
        // The same text was rejected before.
        if (written === text && !mayStay)
          throw new Error(`${title} was not saved: the rejected text was not edited`);
        const outcome = await saveText(saving, base, content);
        if (!("problems" in outcome)) {
          isNeeded = false;
          const isSaved = outcome.type === "saved";
          const hint = subresource === undefined ? " (edit the status with --subresource status)" : "";
          terminal.stdout.write(
            isSaved
              ? `${title} edited\n`
              : `${title} unchanged: the server ignored the edited fields${hint}\n`,
          );
          return 0;
        }
        for (const problem of outcome.problems) terminal.stderr.write(`${problem}\n`);
        mayStay = outcome.type === "contested";
        if (outcome.type === "contested") base = outcome.live;
        const shown = outcome.type === "contested" ? await editorText(outcome.merged) : content;
        text = withRemarks(shown, outcome.problems);
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!isNeeded) throw error;
      throw new Error(`${message}; your text is saved in ${path}`, { cause: error });
    } finally {
      if (!isNeeded) await rm(folder, { recursive: true, force: true });
    }
  },
};

async function saveText(saving: Saving, base: UntypedObject, content: string): ReturnType<typeof save> {
  const { parseManifests } = await import("../../plane/apply-manifests.js");
  let edited: readonly unknown[];
  try {
    edited = parseManifests("\n".repeat(linesAbove) + content, "edited text");
  } catch (error) {
    return { type: "refused", problems: [error instanceof Error ? error.message : String(error)] };
  }
  const [object] = edited;
  if (edited.length !== 1) {
    return {
      type: "refused",
      problems: [`Expected one object, found ${edited.length}.`],
    };
  }
  return save(saving, base, object as UntypedObject);
}
