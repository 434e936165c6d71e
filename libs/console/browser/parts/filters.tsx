import { goTo, hrefOf } from '../place';

/** The filters of the operations list; each change leads to the first page of another list. */
export function Filters({ query }: { readonly query: URLSearchParams }) {
  const valueOf = (name: string): string => query.get(name) ?? '';
  const apply = (form: HTMLFormElement): void => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    const { since = '', ...rest } = given;
    goTo(hrefOf('operations', { ...rest, ...(since === '' ? {} : { since: new Date(since).toISOString() }) }));
  };
  const onChange = (event: { readonly currentTarget: HTMLFormElement }): void => apply(event.currentTarget);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(event.currentTarget as HTMLFormElement);
  };
  return (
    <form class="filters" onChange={onChange} onSubmit={onSubmit} role="search" key={query.toString()}>
      <label>
        Status
        <select name="status" defaultValue={valueOf('status')} value={valueOf('status')}>
          <option value="">any</option>
          <option value="in_progress">in progress</option>
          <option value="success">success</option>
          <option value="failure">failure</option>
        </select>
      </label>
      <label>
        Group
        <input name="groupRef" defaultValue={valueOf('groupRef')} placeholder="groupRef" spellcheck={false} />
      </label>
      <label>
        Object
        <input name="objectName" defaultValue={valueOf('objectName')} placeholder="contacts" spellcheck={false} />
      </label>
      <label>
        Accepted since
        <input name="since" type="datetime-local" defaultValue={localOf(valueOf('since'))} />
      </label>
      {query.size === 0 ? null : <a href={hrefOf('operations')}>Clear</a>}
    </form>
  );
}

/** A moment as `datetime-local` wants it. */
function localOf(moment: string): string {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
