import type { KubeObject, ObjectMeta } from "../../model/core.js";
import type {
  DeepReadonly,
  ObjectOf,
  Resource,
  Scope,
  SpecInput,
  Status,
} from "../../model/schema/resource-types.js";

/** What has to be known of a kind to ask for its objects. */
export interface KindInfo {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in URLs, such as `deployments`. */
  readonly plural: string;
  readonly scope: Scope;
}

declare const shape: unique symbol;

/**
 * A kind that is defined elsewhere: one of Kubernetes' own, or a custom resource of somebody else's. `Shape` is what its
 * objects look like, for the compiler only.
 */
export interface ForeignKind<Shape = unknown> extends KindInfo {
  readonly [shape]?: Shape;
}

/**
 * A kind that somebody else defined, with what its objects look like for the compiler. Kubernetes' own are in
 * `fettle/kubernetes`.
 *
 * @example
 * const Certificate = kind<CertificateShape>("cert-manager.io/v1", "Certificate", { plural: "certificates" });
 * const { spec } = await client.get(Certificate, "web");
 */
export function kind<Shape = unknown>(
  apiVersion: string,
  kind: string,
  { plural, scope = "Namespaced" }: { readonly plural: string; readonly scope?: Scope },
): ForeignKind<Shape> {
  return Object.freeze({ apiVersion, kind, plural, scope });
}

/** A kind by name alone, such as `"apps/v1/Deployment"` or `"v1/ConfigMap"`; the server is asked for the rest. */
export type KindName = `${string}/${string}`;

/** A kind by name alone, as objects carry it. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

/** All the ways to say which kind is meant; the more is said, the more the compiler checks. */
export type AnyKind = Resource | ForeignKind | KindName | KindReference;

/** What every object begins with. */
export interface Header {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object nothing is known of but that it is one. */
export interface UntypedObject extends KubeObject {
  // oxlint-disable-next-line typescript/no-explicit-any -- whoever leaves the kind untyped looks inside at their own risk
  readonly [field: string]: any;
}

type Body<Shape> = Omit<Shape, "apiVersion" | "kind" | "metadata">;

/** An object of a kind as it is read: frozen. */
export type ObjectFor<K extends AnyKind> = K extends Resource
  ? ObjectOf<K>
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? UntypedObject
      : Header & DeepReadonly<Body<Shape>>
    : UntypedObject;

/** What an object of a kind contains besides its name, as it is written. */
export type ContentOf<K extends AnyKind> = K extends Resource
  ? SpecInput<K>
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? Readonly<Record<string, unknown>>
      : DeepReadonly<Omit<Body<Shape>, "status">> & { readonly metadata?: ObjectMeta }
    : Readonly<Record<string, unknown>>;

interface DraftHeader {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind as it is written: apiVersion and kind may be left out, and so may what has defaults. */
export type DraftOf<K extends AnyKind> = K extends Resource
  ? DraftHeader & { readonly status?: Status<K> } & (object extends SpecInput<K>
        ? { readonly spec?: SpecInput<K> }
        : { readonly spec: SpecInput<K> })
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? DraftHeader & Readonly<Record<string, unknown>>
      : DraftHeader & DeepReadonly<Body<Shape>>
    : DraftHeader & Readonly<Record<string, unknown>>;
