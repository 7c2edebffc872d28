import type { UntypedObject } from "../../client/kinds/kind.js";
import { isAlreadyExists } from "../../model/core.js";
import type { Command } from "../command/command.js";
import { connectionOptions, listOption } from "../command/options.js";
import { inOrder, manifestTitle } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests } from "../manifests/read-manifests.js";
import { problemsOf } from "../manifests/refusal.js";
import { formatOf } from "../output/format.js";
import { printWritten, writtenOption } from "../output/written.js";
import { connect } from "../server/connect.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Create objects from manifests. Fails for an object that exists; fettle apply creates or updates. All manifests are read before the first object is created.",
  options: [
    ...connectionOptions,
    ...fileOptions,
    { flags: "--dry-run", summary: "validate on the server without creating anything" },
    writtenOption,
  ],
  examples: [
    ["fettle create -f site.yaml", "create its objects"],
    ["fettle create -f site.yaml --dry-run -o yaml", "as the server would store them"],
  ],
  async run(words, options, terminal) {
    const format = formatOf(options);
    const files = [...listOption(options, "filename"), ...words];
    const found = await readManifests(files, { recursive: options["recursive"] === true, terminal });
    const dryRun = options["dryRun"] === true;
    const { signal, stderr } = terminal;
    await using server = await connect(options, terminal);
    const objects: UntypedObject[] = [];
    let failures = 0;
    for (const { manifest, place } of inOrder(found)) {
      try {
        const writing = { dryRun, signal, fieldManager: "fettle-create" };
        objects.push(await server.client.create(manifest, writing));
      } catch (error) {
        signal.throwIfAborted();
        failures++;
        const hint = isAlreadyExists(error) ? "; change it with: fettle apply -f FILE" : "";
        for (const { field, message } of problemsOf(error))
          stderr.write(`fettle: ${place(field)}: ${manifestTitle(manifest)}: ${message}${hint}\n`);
      }
    }
    if (objects.length > 0) await printWritten(objects, "created", { format, dryRun, terminal });
    return failures > 0 ? 1 : 0;
  },
};
