import { hrefOf } from '../use-route';
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
}

const unreachable =
  'Check that the management service runs and that this page was loaded from its address. Asked again meanwhile.';

/** The error and its remedy. Everything is shown as text, from whatever source. */
export function Problem({ error, title = 'That did not work' }: { readonly error: unknown; readonly title?: string }) {
  const { detail, message, remedy, code, requestId, operationId, name } = error as ErrorTexts;
  const advice = isAboutIssues(remedy)
    ? undefined
    : (remedy ?? (name === 'SluiceConnectionError' ? unreachable : undefined));
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
