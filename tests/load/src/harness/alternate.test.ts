import { alternate, shortFigure } from './alternate';

it('takes turns, each odd round backwards, and gives the median of each side', async () => {
  const order: string[] = [];
  const side = (name: string, figures: number[]) => ({
    name,
    measure: (round: number) => {
      order.push(`${name}${round}`);
      return Promise.resolve(figures[round] ?? NaN);
    },
  });
  const said: string[] = [];
  const [a, b] = await alternate([side('a', [1, 9, 2]), side('b', [10, 30, 20])], 3, (line) => said.push(line));
  expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
  expect(a).toEqual({ figures: [1, 9, 2], median: 2 });
  expect(b).toEqual({ figures: [10, 30, 20], median: 20 });
  expect(said[3]).toBe('round 2: a 9');
});

it.each([
  [0.01234, '0.0123'],
  [1, '1'],
  [12.345, '12.3'],
  [99.96, '100'],
  [1234.5, '1,235'],
  [-3.456, '-3.46'],
  [NaN, 'NaN'],
])('shows %d as %s', (value, text) => {
  expect(shortFigure(value)).toBe(text);
});
