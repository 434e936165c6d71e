import type { Overview } from '@sluice/types';
import { useState } from 'preact/hooks';
import { hrefOf } from '../use-route';
import { Field, type FieldIssue } from './field';
import { localOf } from './filters';

interface ZoomOptions {
  readonly overview: Overview;
  /** Of the address; absent: the charts show the whole span. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** The span has no step of that time. */
  readonly isOutside: boolean;
  readonly onZoom: (since: Date, until: Date) => void;
}

/** The time that the charts show, typed instead of dragged, and the operations of it. */
export function ZoomForm({ overview, since, until, isOutside, onZoom }: ZoomOptions) {
  const { span, startTime, endTime } = overview;
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const isZoomed = since !== undefined || until !== undefined;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const [from, to] = [new Date(given.get('since') as string), new Date(given.get('until') as string)];
    const wrong = issuesOf(from, to);
    setIssues(wrong);
    if (wrong.length === 0) onZoom(from, to);
  };
  return (
    <form class="zoom" key={`${since} ${until}`} aria-label="Time that the charts show" onSubmit={onSubmit} noValidate>
      <Field
        name="since"
        title="Charts from"
        issues={issues}
        type="datetime-local"
        value={localOf(since ?? startTime)}
      />
      <Field
        name="until"
        title="Charts until"
        issues={issues}
        type="datetime-local"
        value={localOf(until ?? endTime)}
      />
      <button type="submit">Zoom</button>
      {isZoomed ? (
        <>
          <a href={hrefOf('operations', { since, until })}>Operations of this time</a>
          <a href={hrefOf('overview', { span })}>Whole {span}</a>
        </>
      ) : (
        <span class="fine">or drag across a chart</span>
      )}
      {isZoomed && isOutside ? (
        <span class="fine" role="status">
          This time is not in the last {span}: the charts show all of it.
        </span>
      ) : null}
    </form>
  );
}

function issuesOf(from: Date, to: Date): FieldIssue[] {
  const remedy = 'Complete it, or delete what is there.';
  for (const [name, moment] of [
    ['since', from],
    ['until', to],
  ] as const)
    if (Number.isNaN(moment.getTime())) return [{ name, detail: 'must be a whole day and time', remedy }];
  if (to > from) return [];
  return [{ name: 'until', detail: 'must be later than their beginning', remedy: 'Change one of the two.' }];
}
