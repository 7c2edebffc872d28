/** What a queue bears. */
export interface FairQueueLimits {
  /** How many seats there are. */
  readonly seats: number;
  /** How many requests of one user may wait. */
  readonly waiting: number;
}

/** How many requests begin before the others that have come in meanwhile are looked at. */
const stride = 64;

/** So many users are remembered when they have no request here, which spares remembering them anew for each. */
const known = 100;

/** One user has at most this share of the seats, so that requests which take forever leave room for others. */
const share = 0.75;

interface User {
  readonly name: string;
  /** Seats that are taken. */
  taken: number;
  /** In the order of their arrival. */
  readonly waiting: Set<Place>;
}

/**
 * A request's place: it **waits**, then it is **seated**, and in the end it has **left**. It may leave without having been
 * seated. A place that was refused has left from the beginning.
 */
export class Place {
  readonly width: number;
  readonly user: User;
  state: "waiting" | "seated" | "left" = "left";
  /** Called once when the place is seated after it had to wait. */
  onSeat: (() => void) | undefined;
  readonly #leave: (place: Place) => void;

  constructor(user: User, width: number, leave: (place: Place) => void) {
    this.user = user;
    this.width = width;
    this.#leave = leave;
  }

  /** Gives the seats back, or stops waiting for them. */
  leave(): void {
    this.#leave(this);
  }
}

/**
 * Shares seats between users: everybody's requests wait in a row of their own, and the rows take turns. So a user who asks
 * for one thing waits no longer because another asks for a thousand.
 *
 * Seats alone would not do that where a request is over before the next one is read. Therefore only some begin at a
 * time; then the rest waits for `pause` to call back, which does so after whatever has arrived meanwhile was read.
 *
 * Invariant: a user is in `#hungry` exactly when they have requests that wait.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #mostOfOne: number;
  readonly #pause: (resume: () => void) => void;
  /** Those who have a request here, and some who had one before. */
  readonly #users = new Map<string, User>();
  /** Those whose requests wait; the one whose turn is next comes first. */
  readonly #hungry = new Set<User>();
  #taken = 0;
  #waiting = 0;
  /** How many have begun, since about the time when it was last looked at what has come in. */
  #begun = 0;
  #paused = false;
  readonly #leave = (place: Place): void => this.#remove(place);

  constructor(limits: FairQueueLimits, pause: (resume: () => void) => void) {
    this.#limits = limits;
    this.#mostOfOne = Math.ceil(limits.seats * share);
    this.#pause = pause;
  }

  /** Seats that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * A place for a request of a user that takes as many seats as it is wide. It is seated already where there is room,
   * and has left where too many of the same user wait.
   */
  enter(name: string, width: number): Place {
    const user = this.#users.get(name) ?? this.#welcome(name);
    // What is wider than all there is gets all there is.
    const place = new Place(user, Math.min(width, this.#mostOfOne), this.#leave);
    if (this.#hungry.size === 0 && !this.#paused && this.#hasRoom(place)) {
      this.#seat(place);
      return place;
    }
    const others = user.waiting.size;
    place.state = "waiting";
    user.waiting.add(place);
    this.#waiting++;
    this.#hungry.add(user);
    this.#seatAll();
    // Only who has to wait takes a place in the row.
    if (this.#isWaiting(place) && others >= this.#limits.waiting) this.#remove(place);
    return place;
  }

  #welcome(name: string): User {
    if (this.#users.size >= known) {
      for (const { name: other, taken, waiting } of this.#users.values()) {
        if (taken === 0 && waiting.size === 0) this.#users.delete(other);
      }
    }
    const user: User = { name, taken: 0, waiting: new Set() };
    this.#users.set(name, user);
    return user;
  }

  // The state may have changed since it was set, which the compiler cannot know.
  #isWaiting(place: Place): boolean {
    return place.state === "waiting";
  }

  #hasRoom({ user, width }: Place): boolean {
    return this.#taken + width <= this.#limits.seats && user.taken + width <= this.#mostOfOne;
  }

  #seat(place: Place): void {
    place.state = "seated";
    place.user.taken += place.width;
    this.#taken += place.width;
    this.#begun++;
    // Asked for early: who never has more than half at a time comes to no pause.
    if (this.#begun === stride / 2) this.#pause(() => this.#goOn());
    if (this.#begun === stride) this.#paused = true;
  }

  #goOn(): void {
    this.#begun = 0;
    this.#paused = false;
    this.#seatAll();
  }

  /** Seats those who wait, one of each user in turn. */
  #seatAll(): void {
    for (const user of this.#hungry) {
      if (this.#paused) return;
      const [place] = user.waiting;
      if (place === undefined) continue;
      // Who has their share already is passed over. Others are not, however wide: narrow ones would come before them forever.
      if (user.taken + place.width > this.#mostOfOne) continue;
      if (!this.#hasRoom(place)) return;
      this.#stopWaiting(place);
      // To the end of the row; this loop comes by there again.
      if (user.waiting.size > 0) {
        this.#hungry.delete(user);
        this.#hungry.add(user);
      }
      this.#seat(place);
      place.onSeat?.();
    }
  }

  #stopWaiting(place: Place): void {
    place.user.waiting.delete(place);
    this.#waiting--;
    if (place.user.waiting.size === 0) this.#hungry.delete(place.user);
  }

  #remove(place: Place): void {
    const { state, user, width } = place;
    if (state === "left") return;
    place.state = "left";
    if (state === "waiting") this.#stopWaiting(place);
    else {
      user.taken -= width;
      this.#taken -= width;
    }
    if (state === "seated" && this.#hungry.size > 0) this.#seatAll();
  }
}
