import { expect, test } from "vitest";
import { describeWith, postgres } from "./index.js";

describeWith("postgres", postgres, (get) => {
  test("answers select 1", async () => {
    expect(await get().psql("select 1, 'one'")).toBe("1|one");
  });

  test("listens at url", () => {
    expect(get().url).toBe(`postgres://postgres@127.0.0.1:${get().ports.client}/postgres`);
  });

  test("keeps durability on", async () => {
    expect(await get().psql("select current_setting('fsync'), current_setting('synchronous_commit')")).toBe(
      "on|on",
    );
  });

  test("keeps committed data through a crash and a restart", async () => {
    await get().psql("create table colors (name text); insert into colors values ('green')");
    await get().kill();
    await expect(get().psql("select 1")).rejects.toThrow("refused");
    await get().start();
    expect(await get().psql("select name from colors")).toBe("green");
    await get().restart();
    expect(await get().psql("select name from colors")).toBe("green");
  });

  test("responds after a pause to statements sent during it", async () => {
    await get().pause();
    const answer = get().psql("select 1");
    await get().resume();
    expect(await answer).toBe("1");
  });

  test("reports the error of a statement", async () => {
    await expect(get().psql("select nonsense")).rejects.toThrow('column "nonsense" does not exist');
  });
});
