import { expect, test } from "vitest";

import { pluralOf } from "./plural.js";

test.each([
  ["Site", "sites"],
  ["Policy", "policies"],
  ["NetworkPolicy", "networkpolicies"],
  ["Box", "boxes"],
  ["Gateway", "gateways"],
  ["Class", "classes"],
  ["Ingress", "ingresses"],
  ["Index", "indexes"],
  ["Endpoints", "endpoints"],
  ["Settings", "settings"],
  ["Status", "statuses"],
  ["Alias", "aliases"],
  ["Bus", "buses"],
  ["Batch", "batches"],
  ["Mesh", "meshes"],
  ["Analysis", "analyses"],
  ["Key", "keys"],
  ["Proxy", "proxies"],
  ["Child", "children"],
  ["BlueChild", "bluechildren"],
  ["GrandFather", "grandfathers"],
  ["Repo", "repos"],
  ["DNS", "dns"],
  ["VPC", "vpcs"],
  ["UserData", "userdata"],
  ["TimeSeries", "timeseries"],
  ["HTTPRoute", "httproutes"],
  ["Device2", "device2s"],
  ["Constructor", "constructors"],
])("%s becomes %s", (kind, plural) => {
  expect(pluralOf(kind)).toBe(plural);
});
