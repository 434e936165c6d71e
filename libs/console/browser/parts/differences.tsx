import { diffJson, type JsonPatchOperation } from '@sluice/types';
import { Table, type Column } from './table';

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
  const columns: readonly Column<JsonPatchOperation>[] = [
    {
      title: 'Change',
      width: 'middle',
      phone: 'badge',
      cell: ({ op }) => <span class={`badge ${tones[op]}`}>{words[op]}</span>,
    },
    { title: 'Where', phone: 'name', class: 'answer', cell: ({ path }) => membersOf(path).join(' › ') },
    {
      title: from.title,
      class: 'answer before',
      cell: ({ op, path }) => (op === 'add' ? null : <code>{JSON.stringify(valueAt(from.content, path))}</code>),
    },
    {
      title: to.title,
      class: 'answer after',
      cell: (change) => (change.op === 'remove' ? null : <code>{JSON.stringify(change.value)}</code>),
    },
  ];
  const caption = `What turns ${from.title} into ${to.title}`;
  return <Table columns={columns} rows={changes} keyOf={({ path }) => path} caption={caption} class="diff" />;
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
