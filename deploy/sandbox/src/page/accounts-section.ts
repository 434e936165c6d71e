import type { Account } from '../control/account';
import { html, type Html } from './html';

/** Every account with its provider and how many records of each object it holds. */
export function accountsSection(accounts: readonly Account[], chosen: Account | undefined): Html {
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
  return imitated
    .objects()
    .map((object) => `${object} ${imitated.count(object)}`)
    .join(' · ');
}
