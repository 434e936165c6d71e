import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { GuideLink } from '../parts/guide-link';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import {
  baseUrl,
  enter,
  listProjects,
  readSignInState,
  signIn,
  signInAddress,
  signOut,
  type Person,
  type Session,
} from '../session';
import { useLoad } from '../use-load';

const newKey = `curl "${baseUrl}/projects/PROJECT/api-keys" \\
  -H "x-api-key: $SLUICE_ADMIN_KEY" -H 'content-type: application/json' \\
  -d '{"label":"console","scopes":["frontend"]}'`;

interface SignInProps {
  readonly onSignIn: (session: Session) => void;
}

/** By what management sends the browser back with (`sign-in` of the address). */
const refusals: Readonly<Record<string, { readonly detail: string; readonly remedy: string }>> = {
  unavailable: {
    detail: 'The OpenID provider does not answer, or not as one.',
    remedy: 'Try again; if that does not help, the log of the management service says why (sign-in.unavailable).',
  },
  expired: { detail: 'This sign-in was begun in another browser, or over ten minutes ago.', remedy: 'Sign in again.' },
  refused: {
    detail: 'The OpenID provider did not let you in, or its answer was not valid.',
    remedy: 'Try again; the log of the management service says why (sign-in.refused).',
  },
  'no-role': {
    detail: 'You are known to the OpenID provider, but have no role here.',
    remedy: 'Ask whoever runs Sluice for one: SLUICE_OIDC_VIEWERS, _OPERATORS and _ADMINS name who has which.',
  },
};

export function SignInPage({ onSignIn }: SignInProps) {
  const { value: state, reload } = useLoad('sign-in', readSignInState);
  const refusal = refusals[new URLSearchParams(location.search).get('sign-in') ?? ''];
  if (state?.person) return <ProjectsPage person={state.person} onSignIn={onSignIn} onSignOut={reload} />;
  return (
    <Card>
      <h1>Sign in</h1>
      {refusal === undefined ? null : <Problem error={refusal} title="Not signed in" />}
      {state?.hasSignIn ? (
        <>
          <a class="button primary" href={signInAddress}>
            Sign in with your account
          </a>
          <p class="fine">Or with a key:</p>
        </>
      ) : null}
      <KeyForm onSignIn={onSignIn} />
    </Card>
  );
}

/** What the console is for, beside what is asked of the reader. */
function Card({ children }: { readonly children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <div class="card">
        <section class="about" aria-label="Sluice">
          <p class="brand">
            <span class="mark" aria-hidden="true" />
            Sluice
          </p>
          <p class="claim">Every write to your customers' CRM: what became of it, record by record.</p>
          <ul>
            <li>Why a write failed, by field, and what to do</li>
            <li>Which customer must connect again</li>
            <li>What waits, and for what</li>
          </ul>
          <p class="links">
            <GuideLink of="console">Guide to the console</GuideLink>
            <GuideLink of="quickstart">Quickstart</GuideLink>
          </p>
        </section>
        <div class="ask">{children}</div>
      </div>
    </main>
  );
}

interface ProjectsProps extends SignInProps {
  readonly person: Person;
  readonly onSignOut: () => void;
}

/** Where a person goes on. */
function ProjectsPage({ person, onSignIn, onSignOut }: ProjectsProps) {
  const { value: projects, error } = useLoad('projects', listProjects);
  const leave = async (): Promise<void> => {
    await signOut({ person });
    onSignOut();
  };
  return (
    <Card>
      <h1>Projects</h1>
      <p>
        You are signed in as {person.name} ({person.role}).
      </p>
      {error === undefined ? null : <Problem error={error} />}
      {projects === undefined && error === undefined ? <Skeleton of="text" rows={3} /> : null}
      {projects?.length === 0 ? <p>There is no project yet. The bootstrap key makes one.</p> : null}
      <ul class="projects">
        {projects?.map((project) => (
          <li key={project.id}>
            <button type="button" onClick={() => onSignIn(enter(person, project))}>
              {project.name}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="plain" onClick={() => void leave()}>
        Sign out
      </button>
    </Card>
  );
}

const noKey = { detail: 'The key is missing.', remedy: 'Paste the API key of the project. Nothing was sent.' };

function KeyForm({ onSignIn }: SignInProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const apiKey = (form.elements.namedItem('apiKey') as HTMLInputElement).value.trim();
    if (apiKey === '') return setError(noKey);
    setBusy(true);
    try {
      onSignIn(await signIn(apiKey));
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <label>
        API key of the project
        <input
          name="apiKey"
          type="password"
          autocomplete="off"
          spellcheck={false}
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
          After <code>npm start</code> it is the <code>apiKey</code> in <code>.sluice/demo.json</code>. Elsewhere
          whoever runs Sluice makes one with the scope <code>frontend</code> (looks, cancels, retries) or{' '}
          <code>read</code> (only looks); see <GuideLink of="scope">the guide</GuideLink>:
        </p>
        <pre tabIndex={0}>{newKey}</pre>
      </details>
    </form>
  );
}
