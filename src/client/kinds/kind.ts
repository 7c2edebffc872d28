import type { JsonPatchOperation, KubeObject, ObjectMeta } from "../../model/core.js";
import type {
  DeepReadonly,
  ResourceObject,
  Resource,
  ResourceScope,
  SpecInput,
  Status,
} from "../../model/resource/resource-types.js";

/** Names and scope of a kind, as needed to request its objects. */
export interface KindInfo {
  readonly apiVersion: string;
  readonly kind: string;
  /** Name in URLs, such as `deployments`. */
  readonly plural: string;
  readonly scope: ResourceScope;
}

declare const shape: unique symbol;

/**
 * Kind defined elsewhere: one of Kubernetes' own, or a custom resource of another project. `Shape` is the type of its objects,
 * for the compiler only.
 */
export interface ExternalKind<Shape = unknown> extends KindInfo {
  readonly [shape]?: Shape;
}

/**
 * Declares a kind defined elsewhere, with the type of its objects. Kubernetes' own kinds are in `fettle/kubernetes`.
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

/** Kind by name, such as `"apps/v1/Deployment"` or `"v1/ConfigMap"`; plural and scope come from discovery. */
export type KindName = `${string}/${string}`;

/** Kind by apiVersion and kind, as in an object. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Any way to name a kind. Kinds with a type make objects type-checked. */
export type AnyKind = Resource | ExternalKind | KindName | KindReference;

/** Fields of every object. */
export interface ObjectHeader {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Object of unknown type. */
export interface UntypedObject extends KubeObject {
  // oxlint-disable-next-line typescript/no-explicit-any -- the content of an untyped object is not checked
  readonly [field: string]: any;
}

type Body<Shape> = Omit<Shape, "apiVersion" | "kind" | "metadata">;

/** Object of a kind as it is read: frozen. */
export type ObjectOf<K extends AnyKind> = K extends Resource
  ? ResourceObject<K>
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? UntypedObject
      : ObjectHeader & DeepReadonly<Body<Shape>>
    : UntypedObject;

/** Content of an object of a kind besides its name, as it is written. */
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

/** Object of a kind as it is written: apiVersion, kind and fields with defaults are optional. */
export type DraftOf<K extends AnyKind> = K extends Resource
  ? DraftHeader & { readonly status?: Status<K> } & (object extends SpecInput<K>
        ? { readonly spec?: DeepReadonly<SpecInput<K>> }
        : { readonly spec: DeepReadonly<SpecInput<K>> })
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? UntypedDraft
      : DraftHeader & DeepReadonly<Body<Shape>>
    : UntypedDraft;

/** Content of an object besides its header; `unknown` for untyped kinds. */
type Written<K extends AnyKind> = K extends Resource
  ? { readonly spec: SpecInput<K>; readonly status?: Status<K> }
  : K extends { readonly [shape]?: infer Shape }
    ? unknown extends Shape
      ? unknown
      : Body<Shape>
    : unknown;

/** Partial value: fields are optional, arrays complete. `Absent` is another type that a field may have. */
type PartOf<T, Absent = undefined> = T extends string | number | boolean | readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [Key in keyof T]?: PartOf<T[Key], Absent> | Absent }
    : T;

/** Fields of an object that one field manager applies. */
export type PartialDraftOf<K extends AnyKind> =
  unknown extends Written<K> ? UntypedDraft : DraftHeader & PartOf<Written<K>>;

/**
 * Patch of an object: an array is a JSON Patch, an object a merge patch, with null for fields to remove.
 */
export type PatchOf<K extends AnyKind> =
  unknown extends Written<K>
    ? unknown
    :
        | (PartOf<Partial<ObjectHeader>, null | undefined> & PartOf<Written<K>, null | undefined>)
        | readonly JsonPatchOperation[];

/** Status of an object of a kind. */
type StatusOf<K extends AnyKind> = "status" extends keyof ObjectOf<K> ? ObjectOf<K>["status"] : never;

/** Object as its status is replaced; the rest is ignored. */
export type StatusDraftOf<K extends AnyKind> =
  unknown extends Written<K>
    ? UntypedDraft
    : DraftHeader & PartOf<Omit<Written<K>, "status">> & { readonly status?: StatusOf<K> | undefined };

/** Fields of the status that one field manager applies. */
export type PartialStatusDraftOf<K extends AnyKind> = DraftHeader & {
  readonly status: PartOf<NonNullable<StatusOf<K>>>;
};
