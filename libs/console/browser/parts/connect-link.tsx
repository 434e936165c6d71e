import { useState } from 'preact/hooks';
import { noteFailure } from '../network';
import { apiOf, type Api, type Session } from '../session';
import { CopyField } from './field';
import { Problem } from './problem';

interface LinkOptions {
  readonly session: Session;
  readonly installationId: string;
  /** Label of the button. */
  readonly verb: string;
  /** Nothing else ends what the page shows. */
  readonly isPrimary?: boolean;
}

/** Makes a link to the connect page, on which the customer of an installation connects again: the same account, whatever becomes of this page. */
export function ConnectLink({ session, installationId, verb, isPrimary }: LinkOptions) {
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const request = async (): Promise<void> => {
    try {
      setUrl(await makeLink(apiOf(session.apiKey, session.project.id), installationId));
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
        <CopyField title="For the customer, once, within 30 minutes" value={url} />
      )}
      {error === undefined ? null : <Problem error={error} title="No link was made" />}
    </>
  );
}

async function makeLink(api: Api, installationId: string): Promise<string> {
  const { results } = await api.listInstallationHealth({ installationId });
  const [health] = results;
  if (health === undefined) throw Object.assign(new Error(), { detail: 'There is no such installation any more.' });
  const { groupRef, groupName, integrationId: integration, connection } = health;
  const { consumerRef } = connection;
  const named = groupName === undefined ? {} : { groupName };
  return (await api.createConnectSession({ body: { groupRef, ...named, consumerRef, integration } })).url;
}
