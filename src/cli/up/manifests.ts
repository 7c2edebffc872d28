import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import type { Manifest } from "../../client/client.js";
import { asApiError } from "../../model/core.js";
import { ManifestError, type Applied } from "../../plane/apply-manifests.js";
import { inOrder } from "../manifests/apply-manifest.js";
import { placedManifests, type PlacedManifest } from "../manifests/placed-manifests.js";
import { problemsOf } from "../manifests/refusal.js";

/** @throws {ManifestError} with the place of what is wrong. */
export async function readStartManifests(
  paths: readonly string[],
  cwd: string,
): Promise<readonly PlacedManifest[]> {
  const all: PlacedManifest[] = [];
  for (const path of paths) {
    const name = relative(cwd, path);
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      throw new ManifestError(
        `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
    all.push(...placedManifests(text, name));
  }
  return all;
}

/** Applies manifests; the error for a rejected one has its position. */
export async function applyPlaced(
  apply: (manifest: Manifest) => Promise<readonly Applied[]>,
  manifests: readonly PlacedManifest[],
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const each of inOrder(manifests)) {
    try {
      applied.push(...(await apply(each.manifest)));
    } catch (error) {
      throw refused(error, each);
    }
  }
  return applied;
}

function refused(error: unknown, placed: PlacedManifest): Error {
  const { kind, metadata } = placed.manifest;
  const lines = problemsOf(error).map(({ field, message }) => `${placed.place(field)}: ${message}`);
  return new ManifestError(`${kind} ${metadata.name ?? ""} was rejected:\n  ${lines.join("\n  ")}`, {
    // The causes contain the whole message.
    ...(asApiError(error)?.status.details?.causes === undefined && { cause: error }),
  });
}
