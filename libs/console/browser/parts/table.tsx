import type { ComponentChildren } from 'preact';

/** A column: its title stands above it, and on a phone before each of its values. */
export interface Column<Row> {
  /** Empty above what can be done with a row. */
  readonly title: string;
  /** Shown where the pointer rests on the title. */
  readonly meaning?: string;
  /** `wide`, `number`, `answer`, `clip`. */
  readonly class?: string;
  /** Shown where the pointer rests on the value. */
  readonly tip?: (row: Row) => string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableOptions<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** One link or button of each row, with the class `whole-row`, takes the clicks of all of it. */
  readonly isClickable?: boolean;
  /** What stands below an open row. */
  readonly below?: (row: Row) => ComponentChildren;
}

/** A table, and on a phone a card for each row. */
export function Table<Row>({ columns, rows, keyOf, isClickable, below }: TableOptions<Row>) {
  return (
    <div class="scroll">
      <table class="cards">
        <thead>
          <tr>
            {columns.map(({ title, meaning, class: kind }) => (
              <th key={title} class={kind} title={meaning}>
                {title === '' ? <span class="hidden">What can be done</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) => {
            const key = keyOf(row);
            const more = below?.(row) ?? null;
            return [
              <tr key={key} class={isClickable === true ? 'clickable' : undefined}>
                {columns.map(({ title, class: kind, tip, cell }) => (
                  <td key={title} class={kind} data-label={title} title={tip?.(row)}>
                    {cell(row)}
                  </td>
                ))}
              </tr>,
              more === null ? null : (
                <tr key={`${key} below`} class="explained">
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}
