import type { Account } from '../control/account';
import type { ShownRecord } from '../control/imitated-provider';
import { html, type Html } from './html';
import { moment } from './moment';
import { columnsOf, valuesOf } from './record-fields';

/** Records of one object, the newest first. */
export function recordsSection({ name, imitated }: Account, object: string, shownMax: number): Html {
  const total = imitated.count(object);
  if (total === 0) return html`<h2>${object} <small>in ${name} · none</small></h2>`;
  const records = imitated.list(object, shownMax)?.toReversed() ?? [];
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
