import { expect, test } from "vitest";
import { redisAddress } from "./redis-address.js";

test("reads host, port, database, user and password", () => {
  expect(redisAddress("redis://127.0.0.1")).toEqual({
    host: "127.0.0.1",
    port: 6379,
    username: undefined,
    password: undefined,
    db: 0,
    tls: false,
    shown: "redis://127.0.0.1:6379/0",
  });
  expect(redisAddress("rediss://user:p%40ss%2F@[::1]:7000/12")).toEqual({
    host: "::1",
    port: 7000,
    username: "user",
    password: "p@ss/",
    db: 12,
    tls: true,
    shown: "rediss://[::1]:7000/12",
  });
  expect(redisAddress("redis://:secret@redis.example.com/")).toMatchObject({
    username: undefined,
    password: "secret",
  });
});

test.each([
  ["http://:secret@host", "must begin with redis:// or rediss://, and is with http://"],
  ["localhost:6379", "is without a scheme"],
  ["", "is without a scheme"],
  [":secret@host", "is without a scheme"],
  ["redis://", "no valid host"],
  ["redis://:secret@", "no valid host"],
  ["redis://:secret@host:99999", "no valid host and port"],
  ["redis://:secret@host/first", "the path must be the number of a database"],
  ["redis://:secret@host/0?tls=true", "options after ? and # are not supported"],
  ["redis://:secret%zz@host", "must be percent-encoded"],
])("refuses %s without repeating it", (url, message) => {
  expect(() => redisAddress(url)).toThrow(message);
  expect(() => redisAddress(url)).not.toThrow("secret");
});
