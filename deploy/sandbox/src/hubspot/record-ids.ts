/** Ids of new contacts in HubSpot today have twelve digits and begin about here. */
const FIRST_ID = 171_590_000_000;

/** Largest gap between two ids. Ids of one account are not consecutive, so that no test may rely on it. */
const LARGEST_STEP = 997;

/**
 * Gives record ids: decimal strings, growing, with uneven gaps. The same calls give the same ids on every run.
 */
export class RecordIds {
  private last = FIRST_ID;
  private state = 1;

  next(): string {
    // A full-period congruential generator (Numerical Recipes constants): spread is enough here, quality is not.
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    this.last += 1 + (this.state % LARGEST_STEP);
    return String(this.last);
  }

  /** Makes sure that `id` is never given again. Needed after records were loaded from a journal. */
  skipPast(id: string): void {
    this.last = Math.max(this.last, Number(id));
  }
}
