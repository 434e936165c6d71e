import type { LedgerEntry } from '../control/ledger';
import { html, type Html } from './html';
import { moment } from './moment';

/** The last calls that arrived, the newest first, with what they really wrote. */
export function callsSection(calls: readonly LedgerEntry[]): Html {
  if (calls.length === 0) return html`<h2>Calls <small>none has arrived</small></h2>`;
  return html`<h2>Calls <small>the latest ${calls.length}</small></h2>
    <div class="sheet">
      <table>
        <thead>
          <tr>
            <th>time</th>
            <th>account</th>
            <th>call</th>
            <th>path</th>
            <th class="number">status</th>
            <th class="number">records</th>
            <th class="number">applied</th>
            <th class="number">ms</th>
            <th>fault</th>
          </tr>
        </thead>
        <tbody>
          ${calls.map(callRow)}
        </tbody>
      </table>
    </div>`;
}

function callRow(call: LedgerEntry): Html {
  return html`<tr>
    <td>${moment(call.at)}</td>
    <td>${call.account ?? html`<span class="odd">none</span>`}</td>
    <td>${call.action}</td>
    <td class="value"><code>${call.method} ${call.path}</code></td>
    <td class="number ${toneOf(call.status)}">${call.status === 0 ? 'cut' : call.status}</td>
    <td class="number">${call.records}</td>
    <td class="number">${call.applied}</td>
    <td class="number">${call.tookMs}</td>
    <td>${call.fault === undefined ? '' : html`<span class="tag fault">${call.fault}</span>`}</td>
  </tr>`;
}

function toneOf(status: number): string {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 || status === 207 ? 'odd' : 'good';
}
