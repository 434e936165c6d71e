import { describeConfigChanges, pluralize, type ConfigChange } from '@sluice/types';
import { useState } from 'preact/hooks';

/** Changes that are shown before more are asked for. */
const shownMax = 4;

interface ChangesOptions {
  readonly before: object;
  readonly after: object;
  /** What there is to say where nothing differs. */
  readonly none: string;
}

/** What turns one config's content into another, a sentence for each value that differs. */
export function ConfigChanges({ before, after, none }: ChangesOptions) {
  const [isWhole, setWhole] = useState(false);
  const changes = describeConfigChanges(before, after);
  if (changes.length === 0) return <p class="fine">{none}</p>;
  const shown = isWhole || changes.length <= shownMax + 1 ? changes : changes.slice(0, shownMax);
  return (
    <>
      <ul class="config-changes">
        {shown.map((change) => (
          <li key={`${change.subject} ${change.what}`}>
            <Sentence change={change} />
          </li>
        ))}
      </ul>
      {shown.length === changes.length ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show {pluralize(changes.length - shownMax, 'more change')}
        </button>
      )}
    </>
  );
}

function Sentence({ change: { subject, what, before, after } }: { readonly change: ConfigChange }) {
  const named = (
    <>
      <b>{subject}</b> {what}{' '}
    </>
  );
  // Of an object that came or went there is no value to show.
  if (what.endsWith(' settings'))
    return (
      <>
        {named}
        {after === undefined ? 'removed' : 'added'}
      </>
    );
  if (before === undefined)
    return (
      <>
        {named}set to <code>{after}</code>
      </>
    );
  if (after === undefined)
    return (
      <>
        {named}removed, was <code>{before}</code>
      </>
    );
  return (
    <>
      {named}changed from <code>{before}</code> to <code>{after}</code>
    </>
  );
}
