import type { GivenOptions } from '../profiles/connect';

/** One JSON document for scripts, or text for people. */
export function print({ json }: GivenOptions, document: unknown, text: () => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(document, null, 2) : text().trimEnd()}\n`);
}

/** A moment as people read it, in UTC like every moment of the API. */
export function shortTime(moment: string | undefined): string {
  return moment === undefined ? '-' : moment.slice(0, 19).replace('T', ' ');
}

/** The time of day, to the millisecond; with the date where that is not the one of `near`, which the reader has before them. */
export function clockTime(moment: string, near: string | undefined): string {
  return moment.slice(0, 10) === near?.slice(0, 10) ? moment.slice(11, 23) : moment.slice(0, 23).replace('T', ' ');
}

const figures = new Intl.NumberFormat('en');

/** An amount as people read it: `100,000`. Not for what is only named by a number, such as the index of a record. */
export function grouped(amount: number): string {
  return figures.format(amount);
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
