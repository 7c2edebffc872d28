import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

import type { Condition } from "../conditions/conditions.js";
import type { KubeObject, ObjectMeta } from "../object/object.js";
import { DefinitionError } from "./convert/definition-error.js";
import type { ResourceObject, Resource, Spec, SpecInput, Status } from "./resource-types.js";
import { resource } from "./resource.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.number().int().min(1).default(1) }),
});

describe("static types", () => {
  const Fleet = resource("demo.dev/v1", "Fleet", {
    spec: z.object({
      name: z.string(),
      tags: z.array(z.object({ key: z.string() })).default([]),
      labels: z.record(z.string(), z.string()).optional(),
      source: z.discriminatedUnion("type", [
        z.object({ type: z.literal("git"), url: z.url() }),
        z.object({ type: z.literal("none") }),
      ]),
      extra: z.unknown(),
    }),
    status: z.object({ ready: z.int() }),
  });

  test("fields with defaults are optional in SpecInput and required in Spec", () => {
    expectTypeOf<SpecInput<typeof Site>>().toEqualTypeOf<{ title: string; pages?: number | undefined }>();
    expectTypeOf<Spec<typeof Site>>().toEqualTypeOf<{ readonly title: string; readonly pages: number }>();
    // @ts-expect-error the title is required
    const input: SpecInput<typeof Site> = { pages: 3 };
    expect(input).toBeDefined();
  });

  test("ResourceObject is typed by its kind and deeply read-only", () => {
    type Fleets = ResourceObject<typeof Fleet>;
    expectTypeOf<Fleets["apiVersion"]>().toEqualTypeOf<"demo.dev/v1">();
    expectTypeOf<Fleets["kind"]>().toEqualTypeOf<"Fleet">();
    expectTypeOf<Fleets["metadata"]>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Fleets["spec"]["tags"]>().toEqualTypeOf<readonly { readonly key: string }[]>();
    expectTypeOf<Fleets["spec"]["extra"]>().toEqualTypeOf<unknown>();
    expectTypeOf<Fleets["spec"]["source"]>().toEqualTypeOf<
      { readonly type: "git"; readonly url: string } | { readonly type: "none" }
    >();
    expectTypeOf<Fleets>().toExtend<KubeObject>();
    const change = (fleet: Fleets): void => {
      // @ts-expect-error objects that were read are readonly
      fleet.spec.name = "x";
      // @ts-expect-error nested fields, too
      fleet.spec.tags[0].key = "x";
    };
    expect(change).toBeDefined();
  });

  test("every status field is optional, and conditions are included", () => {
    expectTypeOf<Status<typeof Fleet>["ready"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Status<typeof Fleet>["conditions"]>().toEqualTypeOf<readonly Condition[] | undefined>();
    expectTypeOf<ResourceObject<typeof Fleet>["status"]>().toEqualTypeOf<Status<typeof Fleet> | undefined>();
    const Plain = resource("demo.dev/v1", "Plain", { spec: z.object({}), status: z.object({}) });
    expectTypeOf<Status<typeof Plain>["conditions"]>().toEqualTypeOf<readonly Condition[] | undefined>();
    // @ts-expect-error unknown field
    expectTypeOf<Status<typeof Plain>["ready"]>().toBeUnknown();
    const Page = resource("demo.dev/v1", "Page", { spec: z.object({}) });
    expectTypeOf<ResourceObject<typeof Page>["status"]>().toEqualTypeOf<undefined>();
    expect(Page.subresources.status).toBe(false);
  });

  test("every kind is a Resource", () => {
    expectTypeOf(Fleet).toExtend<Resource>();
    expectTypeOf(Fleet).toExtend<Resource<"demo.dev/v1", "Fleet">>();
    // @ts-expect-error the spec is required
    expect(() => resource("demo.dev/v1", "Page", {})).toThrow("not a zod 4 schema");
    // @ts-expect-error not one of the two scopes
    expect(() => resource("demo.dev/v1", "Page", { spec: z.object({}), scope: "Global" })).toThrow(
      DefinitionError,
    );
  });
});
