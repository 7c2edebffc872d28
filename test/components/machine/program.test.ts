import { describe, expect, test } from "vitest";
import { find, obtain, Unavailable, whyMissing } from "./program.js";

const etcd = { name: "etcd", package: "etcd-server" };

describe("a program", () => {
  test("is found on the PATH or in its folders", () => {
    expect(find({ name: "sh" })).toMatch(/\/sh$/);
    expect(find({ name: "passwd", folders: () => ["/nowhere", "/etc"] })).not.toBe("/etc/passwd");
    expect(find({ name: "fettle-no-such-program" })).toBeUndefined();
  });

  test("that is neither installed nor in a package is unavailable", async () => {
    const obtained = obtain({ name: "fettle-no-such-program" });
    await expect(obtained).rejects.toThrow(Unavailable);
    await expect(obtained).rejects.toThrow(
      "fettle-no-such-program is not on this machine; put it on the PATH",
    );
  });

  test.each([
    [
      etcd,
      { debian: true, root: false },
      "etcd is not on this machine; install it with: sudo apt-get install etcd-server",
    ],
    [
      etcd,
      { debian: false, root: true },
      "etcd is not on this machine; put it on the PATH (on Debian it is in the package etcd-server)",
    ],
    [
      etcd,
      { debian: true, root: true },
      "etcd is not on this machine, and Debian's package etcd-server did not bring it:\nno network",
    ],
    [{ name: "etcd" }, { debian: true, root: true }, "etcd is not on this machine; put it on the PATH"],
  ])("that is missing has a hint how to install it (%j, %j)", (program, machine, message) => {
    expect(whyMissing(program, machine, "no network")).toBe(message);
  });
});
