import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { testPlugin } from "fettle/testing";
import { expect, onTestFinished, test } from "vitest";
import customHealthChecker from "./custom-health-checker.js";
import slackNotifier from "./slack-notifier.js";

interface Post {
  readonly channel: string;
  readonly text: string;
}

/** A server that answers with a status, which may depend on the body. */
async function serve(
  statusOf: (body: string) => number,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => response.writeHead(statusOf(body)).end("ok"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health` };
}

test("the health checker emits the result of a check", async () => {
  let status = 200;
  const { url, server } = await serve(() => status);
  await using plugin = await testPlugin(customHealthChecker, { config: { endpoint: url, timeout: "5s" } });
  const check = async (): Promise<unknown> => {
    const { emitted } = await plugin.deliver({ type: "health_check.requested", data: { target: "api" } });
    return emitted[0];
  };
  expect(await check()).toMatchObject({
    type: "health_check.completed",
    source: "/plugins/custom-health-checker",
    hops: 1,
    data: { target: "api", result: { status: "healthy", message: "status 200" } },
  });
  status = 503;
  expect(await check()).toMatchObject({ data: { result: { status: "unhealthy", message: "status 503" } } });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await check()).toMatchObject({
    data: {
      result: { status: "unhealthy", message: expect.stringContaining("could not be reached") as string },
    },
  });
});

test("the health checker ignores other events", async () => {
  await using plugin = await testPlugin(customHealthChecker, { config: { endpoint: "http://127.0.0.1:1" } });
  expect(await plugin.deliver({ type: "config.updated", data: { configuration: {} } })).toMatchObject({
    emitted: [],
    dead: [],
  });
});

test("the notifier posts alerts to every channel, and tries again only where that failed", async () => {
  const posts: Post[] = [];
  let failures = 1;
  const { url } = await serve((body) => {
    const post = JSON.parse(body) as Post;
    if (post.channel === "#ops" && failures-- > 0) return 500;
    posts.push(post);
    return 200;
  });
  const channels = ["#nrdot-alerts", "#ops"];
  await using plugin = await testPlugin(slackNotifier, { config: { webhook_url: url, channels } });
  const alert = {
    key: "backend.health/b1",
    severity: "critical",
    title: "Backend b1 is unhealthy",
    message: "<no answer>",
    since: "2026-01-01T00:00:00Z",
  };
  const raised = await plugin.deliver({ type: "alert.raised", data: alert });
  expect(raised.dead).toEqual([]);
  await plugin.deliver({ type: "alert.resolved", data: { ...alert, count: 3 } });
  expect(posts.map(({ channel, text }) => `${channel} ${text}`)).toEqual([
    "#nrdot-alerts :red_circle: *Backend b1 is unhealthy*\n&lt;no answer&gt;",
    "#ops :red_circle: *Backend b1 is unhealthy*\n&lt;no answer&gt;",
    "#nrdot-alerts :white_check_mark: Resolved: Backend b1 is unhealthy",
    "#ops :white_check_mark: Resolved: Backend b1 is unhealthy",
  ]);
  expect(await plugin.health()).toContain("handled 2 events");
});

test("a mistake in a configuration names the plugin and the field", async () => {
  await expect(
    testPlugin(slackNotifier, { config: { webhook_url: "hunter2", channels: ["ops"] } }),
  ).rejects.toThrow(
    /^plugin slack-notifier has an invalid configuration: config\.webhook_url: .*; config\.channels\.0: /,
  );
});
