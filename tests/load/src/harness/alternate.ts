import { median } from './statistics';

export interface Side {
  readonly name: string;
  /** One round. @returns its figure */
  measure(round: number): Promise<number>;
}

export interface Rounds {
  readonly figures: readonly number[];
  readonly median: number;
}

/**
 * Measures the sides in turns: A, B, A, B, … so that what the machine does besides meets all of them alike. Odd rounds go backwards.
 * @param say told of each round
 */
export async function alternate(
  sides: readonly Side[],
  rounds: number,
  say: (line: string) => void,
): Promise<Rounds[]> {
  const figures = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...sides.keys()];
    if (round % 2 === 1) order.reverse();
    for (const index of order) {
      const figure = (await sides[index]?.measure(round)) ?? NaN;
      figures[index]?.push(figure);
      say(`round ${round + 1}: ${sides[index]?.name} ${shortFigure(figure)}`);
    }
  }
  return figures.map((one) => ({ figures: one, median: median(one) }));
}

/** Three significant digits, whole from a hundred on. */
export function shortFigure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}
