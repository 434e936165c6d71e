import type { Account } from '../control/account';
import type { ShownRecord } from '../control/imitated-provider';
import { html, type Html } from './html';
import { moment } from './moment';

/** Records of one object, the newest first. */
export function recordsSection({ name, imitated }: Account, object: string, shownMax: number): Html {
  const total = imitated.data.count(object);
  if (total === 0) return html`<h2>${object} <small>in ${name} · none</small></h2>`;
  const records = imitated.data.list(object, shownMax)?.toReversed() ?? [];
  const columns = columnsOf(object, records);
  const note = total > records.length ? `the latest ${records.length} of ${total}` : `${total}`;
  const json = `/_sandbox/records?account=${name}&object=${object}`;
  return html`<h2>
      ${object} <small>in ${name} · ${note} · <a href="${json}">all as JSON</a></small>
    </h2>
    <div class="sheet">
      <table>
        <thead>
          <tr>
            <th>id</th>
            ${columns.map((column) => html`<th>${column}</th>`)}
            <th>linked to</th>
            <th>all fields</th>
            <th>written</th>
          </tr>
        </thead>
        <tbody>
          ${records.map((record) => recordRow(record, columns))}
        </tbody>
      </table>
    </div>`;
}

function recordRow(record: ShownRecord, columns: readonly string[]): Html {
  const values = valuesOf(record);
  const links = (record.associations ?? []).map(
    ({ object, id }) => html`<div>${object} <span class="id">${id}</span></div>`,
  );
  const all = [...values].map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<tr>
    <td class="id">${record.id}</td>
    ${columns.map((name) => html`<td class="value">${values.get(name)}</td>`)}
    <td>${links}</td>
    <td>
      <details>
        <summary>${values.size}</summary>
        <dl>${all}</dl>
      </details>
    </td>
    <td>${moment(record.updatedAt)}</td>
  </tr>`;
}

/** What a person wants to see of a record at first sight, by the object's plain name. */
const mainFields: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname', 'phone', 'company', 'lifecyclestage'],
  companies: ['name', 'domain', 'industry', 'city', 'numberofemployees'],
  deals: ['dealname', 'amount', 'dealstage', 'pipeline', 'closedate'],
  Account: ['Name', 'Industry', 'Website', 'Phone', 'BillingCity'],
  Contact: ['LastName', 'FirstName', 'Email', 'Phone', 'AccountId'],
  Lead: ['LastName', 'FirstName', 'Company', 'Email', 'Status'],
  Opportunity: ['Name', 'StageName', 'Amount', 'CloseDate', 'AccountId'],
};

/** Columns of an object that is not among them. */
const COLUMNS_MAX = 5;

/** The values of a record, whichever provider holds it; unset ones are left out. */
function valuesOf({ properties, fields }: ShownRecord): ReadonlyMap<string, string> {
  const values = Object.entries(properties ?? fields ?? {});
  return new Map(
    values.filter(([, value]) => value !== null && value !== '').map(([name, value]) => [name, text(value)]),
  );
}

/** Columns for these records: the main fields of the object, else the first ones that occur. */
function columnsOf(object: string, records: readonly ShownRecord[]): readonly string[] {
  const known = mainFields[object];
  if (known) return known;
  return [...new Set(records.flatMap((record) => [...valuesOf(record).keys()]))].slice(0, COLUMNS_MAX);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
