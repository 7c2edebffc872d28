import type { KubeObject } from "fettle";
import type { CheckResult } from "./driver/driver.js";
import type { RenderedConfiguration } from "./nginx/rendered.js";
import { originKey, type Origin } from "./translate/configuration.js";
import type { TranslationInput } from "./translate/translation.js";

interface RefusedObject {
  readonly message: string;
  /** Generation of the object that was refused; a later one is tried again. */
  readonly generation: number | undefined;
}

/** A refusal, with the object that it is about, if that can be told. */
export interface Refusal {
  readonly origin: Origin | undefined;
  readonly message: string;
}

/** Finds the object that a message of nginx is about: by the line, or by the certificate that the message names. */
export function refusalOf(
  { message, file, line }: Extract<CheckResult, { ok: false }>,
  rendered: RenderedConfiguration,
): Refusal {
  if (file !== undefined && line !== undefined) return { origin: rendered.originOf(file, line), message };
  const [, namespace = "", name = ""] =
    /certificates\/([a-z0-9-]+)_([a-z0-9.-]+)\.(?:crt|key)/.exec(message) ?? [];
  return { origin: name === "" ? undefined : { kind: "Secret", namespace, name }, message };
}

/** Objects that nginx has refused though the translation accepted them. Kept in memory: after a restart, nginx is asked again. */
export class RefusedObjects {
  readonly #classes = new Map<string, Map<string, RefusedObject>>();

  /** Messages by `originKey()`, without those of objects that have changed since. */
  current(className: string, input: Omit<TranslationInput, "refused">): ReadonlyMap<string, string> {
    const refused = this.#classes.get(className);
    if (refused === undefined) return new Map();
    for (const [key, { generation }] of refused) {
      if (generationOf(key, input) !== generation) refused.delete(key);
    }
    return new Map([...refused].map(([key, { message }]) => [key, message]));
  }

  /** Notes the object that a refusal is about, and returns its name; undefined if it cannot be told, or was refused before. */
  note(className: string, refusal: Refusal, input: TranslationInput): string | undefined {
    const { origin, message } = refusal;
    if (origin === undefined || origin.kind === "ProxyClass") return undefined;
    const key = originKey(origin);
    if (input.refused.has(key)) return undefined;
    const refused = this.#classes.get(className) ?? new Map<string, RefusedObject>();
    this.#classes.set(className, refused);
    refused.set(key, { message, generation: generationOf(key, input) });
    return key;
  }

  forget(className: string): void {
    this.#classes.delete(className);
  }
}

function generationOf(key: string, input: Omit<TranslationInput, "refused">): number | undefined {
  const [kind = "", place = ""] = key.split(" ");
  const [namespace = "", name = ""] = place.split("/");
  const find = (objects: readonly KubeObject[]): number | undefined =>
    objects.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace)?.metadata
      .generation;
  switch (kind) {
    case "Gateway":
      return find(input.gateways);
    case "HTTPRoute":
      return find(input.routes);
    case "RateLimitPolicy":
      return find(input.policies);
    // These have no generation.
    case "Secret":
      return Number(input.findSecret(namespace, name)?.metadata.resourceVersion);
    case "Service":
      return Number(input.findService(namespace, name)?.metadata.resourceVersion);
    default:
      return input.findBackend(namespace, name)?.metadata.generation;
  }
}
