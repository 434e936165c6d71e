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

export function roundsOf(figures: readonly number[]): Rounds {
  return { figures, median: median(figures) };
}

/**
 * Measures the sides in turns: A, B, B, A, A, B, … so that what the machine does besides meets all of them alike.
 * @param say gets a line for each round
 */
export async function alternate<const Sides extends readonly Side[]>(
  sides: Sides,
  rounds: number,
  say: (line: string) => void,
): Promise<{ [Index in keyof Sides]: Rounds }> {
  const figures = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...sides.entries()];
    if (round % 2 === 1) order.reverse();
    for (const [index, side] of order) {
      const figure = await side.measure(round);
      figures[index]?.push(figure);
      say(`round ${round + 1}: ${side.name} ${shortFigure(figure)}`);
    }
  }
  return figures.map(roundsOf) as { [Index in keyof Sides]: Rounds };
}

/** Three significant digits, whole from a hundred on. */
export function shortFigure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}
