import { oauthStateLifeMs } from '@sluice/types';
import { useState } from 'preact/hooks';
import { fromNow, inFull } from '../format';
import { noteFailure } from '../network';
import { CopyField } from './field';
import { Problem } from './problem';

interface LinkOptions {
  /** Label of the button. */
  readonly verb: string;
  /** Who is to open the link. */
  readonly customer: string;
  readonly make: () => Promise<string>;
  /** Nothing else ends what the page shows. */
  readonly isPrimary?: boolean;
}

/** Makes an address with which the customer connects at the provider's own page. */
export function ConnectLink({ verb, customer, make, isPrimary }: LinkOptions) {
  const [made, setMade] = useState<{ readonly url: string; readonly until: string }>();
  const [error, setError] = useState<unknown>();
  const request = async (): Promise<void> => {
    try {
      const url = await make();
      setMade({ url, until: oauthLinkUntil(Date.now()) });
      setError(undefined);
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
  };
  return (
    <>
      {made === undefined ? null : <LinkField {...made} customer={customer} />}
      {made === undefined || isOver(made.until) ? (
        <button type="button" class={isPrimary === true ? 'primary' : 'link'} onClick={() => void request()}>
          {verb}
        </button>
      ) : null}
      {error === undefined ? null : <Problem error={error} title="No link was made" />}
    </>
  );
}

/** @param madeAt milliseconds since 1970 */
export const oauthLinkUntil = (madeAt: number): string => new Date(madeAt + oauthStateLifeMs).toISOString();

export const isOver = (until: string): boolean => Date.parse(until) <= Date.now();

interface FieldOptions {
  readonly url: string;
  readonly customer: string;
  readonly until: string;
}

/** A link for one customer: for whom, and until when it works. */
export function LinkField({ url, customer, until }: FieldOptions) {
  if (isOver(until))
    return (
      <p class="fine" role="status">
        The link for {customer} ended {fromNow(until)}. Make another one.
      </p>
    );
  return (
    <>
      <CopyField title={`Link for ${customer}`} value={url} />
      <p class="fine">
        It works once, in one browser, until{' '}
        <time dateTime={until} title={inFull(until)}>
          {new Date(until).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })}
        </time>{' '}
        ({fromNow(until)}). Send it to the customer: who opens it signs in at the provider.
      </p>
    </>
  );
}
