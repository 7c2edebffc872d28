import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../model/core.js";
import type { Attributes, Authorize } from "../../../access/authorize.js";
import { authenticatedGroup, mastersGroup, type User } from "../../../access/user.js";
import { startApi } from "../../../api.js";
import { MemoryStore } from "../../../../store/index.js";
import { Caller } from "../../../request/caller.js";
import { decodeProtobuf } from "../../protobuf/decode.js";

const alice: User = { name: "alice", uid: "7", groups: ["developers", authenticatedGroup] };
const group = "authorization.k8s.io";

async function ask(authorize: Authorize | undefined, plural: string, object: JsonObject): Promise<Json> {
  await using store = new MemoryStore();
  await using api = await startApi({ store, authorize });
  const found = [group, "authentication.k8s.io"].map((each) => api.registry.types.find(each, "v1", plural));
  const type = found.find((each) => each !== undefined);
  if (type === undefined) throw new Error(`${plural} are not served`);
  const caller = new Caller(api.pipeline, alice);
  const answer = await caller.create(type, {}, { object });
  expect((await store.count({ prefix: `/${type.group}/` })).count, "reviews are not stored").toBe(0);
  return answer.object as unknown as Json;
}

const mayRead: Authorize = ({ user, resource, verb }: Attributes) => {
  if (user.groups.includes(mastersGroup)) return { allowed: true };
  if (resource?.group === group || resource?.group === "authentication.k8s.io") return { allowed: true };
  if (resource?.name === "broken") throw new Error("the directory is down");
  return verb === "get"
    ? { allowed: true, reason: "reading is free" }
    : { allowed: false, reason: "read only" };
};

test("an authorizer of one's own answers access reviews, with its reasons", async () => {
  const review = (attributes: JsonObject) =>
    ask(mayRead, "selfsubjectaccessreviews", { spec: { resourceAttributes: attributes } });
  expect(await review({ verb: "get", resource: "pods" })).toMatchObject({
    status: { allowed: true, reason: "reading is free" },
  });
  expect(await review({ verb: "delete", resource: "pods" })).toMatchObject({
    status: { allowed: false, reason: "read only" },
  });
  expect(await review({ verb: "get", resource: "pods", name: "broken" })).toMatchObject({
    status: { allowed: false, evaluationError: "Error: the directory is down" },
  });
});

test("the rules of an authorizer that lists none are incomplete", async () => {
  const spec = { namespace: "default" };
  expect(await ask(mayRead, "selfsubjectrulesreviews", { spec })).toMatchObject({
    status: {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: "the authorizer does not list the rules of users",
    },
  });
  const rules = () => ({
    resourceRules: [{ verbs: ["get"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [],
  });
  const listing: Authorize = Object.assign((attributes: Attributes) => mayRead(attributes), { rules });
  expect(await ask(listing, "selfsubjectrulesreviews", { spec })).toMatchObject({
    status: { resourceRules: [{ verbs: ["get"], apiGroups: ["*"], resources: ["*"] }], incomplete: false },
  });
});

test("every authenticated user may ask about themselves", async () => {
  expect(await ask(undefined, "selfsubjectreviews", {})).toMatchObject({
    status: { userInfo: { username: "alice", uid: "7", groups: alice.groups } },
  });
  const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
  expect(await ask(undefined, "selfsubjectaccessreviews", { spec })).toMatchObject({
    status: { allowed: false },
  });
  await expect(ask(undefined, "subjectaccessreviews", { spec: { ...spec, user: "bob" } })).rejects.toThrow(
    'User "alice" cannot create resource "subjectaccessreviews"',
  );
});

/** Field of a protobuf message with a length. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

test("reviews are read from protobuf, with the lists in extra", () => {
  const attributes = Buffer.concat([field(2, "get"), field(5, "pods")]);
  const values = Buffer.concat([field(1, "a"), field(1, "b")]);
  const extra = Buffer.concat([field(1, "scopes"), field(2, values)]);
  const spec = Buffer.concat([
    field(1, attributes),
    field(3, "alice"),
    field(4, "developers"),
    field(5, extra),
  ]);
  const typeMeta = Buffer.concat([field(1, "authorization.k8s.io/v1"), field(2, "SubjectAccessReview")]);
  const envelope = Buffer.concat([field(1, typeMeta), field(2, field(2, spec))]);
  const bytes = Buffer.concat([Buffer.from("k8s\0"), envelope]);
  expect(decodeProtobuf(bytes).object["spec"]).toEqual({
    resourceAttributes: { verb: "get", resource: "pods" },
    user: "alice",
    groups: ["developers"],
    extra: { scopes: ["a", "b"] },
  });
});
