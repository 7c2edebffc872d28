import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

import {
  customResourceDefinition,
  resource,
  type KubeObject,
  type ResourceObject,
} from "../../model/index.js";
import {
  kind,
  type AnyKind,
  type ContentOf,
  type DraftOf,
  type ObjectOf,
  type UntypedObject,
} from "./kind.js";
import * as kubernetes from "./kubernetes.js";
import {
  type ConfigMap,
  CustomResourceDefinition,
  type Deployment,
  Event,
  EventsEvent,
  type Lease,
  type Secret,
} from "./kubernetes.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.number().int().min(1).default(1) }),
  status: z.object({ published: z.number() }),
});

/** Checks at compile time that a value has type T. */
function checked<T>(value: T): T {
  return value;
}

describe("the types of external kinds", () => {
  test("objects are deeply readonly", () => {
    type Read = ObjectOf<typeof Deployment>;
    expectTypeOf<NonNullable<Read["spec"]>["replicas"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Read["metadata"]>().toEqualTypeOf<KubeObject["metadata"]>();
    expectTypeOf<Read>().toExtend<KubeObject>();
    expectTypeOf<ObjectOf<typeof ConfigMap>["data"]>().toEqualTypeOf<
      { readonly [name: string]: string } | undefined
    >();
    const change = (deployment: Read, map: ObjectOf<typeof ConfigMap>): void => {
      // @ts-expect-error objects that were read are readonly
      deployment.spec = undefined;
      // @ts-expect-error nested fields, too
      if (deployment.spec) deployment.spec.replicas = 3;
      // @ts-expect-error lists, too
      deployment.spec?.template.spec?.containers.push({ name: "a" });
      // @ts-expect-error maps, too
      if (map.data) map.data["a"] = "b";
    };
    expect(change).toBeDefined();
  });

  test("drafts need a name; apiVersion and kind are optional", () => {
    checked<DraftOf<typeof ConfigMap>>({ metadata: { name: "a" }, data: { k: "v" } });
    checked<DraftOf<typeof ConfigMap>>({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    checked<DraftOf<typeof ConfigMap>>({} as ObjectOf<typeof ConfigMap>);
    // @ts-expect-error unknown field
    checked<DraftOf<typeof ConfigMap>>({ metadata: { name: "a" }, date: {} });
    // @ts-expect-error values are strings
    checked<DraftOf<typeof ConfigMap>>({ metadata: { name: "a" }, data: { k: 1 } });
    // @ts-expect-error metadata is required
    checked<DraftOf<typeof ConfigMap>>({ data: {} });
    checked<DraftOf<typeof Secret>>({ metadata: { name: "a" }, stringData: { password: "x" } });
    checked<DraftOf<typeof Deployment>>({
      metadata: { name: "a" },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    });
    checked<DraftOf<typeof Deployment>>({
      metadata: { name: "a" },
      // @ts-expect-error the template is required
      spec: { selector: {} },
    });
    checked<DraftOf<typeof Lease>>({ metadata: { name: "a" }, spec: { holderIdentity: "me" } });
  });

  test("content has neither name nor status", () => {
    checked<ContentOf<typeof ConfigMap>>({ data: { k: "v" } });
    checked<ContentOf<typeof ConfigMap>>({ metadata: { labels: { a: "b" } }, data: { k: "v" } });
    // @ts-expect-error unknown field
    checked<ContentOf<typeof ConfigMap>>({ spec: {} });
    // @ts-expect-error drafts have no status
    checked<ContentOf<typeof Deployment>>({ status: { replicas: 1 } });
    expectTypeOf<ContentOf<typeof Site>>().toEqualTypeOf<{ title: string; pages?: number | undefined }>();
  });

  test("the definition of a resource is a CustomResourceDefinition", () => {
    const definition = customResourceDefinition(Site);
    checked<DraftOf<typeof CustomResourceDefinition>>(definition);
    expect(definition.kind).toBe(CustomResourceDefinition.kind);
  });

  test("kind() declares a kind with its own type", () => {
    const Certificate = kind<{ spec: { dnsNames: string[] }; status?: { notAfter?: string } }>(
      "cert-manager.io/v1",
      "Certificate",
      { plural: "certificates" },
    );
    expectTypeOf<ObjectOf<typeof Certificate>["spec"]["dnsNames"]>().toEqualTypeOf<readonly string[]>();
    // @ts-expect-error required fields stay required
    checked<DraftOf<typeof Certificate>>({ metadata: { name: "a" } });
    expect(Certificate).toEqual({
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      plural: "certificates",
      scope: "Namespaced",
    });
    expect(Object.isFrozen(Certificate)).toBe(true);
  });

  test("a kind by name is untyped", () => {
    expectTypeOf<ObjectOf<"apps/v1/Deployment">>().toEqualTypeOf<UntypedObject>();
    expectTypeOf<ObjectOf<{ apiVersion: string; kind: string }>>().toEqualTypeOf<UntypedObject>();
    const Unknown = kind("demo.dev/v1", "Unknown", { plural: "unknowns" });
    expectTypeOf<ObjectOf<typeof Unknown>>().toEqualTypeOf<UntypedObject>();
    checked<DraftOf<"v1/ConfigMap">>({ metadata: { name: "a" }, anything: { goes: true } });
    // @ts-expect-error a name needs its apiVersion
    checked<AnyKind>("ConfigMap");
  });

  test("a resource keeps its types", () => {
    expectTypeOf<ObjectOf<typeof Site>>().toEqualTypeOf<ResourceObject<typeof Site>>();
    checked<DraftOf<typeof Site>>({ metadata: { name: "a" }, spec: { title: "A" } });
    // @ts-expect-error the title is required
    checked<DraftOf<typeof Site>>({ metadata: { name: "a" }, spec: {} });
    // @ts-expect-error so the spec is required
    checked<DraftOf<typeof Site>>({ metadata: { name: "a" } });
    checked<DraftOf<typeof Site>>({} as ObjectOf<typeof Site>);
    const Tagged = resource("demo.dev/v1", "Tagged", { spec: z.object({ tags: z.array(z.string()) }) });
    checked<DraftOf<typeof Tagged>>({} as ObjectOf<typeof Tagged>);
  });
});

describe("Kubernetes' kinds", () => {
  test("have distinct apiVersion and kind, and distinct paths", () => {
    const kinds = Object.values(kubernetes);
    const named = new Set(kinds.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`));
    const served = new Set(kinds.map(({ apiVersion, plural }) => `${apiVersion}/${plural}`));
    expect(named.size).toBe(kinds.length);
    expect(served.size).toBe(kinds.length);
    expect([Event.apiVersion, EventsEvent.apiVersion]).toEqual(["v1", "events.k8s.io/v1"]);
  });

  test.each(Object.entries(kubernetes))("%s is exported under its name", (name, { kind, plural }) => {
    expect([kind, `Events${kind}`, `${kind}V1`]).toContain(name);
    expect(plural).toBe(plural.toLowerCase());
    expect(plural).toMatch(/s$/);
  });
});
