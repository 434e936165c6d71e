/** The time of day in UTC, to the millisecond; with the date where that is not the one of `near`, which the reader has before them. */
export function clockTime(moment: string, near: string | undefined): string {
  return moment.slice(0, 10) === near?.slice(0, 10) ? moment.slice(11, 23) : moment.slice(0, 23).replace('T', ' ');
}

/** Made at the first use: it would take 15 ms of every start. */
let figures: Intl.NumberFormat | undefined;

/** An amount as people read it: `100,000`. Not for what is only named by a number, such as the index of a record. */
export function grouped(amount: number): string {
  figures ??= new Intl.NumberFormat('en');
  return figures.format(amount);
}

/** `1 record`, `2 records`. */
export function pluralize(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
