/** What a row says of a time that is past the matrix's number. */
export function slower(times: Readonly<Record<string, number>>, targetMs: number): string[] {
  const late = Object.entries(times).filter(([, tookMs]) => tookMs > targetMs);
  return late.map(([name, tookMs]) => `${name}: ${tookMs}, wanted ${targetMs}`);
}
