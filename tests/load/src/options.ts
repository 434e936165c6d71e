import { parseArgs } from 'node:util';

/** What the command line of the benchmark says. */
export interface BenchOptions {
  /** Rows to run, in the order of the goals. Absent: all. */
  readonly rows?: readonly string[];
  readonly isQuick: boolean;
}

const usage = `npm run bench [-- options]
  --row P1,P6   only these rows; the others keep their figures in BENCHMARKS.md; may be repeated
  --quick       one short round of each, to see that it runs; writes nothing
`;

/**
 * @param known ids of rows
 * @throws Error with the usage, when an argument or a row is not known
 */
export function readOptions(args: string[], known: readonly string[]): BenchOptions {
  const { values } = parse(args);
  const rows = values.row?.flatMap((text) => text.toUpperCase().split(','));
  const unknown = rows?.filter((id) => !known.includes(id)) ?? [];
  if (unknown.length > 0)
    throw new Error(`There is no row "${unknown.join(', ')}". Rows: ${known.join(', ')}\n${usage}`);
  return { isQuick: values.quick === true, ...(rows !== undefined && { rows }) };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { row: { type: 'string', multiple: true }, quick: { type: 'boolean' } } });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`, { cause: error });
  }
}
