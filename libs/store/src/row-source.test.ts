import { column, rowBindings } from './row-source';

interface Row {
  readonly text?: string;
  readonly count?: number;
}

const columns = [
  column<Row>('text', 'text', (row) => row.text),
  column<Row>('count', 'integer', (row) => row.count),
  column<Row>('plan', 'json', (row) => row.text),
];

// Each text must arrive as it is: a caller's names and references are in them. Source: PostgreSQL 18, array input syntax.
it('writes arrays as Postgres reads them', () => {
  const texts = ['plain', 'a "quoted" one', 'back\\slash', '', 'NULL', '{1,2}', 'a,b', ' Zoë\n'];
  const [asText, asCount, asJson] = rowBindings(columns, [...texts.map((text, count) => ({ text, count })), {}]);
  expect(asText).toBe('{"plain","a \\"quoted\\" one","back\\\\slash","","NULL","{1,2}","a,b"," Zoë\n",NULL}');
  expect(asCount).toBe('{0,1,2,3,4,5,6,7,NULL}');
  expect(asJson).toBe([...texts, ''].join('\x1f'));
});

it('writes no rows as empty arrays', () => {
  expect(rowBindings(columns, [])).toEqual(['{}', '{}', '']);
});
