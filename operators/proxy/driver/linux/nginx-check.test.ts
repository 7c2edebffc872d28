import { expect, test } from "vitest";
import { parseCheck } from "./nginx-check.js";

const paths = { root: "/data/web", folder: "/data/web/generations/3" };

test.each([
  {
    name: "a directive",
    output:
      'nginx: [emerg] unknown directive "foo" in /data/web/generations/3/ports/80.conf:5\nnginx: configuration file /data/web/generations/3/nginx.conf test failed\n',
    result: { message: 'unknown directive "foo"', file: "ports/80.conf", line: 5 },
  },
  {
    name: "a warning before the error",
    output:
      'nginx: [warn] conflicting server name "a"\n2026/01/02 03:04:05 [emerg] 71#71: invalid number of arguments in "listen" directive in /data/web/generations/3/nginx.conf:12',
    result: { message: 'invalid number of arguments in "listen" directive', file: "nginx.conf", line: 12 },
  },
  {
    name: "a certificate",
    output:
      'nginx: [emerg] cannot load certificate "/data/web/generations/3/certificates/a.crt": PEM_read_bio_X509_AUX() failed',
    result: {
      message: 'cannot load certificate "certificates/a.crt": PEM_read_bio_X509_AUX() failed',
      file: "certificates/a.crt",
      line: undefined,
    },
  },
  {
    name: "a file outside of the generation",
    output: "nginx: [emerg] unexpected end of file in /etc/nginx/mime.types:3",
    result: {
      message: "unexpected end of file in /etc/nginx/mime.types:3",
      file: undefined,
      line: undefined,
    },
  },
  {
    name: "a port",
    output: "nginx: [emerg] bind() to 0.0.0.0:80 failed (13: Permission denied)",
    result: {
      message: "bind() to 0.0.0.0:80 failed (13: Permission denied)",
      file: undefined,
      line: undefined,
    },
  },
  {
    name: "nothing",
    output: "",
    result: { message: "nginx gave no reason", file: undefined, line: undefined },
  },
])("the place of an error: $name", ({ output, result }) => {
  expect(parseCheck(output, paths)).toEqual({ ok: false, ...result });
});
