import type { InstallationHealth } from '@sluice/types';
import { useState } from 'preact/hooks';
import { CustomerName } from '../../parts/customer-name';
import { Problem } from '../../parts/problem';
import { SearchBox } from '../../parts/search-box';
import type { Api } from '../../session';
import { useLoad } from '../../use-load';

export type Customer = Pick<
  InstallationHealth,
  'id' | 'groupRef' | 'groupName' | 'integrationId' | 'integrationName' | 'provider'
>;

/** Others are found by typing more. */
const shownMax = 6;

interface ChoiceOptions {
  readonly api: Api;
  readonly chosen: Customer | undefined;
  readonly onChoose: (customer: Customer | undefined) => void;
}

/** One customer's installation, found as everywhere: by the beginning of the name or of the ref. */
export function CustomerChoice({ api, chosen, onChoose }: ChoiceOptions) {
  const [text, setText] = useState('');
  const { value, error } = useLoad(`customers ${text}`, (signal) =>
    api.listGroupHealth({ pageSize: shownMax, ...(text === '' ? {} : { search: text }) }, { signal }),
  );
  if (chosen !== undefined)
    return (
      <section class="panel chosen-customer">
        <CustomerName groupRef={chosen.groupRef} groupName={chosen.groupName} />
        <span class="fine">
          {chosen.integrationName} ({chosen.provider})
        </span>
        <button type="button" class="small" onClick={() => onChoose(undefined)}>
          Another customer
        </button>
      </section>
    );
  return (
    <section class="panel">
      <h2>For which customer?</h2>
      <SearchBox value={text} label="Customer" placeholder="Name or ref begins with…" onSearch={setText} />
      {error === undefined ? null : <Problem error={error} title="The customers could not be read" />}
      <div role="status">
        {value?.results.length === 0 ? (
          <p class="fine">{text === '' ? 'No customer is connected yet.' : 'No name and no ref begins so.'}</p>
        ) : null}
      </div>
      <ul class="choices">
        {value?.results.flatMap((group) =>
          group.installations.map((customer) => (
            <li key={customer.id}>
              <button type="button" onClick={() => onChoose(customer)}>
                <CustomerName groupRef={customer.groupRef} groupName={customer.groupName} />
                <span class="fine">{customer.integrationName}</span>
              </button>
            </li>
          )),
        )}
        {value?.results
          .filter(({ installations }) => installations.length === 0)
          .map((group) => (
            <li key={group.groupRef} class="fine">
              <CustomerName {...group} /> has nothing installed
            </li>
          ))}
      </ul>
    </section>
  );
}
