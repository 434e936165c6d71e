import { escapeHtml } from '@sluice/http';
import type { Outcome } from './finish-authorization';

/** The colours are those of the console, light and dark; everything is in the page, which may load nothing. */
const style = `
:root { --ground: #f7f8f8; --sheet: #fff; --ink: #1b2327; --soft: #5d6a70; --line: #e2e6e8; --good: #17724a; --bad: #a92f2a;
  color-scheme: light dark; font: 16px/1.5 Inter, system-ui, -apple-system, 'Segoe UI', sans-serif; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #101518; --sheet: #171e22; --ink: #e4eaec; --soft: #94a3aa; --line: #273138; --good: #6fcf9b; --bad: #f0938c; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); }
main { width: 100%; max-width: 30rem; padding: 1.75rem; background: var(--sheet); border: 1px solid var(--line); border-top: 4px solid var(--tone);
  border-radius: 10px; overflow-wrap: anywhere; }
.good { --tone: var(--good); }
.bad { --tone: var(--bad); }
.app { margin: 0 0 0.25rem; color: var(--soft); font-weight: 600; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; color: var(--tone); }
p { margin: 0.5rem 0 0; }
h1 + p ~ p { color: var(--soft); font-size: 0.9rem; }
`;

/**
 * The page that ends an authorization. It tells the opener, and the person, what came of it and for whom. The message holds
 * an id or a sentence, no secret; it goes to the page that asked where that is known.
 * @param nonce new for each page
 * @returns with the `Content-Security-Policy` that allows its one script and its style, and nothing else
 */
export function callbackPage(outcome: Outcome, nonce: string) {
  const title = outcome.ok ? 'Connected' : 'Not connected';
  const app = outcome.owner?.app;
  const message = scriptText(messageOf(outcome));
  const target = scriptText(outcome.openerOrigin ?? '*');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}${app === undefined ? '' : ` - ${escapeHtml(app)}`}</title>
<style nonce="${nonce}">${style}</style></head>
<body><main class="${outcome.ok ? 'good' : 'bad'}">
${app === undefined ? '' : `<p class="app"><bdi>${escapeHtml(app)}</bdi></p>\n`}<h1>${title}</h1>
${sentencesOf(outcome)
  .map((sentence) => `<p>${sentence}</p>`)
  .join('\n')}
</main>
<script nonce="${nonce}">if (window.opener) window.opener.postMessage(${message}, ${target});</script>
</body></html>
`;
  const sources = `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  const policy = `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

function sentencesOf(outcome: Outcome): string[] {
  const { app = '', group = '', provider = '' } = outcome.owner ?? {};
  const [ofApp, ofGroup, atProvider] = [nameOf(app), nameOf(group), nameOf(provider)];
  if (outcome.ok) {
    return [
      `Your ${atProvider} account is now connected to ${ofApp} for the group ${ofGroup}. You can close this window.`,
      `Is ${ofGroup} not your group, or did somebody send you this link? Then that group can use your account: take the access of ${ofApp} back in the settings of ${atProvider}, and tell ${ofApp}.`,
    ];
  }
  const meant = `It was to be a connection of ${atProvider} to ${ofApp} for the group ${ofGroup}.`;
  return [escapeHtml(outcome.error), ...(outcome.owner ? [meant] : [])];
}

/** Others chose it: no markup of it counts, and no sign in it turns the words around it. */
const nameOf = (name: string): string => `<b><bdi>${escapeHtml(name)}</bdi></b>`;

/** The message to the window that opened the page. Source: published API, OAuth popup contract. */
function messageOf(outcome: Outcome): object {
  return outcome.ok
    ? { eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: outcome.connectionId } }
    : { eventType: 'AUTHORIZATION_FAILED', data: { error: outcome.error } };
}

/** JSON that can stand in a script element: nothing in it ends the element or a line. */
function scriptText(value: unknown): string {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}
