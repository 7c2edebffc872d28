import { createServer } from "node:http";
import { expect, test } from "vitest";
import { chromium, describeWith } from "./index.js";

const page = "<p>before</p><script>document.querySelector('p').textContent = `${6 * 7}`</script>";

describeWith("chromium", chromium, (get) => {
  test("responds over the DevTools protocol", async () => {
    const response = await fetch(`${get().url}/json/version`);
    expect(await response.json()).toMatchObject({ Browser: expect.stringMatching(/Chrom/) });
  });

  test("runs the scripts of a page", async () => {
    expect(await chromium.dom(`data:text/html,${encodeURIComponent(page)}`)).toContain("<p>42</p>");
  });

  test("can load a page of a server on loopback", async () => {
    const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    try {
      expect(await chromium.dom(`http://127.0.0.1:${port}/`)).toContain("<p>42</p>");
    } finally {
      server.close();
    }
  });
});
