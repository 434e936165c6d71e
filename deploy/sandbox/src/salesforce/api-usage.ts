/** Calls in any 24 hours of an Enterprise org with one licence. Source: docs/contributing/providers.md, B7. */
export const DAILY_CALLS = 101_000;

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Calls in the last 24 hours, counted by the hour, as the limit of an org rolls. */
export class ApiUsage {
  private readonly byHour = new Map<number, number>();

  add(now: Date): void {
    const hour = hourOf(now);
    this.byHour.set(hour, (this.byHour.get(hour) ?? 0) + 1);
  }

  used(now: Date): number {
    const oldest = hourOf(now) - HOURS;
    let sum = 0;
    for (const [hour, count] of this.byHour) {
      if (hour <= oldest) this.byHour.delete(hour);
      else sum += count;
    }
    return sum;
  }
}

const hourOf = (moment: Date): number => Math.floor(moment.getTime() / HOUR_MS);
