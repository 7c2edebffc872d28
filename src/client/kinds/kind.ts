import type { JsonPatchOperation, KubeObject, ObjectMeta } from "../../model/core.js";
import type {
  DeepReadonly,
  ResourceObject,
  Resource,
  ResourceScope,
  SpecInput,
  Status,
} from "../../model/resource/resource-types.js";

/** What has to be known of a kind to ask for its objects. */
export interface KindInfo {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in URLs, such as `deployments`. */
  readonly plural: string;
  readonly scope: ResourceScope;
}

declare const shape: unique symbol;

/**
 * A kind that is defined elsewhere: one of Kubernetes' own, or a custom resource of somebody else's. `Shape` is what its
 * objects look like, for the compiler only.
 */
export interface ExternalKind<Shape = unknown> extends KindInfo {
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
  { plural, scope = "Namespaced" }: { readonly plural: string; readonly scope?: ResourceScope },
): ExternalKind<Shape> {
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
export type AnyKind = Resource | ExternalKind | KindName | KindReference;

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
export type ObjectOf<K extends AnyKind> = K extends Resource
  ? ResourceObject<K>
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

type UntypedDraft = DraftHeader & Readonly<Record<string, unknown>>;

/** An object of a kind as it is written: apiVersion and kind may be left out, and so may what has defaults. */
export type DraftOf<K extends AnyKind> = K extends Resource
  ? DraftHeader & { readonly status?: Status<K> } & (object extends SpecInput<K>
        ? { readonly spec?: DeepReadonly<SpecInput<K>> }
        : { readonly spec: DeepReadonly<SpecInput<K>> })
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? UntypedDraft
      : DraftHeader & DeepReadonly<Body<Shape>>
    : UntypedDraft;

/** What objects of a kind contain besides their header; `unknown` where that is not said. */
type Written<K extends AnyKind> = K extends Resource
  ? { readonly spec: SpecInput<K>; readonly status?: Status<K> }
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? unknown
      : Body<Shape>
    : unknown;

/** Any part of a value: fields may be left out, lists are whole. `Absent` is what else a field may be given as. */
type PartOf<T, Absent = undefined> = T extends string | number | boolean | readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [Key in keyof T]?: PartOf<T[Key], Absent> | Absent }
    : T;

/** Some fields of an object of a kind, as they are applied: one field manager's part of it. */
export type PartialDraftOf<K extends AnyKind> =
  unknown extends Written<K> ? UntypedDraft : DraftHeader & PartOf<Written<K>>;

/**
 * A patch of an object of a kind: a list is a JSON Patch, and an object a merge patch, with the fields that change and
 * null for those that are taken away.
 */
export type PatchOf<K extends AnyKind> =
  unknown extends Written<K>
    ? unknown
    :
        | (PartOf<Partial<Header>, null | undefined> & PartOf<Written<K>, null | undefined>)
        | readonly JsonPatchOperation[];

/** What an object of a kind has for a status. */
type StatusOf<K extends AnyKind> = "status" extends keyof ObjectOf<K> ? ObjectOf<K>["status"] : never;

/** An object of a kind as its status is replaced: the rest of it is not looked at. */
export type StatusDraftOf<K extends AnyKind> =
  unknown extends Written<K>
    ? UntypedDraft
    : DraftHeader & PartOf<Omit<Written<K>, "status">> & { readonly status?: StatusOf<K> | undefined };

/** Some fields of the status of an object of a kind, as they are applied. */
export type PartialStatusDraftOf<K extends AnyKind> = DraftHeader & {
  readonly status: PartOf<NonNullable<StatusOf<K>>>;
};
