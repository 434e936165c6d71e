import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { goTo, hrefOf } from '../use-route';
import { Field, type FieldIssue } from './field';

/** What the service may refuse and a field of the form shows. */
export const fieldNames: ReadonlySet<string> = new Set([
  'groupRefPrefix',
  'objectName',
  'since',
  'until',
  'recordRef',
  'recordId',
]);

interface FiltersOptions {
  readonly query: URLSearchParams;
  /** What the service refused of this query. */
  readonly issues: readonly FieldIssue[];
}

/** Days that are searched for a record, unless others are named. */
const recordDays = 7;
/** What the service takes. */
const recordDaysMax = 31;
const dayMs = 86_400_000;

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
      const given = givenOf(query, field.name);
      if (field.type === 'checkbox') field.checked = given === 'true';
      else field.value = given;
    }
  }, [query.toString()]);
  const onInput = ({ target }: Event): void => void (typed.current = target);
  const apply = (form: HTMLFormElement): void => {
    typed.current = null;
    const given = Object.fromEntries(
      fieldsOf(form).map((field) => [
        field.name,
        field.type === 'checkbox' ? String(field.checked || '') : field.value.trim(),
      ]),
    );
    const wrong = issuesOf(form, given);
    setFound(wrong);
    if (wrong.length > 0) return;
    goTo(hrefOf('operations', { ...keptOf(query), ...queryOf(given) }));
  };
  const onChange = (event: { readonly currentTarget: HTMLFormElement }): void => apply(event.currentTarget);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(event.currentTarget as HTMLFormElement);
  };
  return (
    <form
      class="filters"
      onInput={onInput}
      onChange={onChange}
      onSubmit={onSubmit}
      role="search"
      ref={shown}
      noValidate
    >
      <label>
        Status
        <select name="status">
          <option value="">any</option>
          <option value="in_progress">in progress</option>
          <option value="success">success</option>
          <option value="failure">failure</option>
        </select>
      </label>
      <Field name="groupRefPrefix" title="Group begins with" issues={issues} placeholder="groupRef" />
      <Field name="objectName" title="Object" issues={issues} placeholder="contacts" />
      <Field name="since" title="Accepted since" issues={issues} type="datetime-local" />
      <Field name="until" title="Accepted before" issues={issues} type="datetime-local" />
      <label class="check">
        <input name="hasFailures" type="checkbox" />
        Has failures
      </label>
      {query.has('installationId') ? <RecordFilters issues={issues} /> : null}
      {query.size === 0 ? null : <a href={hrefOf('operations')}>Clear</a>}
    </form>
  );
}

/** A record is searched for inside one installation. */
function RecordFilters({ issues }: { readonly issues: readonly FieldIssue[] }) {
  return (
    <>
      <label>
        Record by
        <select name="recordBy">
          <option value="recordRef">its reference</option>
          <option value="recordId">its id at the provider</option>
        </select>
      </label>
      <Field name="record" title="Record" issues={renamed(issues)} placeholder="in these days" />
    </>
  );
}

/** Both names of a record stand in one field. */
const renamed = (issues: readonly FieldIssue[]): FieldIssue[] =>
  issues.map((issue) =>
    issue.name === 'recordRef' || issue.name === 'recordId' ? { ...issue, name: 'record' } : issue,
  );

function fieldsOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('[name]') ?? [])];
}

function givenOf(query: URLSearchParams, name: string): string {
  if (name === 'record') return query.get('recordRef') ?? query.get('recordId') ?? '';
  if (name === 'recordBy') return query.has('recordId') ? 'recordId' : 'recordRef';
  const given = query.get(name) ?? '';
  return name === 'since' || name === 'until' ? localOf(given) : given;
}

/** Filters that are no field: they come with a link, and go with Clear. */
function keptOf(query: URLSearchParams): Record<string, string | undefined> {
  return { groupRef: query.get('groupRef') ?? undefined, installationId: query.get('installationId') ?? undefined };
}

/** As the service names it. A record is searched for in the last days, unless others are named. */
function queryOf({ since = '', until = '', record = '', recordBy = '', ...rest }: Record<string, string>) {
  const from = since === '' && record !== '' ? Date.now() - recordDays * dayMs : Date.parse(since);
  return {
    ...rest,
    ...(Number.isNaN(from) ? {} : { since: new Date(from).toISOString() }),
    ...(until === '' ? {} : { until: new Date(until).toISOString() }),
    ...(record === '' ? {} : { [recordBy]: record }),
  };
}

function issuesOf(
  form: HTMLFormElement,
  { since = '', until = '', record = '' }: Record<string, string>,
): FieldIssue[] {
  const halfTyped = fieldsOf(form).find((field) => field.validity.badInput);
  if (halfTyped !== undefined) {
    const remedy = 'Complete it, or delete what is there.';
    return [{ name: halfTyped.name, detail: 'must be a whole day and time', remedy }];
  }
  const [from, to] = [Date.parse(since), until === '' ? Date.now() : Date.parse(until)];
  if (until !== '' && to <= from) {
    return [
      {
        name: 'until',
        detail: 'must be later than the moment since which',
        value: until,
        remedy: 'Change one of both.',
      },
    ];
  }
  if (record !== '' && to - from > recordDaysMax * dayMs) {
    const detail = `must be at most ${recordDaysMax} days before the end`;
    return [{ name: 'since', detail, value: since, remedy: 'Search month by month.' }];
  }
  return [];
}

/** A moment as `datetime-local` wants it. */
function localOf(moment: string): string {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
