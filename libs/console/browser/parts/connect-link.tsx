import { useState } from 'preact/hooks';
import { noteFailure } from '../network';
import { CopyField } from './field';
import { Problem } from './problem';

interface LinkOptions {
  /** Label of the button. */
  readonly verb: string;
  readonly make: () => Promise<string>;
  /** Nothing else ends what the page shows. */
  readonly isPrimary?: boolean;
}

/** Makes an address with which the customer connects at the provider's own page. */
export function ConnectLink({ verb, make, isPrimary }: LinkOptions) {
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const request = async (): Promise<void> => {
    try {
      setUrl(await make());
      setError(undefined);
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
  };
  return (
    <>
      {url === undefined ? (
        <button type="button" class={isPrimary === true ? 'primary' : 'link'} onClick={() => void request()}>
          {verb}
        </button>
      ) : (
        <CopyField title="For the customer's browser, once, within ten minutes" value={url} />
      )}
      {error === undefined ? null : <Problem error={error} title="No link was made" />}
    </>
  );
}
