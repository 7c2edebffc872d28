import { z } from "zod";
import { resource, schema } from "../../src/model/index.js";

/** Kind with pages. */
export const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({
    title: z.string().default("Hello"),
    pages: z.int().min(0).default(1),
    theme: z.string().optional(),
  }),
  status: z.object({ published: z.int(), phase: z.string(), note: z.string() }),
});

export const Page = resource("demo.dev/v1", "Page", {
  spec: z.object({ html: z.string(), draft: z.boolean().optional() }),
});

/** Kind that several sites refer to. */
export const Theme = resource("demo.dev/v1", "Theme", {
  spec: z.object({ color: z.string().default("red"), for: z.array(z.string()).optional() }),
  status: z.object({ usedBy: z.array(z.string()) }),
});

/** Kind with lists and maps of every type, and defaults inside of them. */
export const Box = resource("demo.dev/v1", "Box", {
  spec: z.object({
    size: z.int().default(3),
    tags: schema.listSet(z.array(z.string())).optional(),
    ports: schema
      .listMap(
        z.array(
          z.object({ port: z.int(), protocol: z.string().default("TCP"), name: z.string().optional() }),
        ),
        ["port", "protocol"],
      )
      .optional(),
    steps: z.array(z.object({ run: z.string(), shell: z.string().default("sh") })).optional(),
    color: schema.atomic(z.object({ red: z.int().default(0), green: z.int() })).optional(),
    notes: z.record(z.string(), z.string()).optional(),
  }),
});

/** Cluster-scoped kind. */
export const Tenant = resource("demo.dev/v1", "Tenant", {
  scope: "Cluster",
  spec: z.object({ plan: z.string().default("free") }),
});
