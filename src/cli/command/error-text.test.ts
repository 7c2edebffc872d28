import { expect, test } from "vitest";
import { fromStatus } from "../../model/core.js";
import { errorText } from "./error-text.js";

const textOf = (code: number, message: string): string =>
  errorText(fromStatus({ code, message }), { env: {} });

test("a 403 names the denied permission and how to use another identity", () => {
  const message =
    'sites.demo.dev is forbidden: User "guest" cannot list resource "sites" in API group "demo.dev"';
  expect(textOf(403, message)).toBe(`${message}; choose another user with --kubeconfig or --context`);
  expect(textOf(403, "exceeded quota: two")).toBe("exceeded quota: two");
  expect(textOf(401, "Unauthorized")).toMatch(/rejected the credentials of this kubeconfig/);
  expect(textOf(422, "no such thing")).toBe("no such thing");
});
