/** Thrown when an expression exceeds its cost limit. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/**
 * Counts cost and work of an expression. Cost is computed like in Kubernetes, which charges one unit for some
 * slow operations, such as counting the characters of a long string or comparing deep objects. Work counts
 * their real effort, so that no rule can block the server.
 */
export class Meter {
  cost = 0;
  #work: number;

  constructor(
    private readonly costLimit: number,
    private readonly workLimit: number,
  ) {
    this.#work = 0;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.costLimit) throw new CostExceeded();
  }

  /** Compensates for a charge that follows. */
  refund(cost: number): void {
    this.cost -= cost;
  }

  get workDone(): number {
    return this.#work;
  }

  /** Adds work; one unit is about one visited value. */
  work(units: number): void {
    this.#work += units;
    if (this.#work > this.workLimit) throw new CostExceeded();
  }
}
