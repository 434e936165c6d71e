import { createApiReference } from '../node_modules/@scalar/api-reference/dist/browser/standalone.esm.js';
import css from './style.css';

/** Address of a file beside this script. */
const file = (name) => new URL(name, import.meta.url);
const load = async (name) => (await fetch(file(name))).json();

const { document: name } = document.querySelector('script[data-document]').dataset;
const [api, servers] = await Promise.all([load(name), load('servers.json')]);

createApiReference('#reference', {
  content: withServers(api, servers),
  customCss: css,
  // Nothing leaves for another host: no fonts, counters, assistants or proxies.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  // A key is gone with the tab.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
});

/** Where each operation is called: management beside this page, search and write where its settings say. */
function withServers(document, { search, write }) {
  const known = { management: new URL('../../v1', import.meta.url).href, search, write };
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const { 'x-api': part } = operation;
    const url = known[part] ?? `https://${part}.example/v1`;
    operation.servers = [{ url }];
    for (const sample of operation['x-codeSamples']) sample.source = sample.source.replaceAll('{server}', url);
    if (known[part] !== undefined) continue;
    const setting = `SLUICE_PUBLIC_${part.toUpperCase()}_URL`;
    operation.description = `${operation.description ?? ''}\n\nTo send it from this page, set ${setting} of the management service.`;
  }
  return document;
}
