/** Thrown when a rule has used up what it may cost. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/**
 * Counts what running an expression takes. Cost is reckoned as Kubernetes does it; it charges one unit for some things
 * that take long, such as counting the characters of a long text or comparing deep objects. What these really take
 * is counted as work, so that no rule can stop the server.
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

  /** Takes back what is about to be spent. */
  refund(cost: number): void {
    this.cost -= cost;
  }

  get workDone(): number {
    return this.#work;
  }

  /** One unit is about what it takes to look at one value. */
  work(units: number): void {
    this.#work += units;
    if (this.#work > this.workLimit) throw new CostExceeded();
  }
}
