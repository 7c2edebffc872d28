// A well-behaved user in a process of its own, so that nothing but the server delays it: `probe-process.mjs URL TOKEN`. It sends
// a small GET on one connection and a `/livez` on a new one every ten milliseconds, until the parent sends a line; then it prints the
// latencies of both as one line of JSON.
import { Agent, request } from "node:http";

const [url, token] = process.argv.slice(2);
const interval = 10;
let over = false;

async function probe(path, keepAlive) {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const latencies = [];
  const failures = {};
  while (!over) {
    const begin = performance.now();
    const outcome = await ask(agent, path).catch((error) => error.code);
    if (outcome === 200) latencies.push(performance.now() - begin);
    else failures[outcome] = (failures[outcome] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
  agent.destroy();
  return { latencies, failures };
}

function ask(agent, path) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(new URL(path, url), { agent, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    })
      .once("error", reject)
      .end();
  });
}

process.stdin.once("data", () => (over = true));
process.stdin.once("end", () => over || process.exit(1));
console.log("ready");
const [get, livez] = await Promise.all([probe("/api/v1/namespaces/default", true), probe("/livez", false)]);
console.log(JSON.stringify({ get, livez }));
