import { expect, test } from "vitest";
import { fromStatus } from "../../model/core.js";
import { errorText } from "./error-text.js";

const said = (code: number, message: string): string => errorText(fromStatus({ code, message }), { env: {} });

test("who may not do something is told how to be somebody else", () => {
  const message =
    'sites.demo.dev is forbidden: User "guest" cannot list resource "sites" in API group "demo.dev"';
  expect(said(403, message)).toBe(`${message}; choose another user with --kubeconfig or --context`);
  expect(said(403, "exceeded quota: two")).toBe("exceeded quota: two");
  expect(said(401, "Unauthorized")).toMatch(/rejected the credentials of this kubeconfig/);
  expect(said(422, "no such thing")).toBe("no such thing");
});
