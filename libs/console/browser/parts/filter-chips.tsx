import { shortId } from '../format';
import { hrefOf } from '../use-route';

/** Filters that come with a link, as the service names them, and in words. Those that have a field of their own are shown there. */
const titles = {
  groupRef: 'Customer',
  installationId: 'Installation',
  groupRefPrefix: 'Customers that begin with',
  open: 'Records',
  problemField: 'Field',
  problemCode: 'Problem',
  problemText: 'Problem',
  recordRef: 'Record ref',
  recordId: 'Record id',
} as const;

/** Of `open`. */
const openWords: Readonly<Record<string, string>> = {
  waiting: 'waiting to be sent, or being sent',
  filling: 'in auto-batches that take more',
  held: 'held by refused credentials or a block',
};

/** What a list is narrowed to, each with a link that leaves only this out. */
export function FilterChips({ query }: { readonly query: URLSearchParams }) {
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  const chosen = Object.entries(titles).flatMap(([name, title]) => {
    const value = filters[name];
    return value === undefined ? [] : [{ name, title, value }];
  });
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {chosen.map(({ name, title, value }) => (
        <li key={name}>
          <span title={value}>
            {title} <b>{wordsOf(name, value)}</b>
          </span>
          <a
            href={hrefOf('operations', { ...filters, [name]: undefined })}
            aria-label={`Without the filter ${title}`}
            title="Remove this filter"
          >
            ×
          </a>
        </li>
      ))}
    </ul>
  );
}

function wordsOf(name: string, value: string): string {
  if (name === 'installationId') return shortId(value);
  return name === 'open' ? (openWords[value] ?? value) : value;
}
