/** Milliseconds of the specification's minutes and hours. Converted here and nowhere else. */
export function minutesToMs(minutes: number): number {
  return minutes * 60_000;
}

/** Milliseconds of the specification's hours. */
export function hoursToMs(hours: number): number {
  return hours * 3_600_000;
}
