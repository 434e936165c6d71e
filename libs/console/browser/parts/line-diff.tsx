import { diffLines, pluralize, type LineChange } from '@sluice/types';

/** Equal lines that are shown around what differs. */
const contextLines = 3;
const marks = { same: ' ', added: '+', removed: '−' } as const;

interface LineDiffOptions {
  readonly before: string;
  readonly after: string;
  /** What is compared, for who hears the page. */
  readonly label: string;
}

/** What turns one text into the other, line by line; long runs of equal lines are only counted. */
export function LineDiff({ before, after, label }: LineDiffOptions) {
  const changes = diffLines(before, after);
  const isNear = (at: number): boolean =>
    changes.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ kind }) => kind !== 'same');
  const runs: { readonly line?: LineChange; hidden: number }[] = [];
  for (const [at, line] of changes.entries()) {
    const last = runs.at(-1);
    if (isNear(at)) runs.push({ line, hidden: 0 });
    else if (last !== undefined && last.hidden > 0) last.hidden += 1;
    else runs.push({ hidden: 1 });
  }
  return (
    <pre class="line-diff" tabIndex={0} role="group" aria-label={label}>
      {runs.map(({ line, hidden }, at) =>
        line === undefined ? (
          <div key={at} class="hidden-lines">
            {pluralize(hidden, 'equal line')}
          </div>
        ) : (
          <div key={at} class={line.kind}>
            <span aria-hidden="true">{marks[line.kind]}</span>
            {line.kind === 'same' ? null : <span class="hidden">{line.kind}: </span>}
            {line.text}
          </div>
        ),
      )}
    </pre>
  );
}
