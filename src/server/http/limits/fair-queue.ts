/** Limits of a {@link FairQueue}. */
export interface FairQueueLimits {
  /** Concurrent requests, weighted by cost. */
  readonly concurrency: number;
  /** Queued requests per user; beyond it, requests are rejected. */
  readonly queuedPerUser: number;
}

/** Requests that start before the queue yields, so that requests already received are read and queued too. */
const startsPerTurn = 64;

/** Users without requests that are kept, which saves creating their entries again for each request. */
const maxIdleUsers = 100;

/** Share of the concurrency that one user can have, so that slow requests of one leave room for others. */
const maxShare = 0.75;

interface User {
  readonly name: string;
  /** Total cost of the running requests. */
  running: number;
  /** Queued requests, oldest first. */
  readonly queued: Set<QueuedRequest>;
}

/**
 * A request in a {@link FairQueue}: **queued**, then **running**, then **done**. A queued request that is released is done without
 * having run. A rejected request is done from the beginning.
 */
export class QueuedRequest {
  readonly cost: number;
  readonly user: User;
  state: "queued" | "running" | "done" = "done";
  /** Called once when the request starts after it was queued. */
  onStart: (() => void) | undefined;
  readonly #release: (request: QueuedRequest) => void;

  constructor(user: User, cost: number, release: (request: QueuedRequest) => void) {
    this.user = user;
    this.cost = cost;
    this.#release = release;
  }

  /** Ends the request, or removes it from the queue. Further calls have no effect. */
  release(): void {
    this.#release(this);
  }
}

/**
 * Shares concurrency between users: each user has a queue, and the queues take turns (round robin). One request of a user does not
 * wait for the thousand requests of another.
 *
 * A concurrency limit alone does not achieve that where a request ends before the next one is read. Therefore the queue yields after
 * {@link startsPerTurn} starts: the others stay queued until `yieldTurn` calls back, after all data received so far was read.
 *
 * Invariant: a user is in `#waitingUsers` exactly when they have queued requests.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #maxPerUser: number;
  readonly #yieldTurn: (resume: () => void) => void;
  /** Users with requests, and up to {@link maxIdleUsers} without. */
  readonly #users = new Map<string, User>();
  /** Users with queued requests, next in turn first. */
  readonly #waitingUsers = new Set<User>();
  #running = 0;
  #queued = 0;
  /** Requests started since the last turn of the event loop. */
  #started = 0;
  #paused = false;
  readonly #release = (request: QueuedRequest): void => this.#remove(request);

  constructor(limits: FairQueueLimits, yieldTurn: (resume: () => void) => void) {
    this.#limits = limits;
    this.#maxPerUser = Math.ceil(limits.concurrency * maxShare);
    this.#yieldTurn = yieldTurn;
  }

  /** Total cost of the running requests. */
  get running(): number {
    return this.#running;
  }

  /** Number of queued requests. */
  get queued(): number {
    return this.#queued;
  }

  /** Adds a request: running if the limits allow it, else queued, or done (rejected) if the user's queue is full. */
  add(userName: string, cost: number): QueuedRequest {
    const user = this.#users.get(userName) ?? this.#addUser(userName);
    // A request that costs more than one user can have would never start.
    const request = new QueuedRequest(user, Math.min(cost, this.#maxPerUser), this.#release);
    if (this.#waitingUsers.size === 0 && !this.#paused && this.#canStart(request)) {
      this.#start(request);
      return request;
    }
    const queuedBefore = user.queued.size;
    request.state = "queued";
    user.queued.add(request);
    this.#queued++;
    this.#waitingUsers.add(user);
    this.#startQueued();
    // A request that starts at once does not count as queued.
    if (this.#isQueued(request) && queuedBefore >= this.#limits.queuedPerUser) this.#remove(request);
    return request;
  }

  /** Adds a user; evicts idle users first. */
  #addUser(name: string): User {
    if (this.#users.size >= maxIdleUsers) {
      for (const { name: other, running, queued } of this.#users.values()) {
        if (running === 0 && queued.size === 0) this.#users.delete(other);
      }
    }
    const user: User = { name, running: 0, queued: new Set() };
    this.#users.set(name, user);
    return user;
  }

  // A function, because the compiler narrows the state to the value last assigned.
  #isQueued(request: QueuedRequest): boolean {
    return request.state === "queued";
  }

  #canStart({ user, cost }: QueuedRequest): boolean {
    return this.#running + cost <= this.#limits.concurrency && user.running + cost <= this.#maxPerUser;
  }

  #start(request: QueuedRequest): void {
    request.state = "running";
    request.user.running += request.cost;
    this.#running += request.cost;
    this.#started++;
    // Requested at half the number: a load that never starts more than that per turn is never paused.
    if (this.#started === startsPerTurn / 2) this.#yieldTurn(() => this.#resume());
    if (this.#started === startsPerTurn) this.#paused = true;
  }

  #resume(): void {
    this.#started = 0;
    this.#paused = false;
    this.#startQueued();
  }

  /** Starts queued requests, one of each user in turn. */
  #startQueued(): void {
    for (const user of this.#waitingUsers) {
      if (this.#paused) return;
      const [request] = user.queued;
      if (request === undefined) continue;
      // Users at their share are skipped. A request that is only too expensive for now is not: cheaper ones would starve it.
      if (user.running + request.cost > this.#maxPerUser) continue;
      if (!this.#canStart(request)) return;
      this.#dequeue(request);
      // Move the user to the end; this loop reaches them again.
      if (user.queued.size > 0) {
        this.#waitingUsers.delete(user);
        this.#waitingUsers.add(user);
      }
      this.#start(request);
      request.onStart?.();
    }
  }

  #dequeue(request: QueuedRequest): void {
    request.user.queued.delete(request);
    this.#queued--;
    if (request.user.queued.size === 0) this.#waitingUsers.delete(request.user);
  }

  #remove(request: QueuedRequest): void {
    const { state, user, cost } = request;
    if (state === "done") return;
    request.state = "done";
    if (state === "queued") this.#dequeue(request);
    else {
      user.running -= cost;
      this.#running -= cost;
    }
    if (state === "running" && this.#waitingUsers.size > 0) this.#startQueued();
  }
}
