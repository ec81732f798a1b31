/**
 * The work that a comparison may still do, in steps. A step costs about as much as comparing two words.
 * When it is used up, the rest is compared coarsely: as removed and added. So no text takes long.
 */
export class Effort {
  /** The steps done. They can exceed the limit by the size of the compared texts. */
  spent = 0;

  constructor(readonly limit = 4_000_000) {}

  get left() {
    return Math.max(0, this.limit - this.spent);
  }

  spend(steps: number) {
    this.spent += steps;
  }
}
