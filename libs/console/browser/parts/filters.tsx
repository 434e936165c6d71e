import type { OperationCounts } from '@sluice/types';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { atMost } from '../format';
import { goTo, hrefOf } from '../use-route';
import { Field, type FieldIssue } from './field';
import { FoldedFilters } from './folded-filters';
import { SearchBox } from './search-box';

/** What the service may refuse and a field of the form shows. */
export const fieldNames: ReadonlySet<string> = new Set(['search', 'objectName', 'since', 'until']);

const hourMs = 3_600_000;
/** Spans that end now, by their name in the address. */
const spans: Readonly<Record<string, readonly [string, number]>> = {
  hour: ['last hour', hourMs],
  day: ['last day', 24 * hourMs],
  week: ['last week', 7 * 24 * hourMs],
};

/** The filters of the address, as the service names them. */
export function filtersOf(query: URLSearchParams): Record<string, string> {
  const { time = '', ...rest } = Object.fromEntries(query);
  const span = spans[time];
  return span === undefined ? rest : { ...rest, since: new Date(Date.now() - span[1]).toISOString() };
}

/** Filters that a phone hides. */
const folded = ['objectName', 'time', 'since', 'until', 'order'];

interface FiltersOptions {
  readonly query: URLSearchParams;
  /** What the service refused of this query. */
  readonly issues: readonly FieldIssue[];
}

/** The filters of the operations list; each change leads to the first page of another list. */
export function Filters({ query, issues: refused }: FiltersOptions) {
  const shown = useRef<HTMLFormElement>(null);
  const typed = useRef<EventTarget | null>(null);
  const [found, setFound] = useState<readonly FieldIssue[]>([]);
  const issues = found.length > 0 ? found : refused;
  // Set when the list changes, not with each render, and before the page is shown: what is being typed stays, and so does the focus.
  useLayoutEffect(() => {
    setFound([]);
    for (const field of fieldsOf(shown.current)) {
      // A field that was left unchanged is no longer being edited.
      if (field === typed.current && field === document.activeElement) continue;
      field.value = givenOf(query, field.name);
    }
  }, [query.toString()]);
  const apply = (form: HTMLFormElement): void => {
    typed.current = null;
    const given = Object.fromEntries(fieldsOf(form).map((field) => [field.name, field.value.trim()]));
    const wrong = issuesOf(form, given);
    setFound(wrong);
    if (wrong.length > 0) return;
    goTo(hrefOf('operations', { ...Object.fromEntries(query), ...queryOf(given) }));
  };
  const onChange = (event: { readonly currentTarget: HTMLFormElement }): void => apply(event.currentTarget);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(event.currentTarget as HTMLFormElement);
  };
  return (
    <form
      class="filters toolbar"
      onInput={({ target }) => void (typed.current = target)}
      onChange={onChange}
      onSubmit={onSubmit}
      role="search"
      ref={shown}
      noValidate
    >
      <SearchBox
        value={query.get('search') ?? ''}
        placeholder="Customer, record ref or id, operation id"
        label="Search operations"
        issue={issues.find(({ name }) => name === 'search')}
        onSearch={(search) =>
          goTo(hrefOf('operations', { ...Object.fromEntries(query), search, order: undefined, open: undefined }))
        }
      />
      <FoldedFilters count={folded.filter((name) => query.has(name)).length}>
        <Field name="objectName" title="Object" issues={issues} placeholder="contacts" />
        <label>
          Accepted
          <select name="time">
            <option value="">at any time</option>
            {Object.entries(spans).map(([name, [title]]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
            <option value="custom">from … to</option>
          </select>
        </label>
        {timeOf(query) === 'custom' ? (
          <>
            <Field name="since" title="Accepted since" issues={issues} type="datetime-local" />
            <Field name="until" title="Accepted before" issues={issues} type="datetime-local" />
          </>
        ) : null}
        {isSearched(query) ? null : <Order />}
        {query.size === 0 ? null : <a href={hrefOf('operations')}>Clear</a>}
      </FoldedFilters>
    </form>
  );
}

/** No order but the newest first. */
const isSearched = (query: URLSearchParams): boolean =>
  ['search', 'hasFailures', 'open', 'problemCode', 'problemField', 'problemText'].some((name) => query.has(name));

function Order() {
  return (
    <label>
      Order
      <select name="order">
        <option value="">newest first</option>
        <option value="failures-first">failures first</option>
      </select>
    </label>
  );
}

interface StatusOptions {
  readonly query: URLSearchParams;
  /** Absent: they are not known for what is shown. */
  readonly counts: OperationCounts | undefined;
}

const statuses = [
  ['all', {}, undefined],
  ['with failures', { hasFailures: 'true' }, ({ partial, failure }: OperationCounts) => partial + failure],
  ['failed', { status: 'failure' }, ({ failure }: OperationCounts) => failure],
  ['partly written', { status: 'success', hasFailures: 'true' }, ({ partial }: OperationCounts) => partial],
  ['in progress', { status: 'in_progress' }, ({ inProgress }: OperationCounts) => inProgress],
  ['written or partly written', { status: 'success' }, ({ success, partial }: OperationCounts) => success + partial],
] as const;

/** One choice of status, each with how many there are in this time. */
export function StatusTabs({ query, counts }: StatusOptions) {
  const { status, hasFailures, order, ...rest } = Object.fromEntries(query);
  return (
    <nav class="segments" aria-label="Status">
      {statuses.map(([title, filter, countOf]) => {
        const wanted: { readonly status?: string; readonly hasFailures?: string } = filter;
        const isChosen = status === wanted.status && hasFailures === wanted.hasFailures;
        return (
          <a
            key={title}
            href={hrefOf('operations', { ...(wanted.hasFailures === undefined ? { order } : {}), ...rest, ...filter })}
            aria-current={isChosen ? 'true' : undefined}
          >
            {title}
            {counts === undefined || countOf === undefined ? null : (
              <>
                {' '}
                <b class={wanted.hasFailures === 'true' && countOf(counts) > 0 ? 'bad-text' : undefined}>
                  {atMost(countOf(counts), 1_000, counts.isAtLeast)}
                </b>
              </>
            )}
          </a>
        );
      })}
    </nav>
  );
}

function fieldsOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('[name]') ?? [])];
}

