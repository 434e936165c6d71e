import { inFull } from '../format';
import { useLostAt } from '../network';

/** While nothing answers: what is shown is old, and is asked for again by itself. */
export function NetworkBanner() {
  const lostAt = useLostAt();
  return (
    <div role="status">
      {lostAt === undefined ? null : (
        <p class="lost">
          <strong>No answer from the management service.</strong> What is shown is from before{' '}
          {inFull(new Date(lostAt).toISOString())}. It is asked again every few seconds; check the network, and that the
          service runs.
        </p>
      )}
    </div>
  );
}
