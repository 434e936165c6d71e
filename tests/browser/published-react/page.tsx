/// <reference lib="dom" />
import {
  AmpersandProvider,
  ConnectProvider,
  InstallationProvider,
  InstallIntegration,
  useConnection,
  useCreateInstallation,
  useDeleteInstallation,
  useInstallation,
  useLocalConfig,
  useManifest,
  useUpdateInstallation,
} from '@amp-labs/react';
import { useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { PageSettings } from './page-settings';

/** What a builder's page does with the published library, and nothing of ours: bundled by the test, run in a browser. */
const settings = JSON.parse(decodeURIComponent(location.hash.slice(1))) as PageSettings;
const { integration, groupRef, consumerRef, provider, objectName, fields } = settings;
const who = { groupRef, groupName: 'Acme', consumerRef, consumerName: 'Anna' };

/** A bearer token comes from the builder's backend, which is the server of this page. */
const getToken = async (refs: { groupRef: string; consumerRef: string }): Promise<string> =>
  await (await fetch(`/token?${new URLSearchParams(refs)}`)).text();

/** The headless hooks, each behind a button; what they say stands in the page. */
function Headless(): ReactNode {
  const { connection } = useConnection();
  const { installation } = useInstallation();
  const manifest = useManifest();
  const config = useLocalConfig();
  const { createInstallation } = useCreateInstallation();
  const { updateInstallation } = useUpdateInstallation();
  const { deleteInstallation } = useDeleteInstallation();
  const [said, say] = useState('nothing');
  const outcomeOf = (action: string) => ({
    onSuccess: () => say(`${action}: done`),
    onError: (error: Error) => say(`${action}: ${error.message}`),
  });
  const object = config.writeObject(objectName);
  const actions: Readonly<Record<string, () => void>> = {
    read: () => config.readObject(objectName).setSelectedField({ fieldName: fields.read, selected: true }),
    write: () => object.setEnableWrite(),
    create: () => createInstallation({ config: config.get(), ...outcomeOf('create') }),
    'allow deletion': () => object.setEnableDeletion(),
    default: () => object.setDefaultValues({ fieldName: fields.written, value: { stringValue: 'Doe' } }),
    once: () => object.setWriteOnUpdateSetting({ fieldName: fields.written, value: 'never' }),
    save: () => updateInstallation({ config: config.get(), ...outcomeOf('save') }),
    delete: () => deleteInstallation(outcomeOf('delete')),
  };
  const shown = {
    connection: connection?.id ?? 'none',
    installation: installation?.id ?? 'none',
    fields: Object.keys(manifest.getCustomerFieldsForObject(objectName).allFields ?? {}).length,
    write: object.getWriteObject(),
    said,
  };
  return (
    <>
      <pre id="shown">{JSON.stringify(shown)}</pre>
      {Object.entries(actions).map(([name, act]) => (
        <button key={name} onClick={act}>
          {name}
        </button>
      ))}
    </>
  );
}

function View(): ReactNode {
  if (settings.view === 'connect') return <ConnectProvider provider={provider} {...who} />;
  if (settings.view === 'prebuilt') return <InstallIntegration integration={integration} {...who} />;
  return (
    <InstallationProvider integration={integration} {...who}>
      <Headless />
    </InstallationProvider>
  );
}

const { apiKey, project } = settings;
const options = { project, ...(apiKey === undefined ? { getToken } : { apiKey }) };
createRoot(document.body.appendChild(document.createElement('main'))).render(
  <AmpersandProvider options={options}>
    <View />
  </AmpersandProvider>,
);
