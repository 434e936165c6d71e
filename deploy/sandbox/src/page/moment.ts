import { html, type Html } from './html';

/** Only the time of the day; the whole moment is in the attribute. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(11, 23)}</time>`;
}
