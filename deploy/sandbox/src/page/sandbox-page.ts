import type { Account } from '../control/account';
import type { ShownRecord } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import type { LedgerEntry } from '../control/ledger';
import { html, Html } from './html';
import { stylesheet } from './stylesheet';

/** How many calls, and records of each object, the page shows. */
const SHOWN_MAX = 50;
/** How many accounts it shows in full when none is selected. */
const ACCOUNTS_MAX = 6;
/** How often it reloads. */
const REFRESH_SECONDS = 5;

/** The text between the tags is exactly what the policy's hash covers. */
const styleElement = new Html(`<style>${stylesheet}</style>`);

/** The parameters of the page's address. */
export interface PageRequest {
  /** The account whose records are shown. @default the first few accounts */
  readonly account: string | null;
  readonly isPaused: boolean;
}

/** The page for a person: accounts, their records, and the calls that arrived. Without scripts. */
export function sandboxPage(sandbox: Sandbox, request: PageRequest): string {
  const accounts = sandbox.accounts.all();
  const refresh = request.isPaused ? '' : html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh}
        <title>Sandbox CRMs</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <header>
            <h1>Sandbox CRMs</h1>
            <p>imitations for demos and tests · ${refreshNote(request)}</p>
          </header>
          ${accounts.length > 0 ? content(sandbox, accounts, request) : emptyNote}
        </main>
      </body>
    </html> `.text;
}

function content(sandbox: Sandbox, accounts: readonly Account[], request: PageRequest): Html {
  const chosen = accounts.find((account) => account.name === request.account);
  const shown = chosen ? [chosen] : accounts.slice(0, ACCOUNTS_MAX);
  return html`${accountsSection(accounts, chosen)} ${callsSection(sandbox.ledger.latest(SHOWN_MAX))}
  ${shown.map((account) => recordsOf(account))} ${chosen ? html`<p><a href="/">all accounts</a></p>` : ''}`;
}

function recordsOf(account: Account): Html {
  return html`<section aria-label="Records of ${account.name}">
    ${account.imitated.data.objects().map((object) => recordsSection(account, object, SHOWN_MAX))}
  </section>`;
}

function refreshNote({ account, isPaused }: PageRequest): Html {
  const kept = account === null ? '' : `account=${encodeURIComponent(account)}`;
  if (isPaused) return html`paused · <a href="/?${kept}">follow</a>`;
  return html`loads again every ${REFRESH_SECONDS} s · <a href="/?${kept}&amp;refresh=off">pause</a>`;
}

const emptyNote = html`<h2>No account yet</h2>
  <p>Open one, then use its token as the bearer token of the imitated CRM:</p>
  <pre>
curl -s localhost:4600/_sandbox/accounts -H 'content-type: application/json' -d '{"name":"acme","provider":"hubspot"}'</pre>`;

/** Every account with its provider and its number of records of each object. */
function accountsSection(accounts: readonly Account[], chosen: Account | undefined): Html {
  return html`<nav class="accounts" aria-label="Accounts">
    ${accounts.map(
      (account) =>
        html`<a href="/?account=${account.name}" ${account === chosen ? html`aria-current="true"` : ''}>
          <strong>${account.name}</strong><span class="tag">${account.provider.name}</span>
          <p class="quiet">${countsOf(account)}</p>
          <p class="quiet">
            ${String(Object.values(account.imitated.identity)[0])} · at most ${account.peakInFlight} calls at once
          </p>
        </a>`,
    )}
  </nav>`;
}

function countsOf({ imitated }: Account): string {
  const { data } = imitated;
  return data
    .objects()
    .map((object) => `${object} ${data.count(object)}`)
    .join(' · ');
}

/** The last calls that arrived, the newest first, with what they really wrote. */
function callsSection(calls: readonly LedgerEntry[]): Html {
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

/** Records of one object, the newest first. */
function recordsSection({ name, imitated }: Account, object: string, shownMax: number): Html {
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

/** The columns of an object, by its plain name. */
const mainFields: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname', 'phone', 'company', 'lifecyclestage'],
  companies: ['name', 'domain', 'industry', 'city', 'numberofemployees'],
  deals: ['dealname', 'amount', 'dealstage', 'pipeline', 'closedate'],
  Account: ['Name', 'Industry', 'Website', 'Phone', 'BillingCity'],
  Contact: ['LastName', 'FirstName', 'Email', 'Phone', 'AccountId'],
  Lead: ['LastName', 'FirstName', 'Company', 'Email', 'Status'],
  Opportunity: ['Name', 'StageName', 'Amount', 'CloseDate', 'AccountId'],
};

/** Number of columns of any other object. */
const COLUMNS_MAX = 5;

/** The values of a record of any provider; unset ones are left out. */
function valuesOf({ properties, fields }: ShownRecord): ReadonlyMap<string, string> {
  const values = Object.entries(properties ?? fields ?? {});
  return new Map(
    values.filter(([, value]) => value !== null && value !== '').map(([name, value]) => [name, text(value)]),
  );
}

/** Columns for these records: the main fields of the object, else the first fields that occur. */
function columnsOf(object: string, records: readonly ShownRecord[]): readonly string[] {
  const known = mainFields[object];
  if (known) return known;
  return [...new Set(records.flatMap((record) => [...valuesOf(record).keys()]))].slice(0, COLUMNS_MAX);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Only the time of the day; the whole moment is in the attribute. */
function moment(iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(11, 23)}</time>`;
}
