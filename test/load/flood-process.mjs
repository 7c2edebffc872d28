// A client that floods the server, in a process of its own so that it slows down only the server:
// `flood-process.mjs URL TOKEN CONNECTIONS KIND`. All connections send requests at once, and again after each response, until
// the parent sends a line; then it prints the counts of all responses as one line of JSON.
import { connect } from "node:net";

const [url, token, connections, kind] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const path = "/api/v1/namespaces/default/configmaps";
const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
let created = 0;

function create() {
  const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"flood-${process.pid}-${created++}"}}`;
  const type = "Content-Type: application/json\r\n";
  return `POST ${path} HTTP/1.1\r\n${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const requests = {
  get: () => `GET ${path}/there HTTP/1.1\r\n${head}\r\n`,
  list: () => `GET /api/v1/namespaces/listed/configmaps HTTP/1.1\r\n${head}\r\n`,
  create,
};
const next = requests[kind];

const codes = {};
let withoutRetryAfter = 0;
let broken = 0;
let over = false;
let toOpen = Number(connections);
const sockets = [];

// A few at a time: connections beyond the server's listen backlog would be retried seconds later.
function open() {
  if (toOpen-- <= 0 || over) return;
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  sockets.push(socket);
  socket.on("connect", () => {
    socket.write(next());
    open();
  });
  socket.on("error", () => {});
  // Connections that the server has not accepted are closed by its system, which is no error.
  let hasResponse = false;
  socket.on("close", () => {
    if (!over && hasResponse) broken++;
  });
  let received = Buffer.alloc(0);
  let left = 0;
  socket.on("data", (chunk) => {
    hasResponse = true;
    if (left === 0) {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = received.toString("latin1", 0, end);
      const code = text.slice(9, 12);
      codes[code] = (codes[code] ?? 0) + 1;
      if (code === "429" && !/^retry-after: *[1-9]/im.test(text)) withoutRetryAfter++;
      left = end + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0) - received.length;
      received = Buffer.alloc(0);
    } else left -= chunk.length;
    if (left === 0) socket.write(next());
  });
}
for (let first = 0; first < 100; first++) open();

process.stdin.once("data", () => {
  over = true;
  for (const socket of sockets) socket.destroy();
  console.log(JSON.stringify({ codes, withoutRetryAfter, broken }));
  process.exit(0);
});
process.stdin.once("end", () => process.exit(1));
