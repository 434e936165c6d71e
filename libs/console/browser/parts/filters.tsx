import { useLayoutEffect, useRef } from 'preact/hooks';
import { goTo, hrefOf } from '../use-route';

/** The filters of the operations list; each change leads to the first page of another list. */
export function Filters({ query }: { readonly query: URLSearchParams }) {
  const shown = useRef<HTMLFormElement>(null);
  const typed = useRef<EventTarget | null>(null);
  // Set when the list changes, not with each render, and before the page is shown: what is being typed stays, and so does the focus.
  useLayoutEffect(() => {
    for (const field of fieldsOf(shown.current)) {
      // A field that was left unchanged is no longer being edited.
      if (field === typed.current && field === document.activeElement) continue;
      const given = query.get(field.name) ?? '';
      field.value = field.name === 'since' ? localOf(given) : given;
    }
  }, [query.toString()]);
  const onInput = ({ target }: Event): void => void (typed.current = target);
  const apply = (form: HTMLFormElement): void => {
    typed.current = null;
    const given = Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value.trim()]));
    const { since = '', ...rest } = given;
    goTo(hrefOf('operations', { ...rest, ...(since === '' ? {} : { since: new Date(since).toISOString() }) }));
  };
  const onChange = (event: { readonly currentTarget: HTMLFormElement }): void => apply(event.currentTarget);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(event.currentTarget as HTMLFormElement);
  };
  return (
    <form class="filters" onInput={onInput} onChange={onChange} onSubmit={onSubmit} role="search" ref={shown}>
      <label>
        Status
        <select name="status">
          <option value="">any</option>
          <option value="in_progress">in progress</option>
          <option value="success">success</option>
          <option value="failure">failure</option>
        </select>
      </label>
      <label>
        Group
        <input name="groupRef" placeholder="groupRef" spellcheck={false} />
      </label>
      <label>
        Object
        <input name="objectName" placeholder="contacts" spellcheck={false} />
      </label>
      <label>
        Accepted since
        <input name="since" type="datetime-local" />
      </label>
      {query.size === 0 ? null : <a href={hrefOf('operations')}>Clear</a>}
    </form>
  );
}

function fieldsOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('[name]') ?? [])];
}

/** A moment as `datetime-local` wants it. */
function localOf(moment: string): string {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
