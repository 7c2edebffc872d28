import {
  CoreV1Api,
  KubeConfig,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { Happenings } from "../happenings.js";
import { widget } from "../widgets.js";
import { clientsFor, widgets, type Widget } from "./clients.js";

const namespace = "watched";
const clients = clientsFor(namespace);

test("watches from now, by label, and from a resourceVersion", async () => {
  const place = { ...widgets, namespace: "watched" };
  const path = "/apis/demo.dev/v1/namespaces/watched/widgets";
  const seen = new Happenings<string>();
  const versions: string[] = [];
  const show = (type: string, object: Widget): void => {
    versions.push(object.metadata?.resourceVersion ?? "");
    seen.add(`${type} ${object.metadata?.name}`);
  };
  const end = (error: unknown): void => void (error && seen.fail(error));
  const request = await new Watch(clients.config).watch(path, { labelSelector: "color=red" }, show, end);

  const create = (name: string, color: string): Promise<unknown> =>
    clients.custom.createNamespacedCustomObject({ ...place, body: loadYaml(widget(name, color)) });
  const label = (name: string, color: string): Promise<unknown> =>
    clients.custom.patchNamespacedCustomObject(
      { ...place, name, body: { metadata: { labels: { color } } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
  await create("one", "red");
  await create("two", "blue");
  await label("two", "red");
  await label("one", "blue");
  await clients.custom.deleteNamespacedCustomObject({ ...place, name: "two" });
  expect(await seen.until((all) => all.length === 4)).toEqual([
    "ADDED one",
    "ADDED two",
    "DELETED one",
    "DELETED two",
  ]);
  request.abort();

  const later = new Happenings<string>();
  const resumed = await new Watch(clients.config).watch(
    path,
    { resourceVersion: versions[0], allowWatchBookmarks: true, timeoutSeconds: 1 },
    (type, object: Widget) => later.add(`${type} ${object.metadata?.name ?? ""}`.trim()),
    (error) => (error ? later.fail(error) : later.add("end")),
  );
  expect(await later.until((all) => all.includes("end"))).toEqual([
    "ADDED two",
    "MODIFIED two",
    "MODIFIED one",
    "DELETED two",
    "BOOKMARK",
    "end",
  ]);
  resumed.abort();
});

test("an informer reports existing, added, updated and deleted objects", async () => {
  const first = { metadata: { name: "first" }, data: { n: "1" } };
  await clients.core.createNamespacedConfigMap({ namespace, body: first });
  const seen = new Happenings<string>();
  const informer = makeInformer(clients.config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    clients.core.listNamespacedConfigMap({ namespace }),
  );
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata, data }) => seen.add(`${verb} ${metadata?.name} ${data?.["n"]}`));
  }
  informer.on("error", (error: unknown) => seen.fail(error));
  await informer.start();
  await clients.core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "second" }, data: { n: "2" } },
  });
  await clients.core.replaceNamespacedConfigMap({
    name: "first",
    namespace,
    body: { ...first, data: { n: "3" } },
  });
  await clients.core.deleteNamespacedConfigMap({ name: "second", namespace });
  expect(await seen.until((all) => all.length === 4)).toEqual([
    "add first 1",
    "add second 2",
    "update first 3",
    "delete second 2",
  ]);
  expect(informer.get("first", namespace)?.data).toEqual({ n: "3" });
  expect(informer.list(namespace)).toHaveLength(1);
  await informer.stop();
});

test("returns 401 for a wrong token", async () => {
  const other = new KubeConfig();
  other.loadFromFile(clients.server.kubeconfig);
  other.users = [{ name: "fettle", token: "wrong" }];
  const refused = other.makeApiClient(CoreV1Api).listNamespace();
  await expect(refused).rejects.toMatchObject({ code: 401 });
});
