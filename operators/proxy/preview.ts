import type { KubeObject } from "fettle";
import { fileDiff } from "./file-diff.js";
import { withObjects } from "./gather-input.js";
import { render } from "./nginx/render.js";
import type { RenderPaths } from "./nginx/rendered.js";
import type { Results } from "./results.js";
import { translate } from "./translate/translate.js";

/**
 * Name of the step in which a controller leaves a change to that of the class. It does nothing in a run, since that controller watches
 * the same objects; a plan shows there what would become of the change.
 */
export const passOn = "pass the change on to nginx";

/** Computes how objects that do not exist yet would change the files of nginx. */
export type Preview = (objects: readonly KubeObject[]) => Promise<string>;

/** Creates a preview on the last translation of every class. */
export function createPreview(
  results: Results,
  pathsOf: (className: string) => Promise<RenderPaths | undefined>,
): Preview {
  return async (objects) => {
    const texts: string[] = [];
    for (const [className, { input, files }] of results.classes) {
      const paths = await pathsOf(className);
      if (paths === undefined) continue;
      const { configuration } = translate(withObjects(input, objects));
      const diff = fileDiff(files, render(configuration, paths).files);
      if (diff !== "") texts.push(`nginx of class ${className} would be reloaded:\n${diff}`);
    }
    return texts.length > 0 ? texts.join("\n") : "no file of nginx would change";
  };
}
