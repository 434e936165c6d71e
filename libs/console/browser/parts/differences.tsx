import { diffJson, type JsonPatchOperation } from '@sluice/types';

/** A document with what it is called above its values. */
interface Side {
  readonly title: string;
  readonly content: object;
}

interface Pair {
  readonly from: Side;
  readonly to: Side;
}

const words = { add: 'added', remove: 'removed', replace: 'changed' } as const;
const tones = { add: 'good', remove: 'bad', replace: 'unsure' } as const;

/** What turns one document into the other, a row for each member that differs. */
export function Differences({ from, to }: Pair) {
  const changes = diffJson(from.content, to.content);
  if (changes.length === 0) return <p class="fine">Both have the same content.</p>;
  return (
    <div class="scroll">
      <table class="cards diff">
        <caption class="hidden">
          What turns {from.title} into {to.title}
        </caption>
        <thead>
          <tr>
            <th>Change</th>
            <th>Where</th>
            <th>{from.title}</th>
            <th>{to.title}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <Difference key={change.path} change={change} before={valueAt(from.content, change.path)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Difference({ change, before }: { readonly change: JsonPatchOperation; readonly before: unknown }) {
  const { op, path } = change;
  return (
    <tr>
      <td data-label="Change">
        <span class={`badge ${tones[op]}`}>{words[op]}</span>
      </td>
      <td data-label="Where" class="answer">
        {membersOf(path).join(' › ')}
      </td>
      <td data-label="Before" class="answer">
        {op === 'add' ? null : <code>{JSON.stringify(before)}</code>}
      </td>
      <td data-label="After" class="answer">
        {op === 'remove' ? null : <code>{JSON.stringify(change.value)}</code>}
      </td>
    </tr>
  );
}

/** Source: RFC 6901. */
const membersOf = (path: string): string[] =>
  path
    .slice(1)
    .split('/')
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Absent where there is nothing yet. */
function valueAt(content: object, path: string): unknown {
  return membersOf(path).reduce<unknown>(
    (at, member) => (at as Record<string, unknown> | undefined)?.[member],
    content,
  );
}
