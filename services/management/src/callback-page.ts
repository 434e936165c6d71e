import type { Outcome } from './finish-authorization';

/** What the window that opened the page is told. Source: published API, OAuth popup contract. */
export type PopupMessage =
  | { readonly eventType: 'AUTHORIZATION_SUCCEEDED'; readonly data: { readonly connection: string } }
  | { readonly eventType: 'AUTHORIZATION_FAILED'; readonly data: { readonly error: string } };

/** A page with the policy that it is served under. */
export interface CallbackPage {
  readonly html: string;
  /** `Content-Security-Policy`: the one script of the page, and nothing else. */
  readonly policy: string;
}

/**
 * The page that ends an authorization. It tells the opener, and the person, what came of it. The message holds an id or a
 * sentence, no secret; it goes to the page that asked where that is known.
 * @param nonce new for each page
 */
export function callbackPage(outcome: Outcome, nonce: string): CallbackPage {
  const title = outcome.ok ? 'Connected' : 'Not connected';
  const sentence = outcome.ok ? 'The connection is made. You can close this window.' : outcome.error;
  const message = scriptText(messageOf(outcome));
  const target = scriptText(outcome.openerOrigin ?? '*');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>${escapeHtml(sentence)}</p>
<script nonce="${nonce}">if (window.opener) window.opener.postMessage(${message}, ${target});</script>
</body></html>
`;
  return { html, policy: policyOf(nonce) };
}

function messageOf(outcome: Outcome): PopupMessage {
  return outcome.ok
    ? { eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: outcome.connectionId } }
    : { eventType: 'AUTHORIZATION_FAILED', data: { error: outcome.error } };
}

function policyOf(nonce: string): string {
  return `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** JSON that can stand in a script element: nothing in it ends the element or a line. */
function scriptText(value: unknown): string {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}

function escapeHtml(text: string): string {
  const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (found) => named[found] as string);
}
