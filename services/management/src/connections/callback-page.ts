import type { LinkOwner, Outcome } from './finish-authorization';

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
 * The page that ends an authorization. It tells the opener, and the person, what came of it and for whom. The message holds
 * an id or a sentence, no secret; it goes to the page that asked where that is known.
 * @param nonce new for each page
 */
export function callbackPage(outcome: Outcome, nonce: string): CallbackPage {
  const title = outcome.ok ? 'Connected' : 'Not connected';
  const sentences = outcome.ok ? connected(outcome.owner) : notConnected(outcome.error, outcome.owner);
  const message = scriptText(messageOf(outcome));
  const target = scriptText(outcome.openerOrigin ?? '*');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1>
${sentences.map((sentence) => `<p>${sentence}</p>`).join('\n')}
<script nonce="${nonce}">if (window.opener) window.opener.postMessage(${message}, ${target});</script>
</body></html>
`;
  return { html, policy: policyOf(nonce) };
}

function connected(owner: LinkOwner): string[] {
  const [app, group, provider] = [nameOf(owner.app), nameOf(owner.group), nameOf(owner.provider)];
  return [
    `Your ${provider} account is now connected to ${app} for the group ${group}. You can close this window.`,
    `Is ${group} not your group, or did somebody send you this link? Then that group can use your account: take the access of ${app} back in the settings of ${provider}, and tell ${app}.`,
  ];
}

function notConnected(error: string, owner: LinkOwner | undefined): string[] {
  if (owner === undefined) return [escapeHtml(error)];
  return [
    escapeHtml(error),
    `It was to be a connection of ${nameOf(owner.provider)} to ${nameOf(owner.app)} for the group ${nameOf(owner.group)}.`,
  ];
}

/** Others chose it: no markup of it counts, and no sign in it turns the words around it. */
function nameOf(name: string): string {
  return `<b><bdi>${escapeHtml(name)}</bdi></b>`;
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
