import { pluralize, type OperationRecord } from '@sluice/types';
import { shortId } from '../format';
import { hrefOf } from '../use-route';

/** The operations that write these records again, each with how many it has. Nothing where none was retried. */
export function RetriedAs({ records }: { readonly records: readonly OperationRecord[] }) {
  const retried = records.flatMap(({ replayedBy }) => replayedBy ?? []);
  if (retried.length === 0) return null;
  return (
    <p class="result">
      Retried as{' '}
      {[...Map.groupBy(retried, (id) => id)].map(([id, { length }], at) => (
        <span key={id}>
          {at === 0 ? '' : ' and '}
          <a href={hrefOf(`operations/${id}`)} title={id}>
            {shortId(id)}
          </a>{' '}
          ({pluralize(length, 'record')})
        </span>
      ))}
      .
    </p>
  );
}
