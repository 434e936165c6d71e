import { inFull } from '../format';
import { useOutage } from '../network';

/** While nothing is answered: what is shown is old, and is asked for again by itself. */
export function NetworkBanner() {
  const outage = useOutage();
  const { at = 0, reason } = outage ?? {};
  return (
    <div role="status">
      {outage === undefined ? null : (
        <p class="lost">
          <strong>{reason ?? 'No answer from the management service.'}</strong> What is shown is from before{' '}
          {inFull(new Date(at).toISOString())}. It is asked again every few seconds; check{' '}
          {reason === undefined ? 'the network, and that the service runs' : 'that the database of the service runs'}.
        </p>
      )}
    </div>
  );
}