function timeOf(query: URLSearchParams): string {
  return query.has('since') || query.has('until') ? 'custom' : (query.get('time') ?? '');
}

function givenOf(query: URLSearchParams, name: string): string {
  if (name === 'time') return timeOf(query);
  const given = query.get(name) ?? '';
  return name === 'since' || name === 'until' ? localOf(given) : given;
}

/** As the address names it. What is undefined leaves it. */
function queryOf({ objectName, order, time = '', since = '', until = '' }: Record<string, string>) {
  const isCustom = time === 'custom';
  return {
    objectName,
    order,
    time: isCustom && since + until !== '' ? undefined : time,
    since: isCustom && since !== '' ? new Date(since).toISOString() : undefined,
    until: isCustom && until !== '' ? new Date(until).toISOString() : undefined,
  };
}

function issuesOf(form: HTMLFormElement, { since = '', until = '' }: Record<string, string>): FieldIssue[] {
  const halfTyped = fieldsOf(form).find((field) => field.validity.badInput);
  if (halfTyped !== undefined) {
    const remedy = 'Complete it, or delete what is there.';
    return [{ name: halfTyped.name, detail: 'must be a whole day and time', remedy }];
  }
  if (until === '' || Date.parse(until) > Date.parse(since) || since === '') return [];
  const detail = 'must be later than its beginning';
  return [{ name: 'until', detail, value: until, remedy: 'Change one of the two.' }];
}

/** A moment as `datetime-local` wants it. */
export function localOf(moment: string): string {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
