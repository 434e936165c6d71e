import { pluralize } from '@sluice/types';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';
import { hrefOf } from '../use-route';
import { Moment } from './moment';

/** An endpoint fails for a week before it is disabled: it can be seen a minute late. */
const everyMs = 60_000;

/** That messages do not arrive. Nothing while they do, or for a key that does not read endpoints. */
export function FailingEndpoints({ session }: { readonly session: Session }) {
  const { value = [] } = useLoad(
    'failing endpoints',
    (signal) => apiOf(session.apiKey, session.project.id).listWebhookEndpoints({}, { signal }),
    { everyMs },
  );
  const failing = value.filter(({ status, failingSince }) => status === 'enabled' && failingSince !== undefined);
  const [first = ''] = failing.flatMap(({ failingSince = '' }) => failingSince).toSorted();
  if (failing.length === 0) return null;
  return (
    <section class="attention" aria-label="Failing webhooks">
      <p>
        <span>
          <strong>{pluralize(failing.length, 'webhook')} failing.</strong> Messages are not taken; the first failed{' '}
          <Moment of={first} />. They are tried again.
        </span>
        <a href={hrefOf('developers/webhooks')}>Webhooks</a>
      </p>
    </section>
  );
}
