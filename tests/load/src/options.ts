/** What the command line of the benchmark says. */
export interface BenchOptions {
  /** Rows to run, in the order of the goals. Absent: all. */
  readonly rows?: readonly string[];
  readonly isQuick: boolean;
  /** Measures nothing: writes BENCHMARKS.md again, after a run of the fault rows. */
  readonly isRendered: boolean;
}

const usage = `npm run bench [-- options]
  --row P1,P6   only these rows; the others keep their figures in BENCHMARKS.md; may be repeated
  --quick       one short round of each, to see that it runs; writes nothing
  --render      measures nothing: writes BENCHMARKS.md again from the figures that are there
`;

/**
 * @param known ids of rows
 * @throws Error with the usage, when an argument or a row is not known
 */
export function readOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  let rows: string[] | undefined;
  let isQuick = false;
  let isRendered = false;
  for (let index = 0; index < args.length; index += 1) {
    const [name, inline] = (args[index] ?? '').split('=', 2);
    if (name === '--quick' && inline === undefined) isQuick = true;
    else if (name === '--render' && inline === undefined) isRendered = true;
    else if (name === '--row') rows = [...(rows ?? []), ...readRows(inline ?? args[(index += 1)] ?? '', known)];
    else throw new Error(`There is no option "${args[index]}".\n${usage}`);
  }
  return { isQuick, isRendered, ...(rows !== undefined && { rows: [...new Set(rows)] }) };
}

function readRows(text: string, known: readonly string[]): string[] {
  const rows = text.toUpperCase().split(',');
  const unknown = rows.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new Error(`There is no row "${unknown.join(', ')}". Rows: ${known.join(', ')}\n${usage}`);
  return rows;
}
