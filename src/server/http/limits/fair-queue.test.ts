import { expect, test } from "vitest";
import fc from "fast-check";
import { FairQueue, type Place } from "./fair-queue.js";

/** A queue whose pauses end when the test says so, and who was seated in which order. */
function queueOf(seats: number, waiting = 100) {
  let resume: (() => void) | undefined;
  const queue = new FairQueue({ seats, waiting }, (callback) => (resume = callback));
  const seated: string[] = [];
  const enter = (user: string, width = 1): Place => {
    const place = queue.enter(user, width);
    if (place.state === "seated") seated.push(user);
    else place.onSeat = () => seated.push(user);
    return place;
  };
  const goOn = (): boolean => {
    const ending = resume;
    resume = undefined;
    ending?.();
    return ending !== undefined;
  };
  return { queue, seated, enter, goOn };
}

test("there is room at first, then one waits", () => {
  const { queue, enter, seated } = queueOf(1);
  const first = enter("a");
  const second = enter("a");
  expect([first.state, second.state]).toEqual(["seated", "waiting"]);
  expect([queue.taken, queue.waiting]).toEqual([1, 1]);
  first.leave();
  expect([first.state, second.state]).toEqual(["left", "seated"]);
  second.leave();
  second.leave();
  expect([queue.taken, queue.waiting]).toEqual([0, 0]);
  expect(seated).toEqual(["a", "a"]);
});

test("users take turns, however many requests each of them has", () => {
  const { enter, seated } = queueOf(1);
  const places = ["a", "a", "a", "a", "b", "c", "b"].map((user) => enter(user));
  while (seated.length < places.length) places.find(({ state }) => state === "seated")?.leave();
  expect(seated.join("")).toBe("aabcaba");
});

test("too many of one user are turned away, and only theirs", () => {
  const { queue, enter } = queueOf(1, 2);
  const states = ["a", "a", "a", "a", "b"].map((user) => enter(user).state);
  expect(states).toEqual(["seated", "waiting", "waiting", "left", "waiting"]);
  expect(queue.waiting).toBe(3);
});

test("one user cannot have all seats", () => {
  const { enter } = queueOf(8);
  const mine = Array.from({ length: 8 }, () => enter("a"));
  expect(mine.filter(({ state }) => state === "seated")).toHaveLength(6);
  // Those who wait for a seat of their own share are in nobody's way.
  expect(enter("b").state).toBe("seated");
});

test("who leaves while they wait are passed over", () => {
  const { enter, seated, queue } = queueOf(1);
  const [first, second] = [enter("a"), enter("b")];
  enter("c");
  second.leave();
  first.leave();
  expect(seated).toEqual(["a", "c"]);
  expect(queue.waiting).toBe(0);
});

test("wide requests take as many seats, and narrow ones do not come before them forever", () => {
  const { enter, queue } = queueOf(4);
  const [one, two] = [enter("a"), enter("a")];
  const wide = enter("b", 3);
  const late = enter("c");
  expect([wide.state, late.state]).toEqual(["waiting", "waiting"]);
  one.leave();
  expect([wide.state, late.state]).toEqual(["seated", "waiting"]);
  expect(queue.taken).toBe(4);
  two.leave();
  expect(late.state).toBe("seated");
});

test("what is wider than all there is gets all there is", () => {
  const { enter } = queueOf(2);
  expect(enter("a", 25).state).toBe("seated");
});

test("after many have begun the others wait until what has arrived is read, even where there is room", () => {
  const { enter, seated, goOn } = queueOf(1000);
  // Over before the next begins, as cheap requests are.
  for (let index = 0; index < 100; index++) {
    const place = enter("a");
    if (place.state === "seated") place.leave();
  }
  expect(seated).toHaveLength(64);
  enter("b");
  goOn();
  // Behind one of the others, not behind all of them.
  expect(seated.indexOf("b")).toBe(65);
  while (goOn());
  expect(seated).toHaveLength(101);
});

test("whatever happens, seats and rows are within their limits, and everybody gets their turn", () => {
  const step = fc.oneof(
    fc.record({ user: fc.constantFrom("a", "b", "c"), width: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ leave: fc.nat() }),
    fc.constant("go on" as const),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(4), fc.array(step), (seats, waiting, steps) => {
      const { queue, enter, goOn } = queueOf(seats, waiting);
      const places: Place[] = [];
      const of = (state: Place["state"], user?: string): Place[] =>
        places.filter((place) => place.state === state && (user === undefined || place.user.name === user));
      const check = (): void => {
        const taken = of("seated").reduce((sum, { width }) => sum + width, 0);
        expect(queue.taken).toBe(taken);
        expect(taken).toBeLessThanOrEqual(seats);
        expect(queue.waiting).toBe(of("waiting").length);
        for (const user of ["a", "b", "c"]) expect(of("waiting", user).length).toBeLessThanOrEqual(waiting);
      };
      for (const each of steps) {
        if (each === "go on") goOn();
        else if ("user" in each) places.push(enter(each.user, each.width));
        else {
          const open = places.filter(({ state }) => state !== "left");
          open[each.leave % open.length]?.leave();
        }
        check();
      }
      for (let left = places.length * 2; left > 0 && of("waiting").length > 0; left--) {
        if (!goOn()) of("seated")[0]?.leave();
        check();
      }
      expect(of("waiting")).toEqual([]);
    }),
  );
});
