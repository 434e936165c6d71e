import type { Account } from '../control/account';
import type { Sandbox } from '../sandbox';
import { accountsSection } from './accounts-section';
import { callsSection } from './calls-section';
import { html, Html } from './html';
import { recordsSection } from './records-section';
import { stylesheet } from './stylesheet';

/** How many calls, and records of each object, the page shows. */
const SHOWN_MAX = 50;
/** How many accounts it shows in full when none is asked for. */
const ACCOUNTS_MAX = 6;
/** How often it loads itself again. */
const REFRESH_SECONDS = 5;

/** Between the tags stands exactly what the policy's hash is of. */
const styleElement = new Html(`<style>${stylesheet}</style>`);

/** What is asked of the page by its address. */
export interface PageRequest {
  /** The account whose records are shown. @default those of the first few */
  readonly account: string | null;
  readonly isPaused: boolean;
}

/** The page for a person: accounts, what they hold, and the calls that arrived. Without scripts. */
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
    ${account.imitated.objects().map((object) => recordsSection(account, object, SHOWN_MAX))}
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
