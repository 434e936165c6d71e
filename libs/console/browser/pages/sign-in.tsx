import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem';
import { baseUrl, signIn, type Session } from '../session';

const newKey = `curl "${baseUrl}/projects/PROJECT/api-keys" \\
  -H "x-api-key: $SLUICE_ADMIN_KEY" -H 'content-type: application/json' \\
  -d '{"label":"console","scopes":["frontend"]}'`;

export function SignInPage({ onSignIn }: { readonly onSignIn: (session: Session) => void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const apiKey = (form.elements.namedItem('apiKey') as HTMLInputElement).value.trim();
    if (apiKey === '') return;
    setBusy(true);
    try {
      onSignIn(await signIn(apiKey));
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <h1>
          <span class="mark" aria-hidden="true" />
          Sluice
        </h1>
        <p>What became of your writes, account by account.</p>
        <label>
          API key of the project
          <input
            name="apiKey"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            autoFocus
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : 'issue-apiKey'}
          />
        </label>
        {error === undefined ? null : (
          <div id="issue-apiKey">
            <Problem error={error} title="Not signed in" />
          </div>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <p class="fine">The key stays in this tab and is forgotten with it.</p>
        <details>
          <summary>No key at hand?</summary>
          <p>
            The scope <code>frontend</code> looks, cancels and retries; <code>read</code> only looks. After{' '}
            <code>npm start</code> the demo's key stands in <code>.sluice/demo.json</code>.
          </p>
          <pre tabIndex={0}>{newKey}</pre>
        </details>
      </form>
    </main>
  );
}
