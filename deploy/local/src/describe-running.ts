import type { Demo } from './demo/demo-file';

/** What to do with a running stack: the addresses, where the key is, and a command to paste for each base URL. */
export function describeRunning(demo: Demo, demoFile: string): readonly string[] {
  const { baseUrl, searchUrl, writeUrl, sandboxUrl, project, integrations } = demo;
  const [integration] = integrations;
  const at = `projects/${project.name}/integrations/${integration?.id}`;
  const groupRef = integration?.groupRef ?? '';
  const record = { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' };
  const filter = { fieldName: 'email', operator: 'eq', value: record.email };
  const write = { groupRef, type: 'create', record };
  const search = { objectName: 'contacts', fieldFilters: [filter] };
  return [
    '',
    `management  ${baseUrl}`,
    `console     ${baseUrl.replace(/\/v1$/, '/console')}`,
    `search      ${searchUrl}`,
    `write       ${writeUrl}`,
    ...(sandboxUrl === undefined ? [] : [`sandbox CRMs ${sandboxUrl}`]),
    `API key     ${demoFile} (apiKey, may do everything in the project)`,
    '',
    'To paste:',
    `  KEY=$(node -p 'require("${demoFile}").apiKey')`,
    curl(`${writeUrl}/${at}/objects/contacts`, write),
    curl(`${searchUrl}/${at}?groupRef=${groupRef}`, search),
    curl(`${baseUrl}/${at}/installations`),
  ];
}

function curl(url: string, body?: object): string {
  const data = body === undefined ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return `  curl -sS -w '\\n' '${url}' -H "x-api-key: $KEY"${data}`;
}
