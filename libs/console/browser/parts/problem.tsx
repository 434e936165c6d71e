import { hrefOf } from '../use-route';
import { leaveProject, readSession } from '../session';
import { isAboutIssues, issuesOf } from './field';

/** The members of the client's errors that help a reader. */
interface ErrorTexts {
  readonly detail?: string;
  readonly message?: string;
  readonly remedy?: string;
  readonly code?: string;
  readonly requestId?: string;
  /** Of a write that failed after it was accepted. */
  readonly operationId?: string;
  readonly name?: string;
  readonly status?: number;
  readonly retryable?: boolean;
}

const unreachable =
  'Check that the management service runs and that this page was loaded from its address. Asked again meanwhile.';

const away = 'Try again in a moment. If it stays so, check that the database of the service runs.';
const inDoubt = 'Look for it among the operations before you send it again.';

/** The service's own remedy, but where that is for programs, which repeat by keys. */
function adviceOf({ name, code, remedy, retryable }: ErrorTexts): string | undefined {
  if (code === 'service.unavailable') return retryable === false ? inDoubt : away;
  return remedy ?? (name === 'SluiceConnectionError' ? unreachable : undefined);
}

/** The error and its remedy. Everything is shown as text, from whatever source. */
export function Problem({ error, title = 'That did not work' }: { readonly error: unknown; readonly title?: string }) {
  const { detail, message, remedy, code, requestId, operationId, status } = error as ErrorTexts;
  const session = readSession();
  // Of who is signed in, and not of a key that was just typed.
  const isOfSession = session !== undefined && (status === 401 || code === 'auth.scope-missing');
  const advice = isOfSession
    ? `${session.person?.name ?? 'The key that is signed in'} ${status === 401 ? 'is not accepted any more' : 'may not do this'}.`
    : isAboutIssues(remedy)
      ? undefined
      : adviceOf(error as ErrorTexts);
  const issues = isAboutIssues(remedy) ? issuesOf(error) : [];
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{detail ?? message ?? String(error)}</p>
      {issues.length === 0 ? null : (
        <ul>
          {issues.map(({ name: field, detail: rule }, at) => (
            // Without the value, which may be a secret.
            <li key={at}>
              {field} {rule}.
            </li>
          ))}
        </ul>
      )}
      {advice === undefined ? null : <p class="remedy">{advice}</p>}
      {isOfSession ? (
        <p>
          <button type="button" onClick={signInAgain}>
            Sign in {session.person === undefined ? 'with another key' : 'again'}
          </button>
        </p>
      ) : null}
      {operationId === undefined ? null : (
        <p>
          <a href={hrefOf(`operations/${operationId}`)}>See the operation.</a>
        </p>
      )}
      {code === undefined ? null : (
        <p class="fine">
          {code}
          {requestId === undefined ? '' : ` · request ${requestId}`}
        </p>
      )}
    </div>
  );
}

/** The address stays: one comes back to this page. */
function signInAgain(): void {
  leaveProject();
  location.reload();
}
