import { expect, test } from "vitest";
import { canonicalAddress, parseSockets } from "./listening-ports.js";

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
   2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1
   3: B80D0120000000000000000001000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4714 1
`;

test("listening sockets are read from the tables of the kernel", () => {
  expect(parseSockets(table)).toEqual([
    { address: "127.0.0.1", port: 8080, inode: "4711" },
    { address: "::1", port: 80, inode: "4713" },
    { address: "2001:db8::1", port: 443, inode: "4714" },
  ]);
  expect(parseSockets("")).toEqual([]);
});

test.each([
  ["0:0:0:0:0:0:0:0", "::"],
  ["2001:DB8::1", "2001:db8::1"],
  ["127.0.0.1", "127.0.0.1"],
])("%s is %s", (address, expected) => expect(canonicalAddress(address)).toBe(expected));
