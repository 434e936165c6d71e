import { escapeHtml } from '../escape-html';
import { memberTable, typeName } from './docs-members';
import { problemType, type OpenApiDocument, type OpenApiOperation, type OpenApiParameter } from './openapi';
import { resolve, sampleOf } from './sample';

/** One endpoint: what it needs, takes and answers, and a command that calls it. */
export function describeOperation(document: OpenApiDocument, title: string, operation: OpenApiOperation): string {
  const scopes = operation['x-scopes'];
  return [
    `<section id="${operation.operationId}"><h3>${escapeHtml(operation.summary)}</h3>`,
    `<p><code>${escapeHtml(title)}</code></p>`,
    operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`,
    operation.security.length === 0 ? '<p>Needs no key.</p>' : '',
    scopes === undefined ? '' : `<p>Who may call: ${escapeHtml(scopes.map(admissionName).join(', '))}.</p>`,
    parameters(operation.parameters ?? []),
    body(document, operation),
    replies(operation),
    `<h4>Example</h4><pre>${escapeHtml(curl(document, title, operation))}</pre></section>`,
  ].join('\n');
}

function admissionName(scope: string): string {
  if (scope === 'admin') return 'the bootstrap key';
  return scope === 'token' ? 'bearer tokens of the group' : `keys with ${scope}`;
}

function parameters(list: readonly OpenApiParameter[]): string {
  if (list.length === 0) return '';
  const rows = list.map(
    ({ name, in: where, required, description, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required ? ' (required)' : ''}<td>${where}<td>${typeName(schema)}<td>${escapeHtml(description)}`,
  );
  return `<h4>Parameters</h4><table><thead><tr><th>Name<th>In<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>`;
}

function body(document: OpenApiDocument, { requestBody }: OpenApiOperation): string {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? '' : `<h4>Body</h4>${memberTable(resolve(schema, document.components.schemas))}`;
}

function replies({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses)
    .filter(([, { content }]) => Object.keys(content ?? {}).join() !== problemType)
    .map(([status, { description, content, headers }]) => {
      const [type, { schema } = { schema: {} }] = Object.entries(content ?? {})[0] ?? ['no body'];
      const names = Object.keys(headers ?? {});
      const more = names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`;
      const shown = content === undefined ? '' : typeName(schema);
      return `<tr><td>${status}<td>${escapeHtml(type)}<td>${shown}<td>${escapeHtml(description + more)}`;
    });
  const problems = Object.entries(responses).flatMap(([status, { 'x-problem-codes': codes }]) =>
    codes === undefined ? [] : [`${status}: ${codes.join(', ')}.`],
  );
  return `<h4>Replies</h4><table><thead><tr><th>Status<th>Content<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>
<p class="problems">Otherwise application/problem+json (<a href="#schema-ApiProblem">ApiProblem</a>). ${escapeHtml(problems.join(' '))}</p>`;
}

function curl({ components, servers }: OpenApiDocument, title: string, operation: OpenApiOperation): string {
  const [method = 'GET', path = ''] = title.split(' ');
  const examples = operation.parameters ?? [];
  const filled = examples.reduce((url, { name, example = 'x' }) => url.replace(`{${name}}`, example), path);
  const query = examples
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name, schema }) => `${name}=${String(sampleOf(schema, components.schemas, name))}`);
  const address = `$ORIGIN${servers[0]?.url ?? ''}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {};
  return [
    `curl -X ${method} "${address}"`,
    ...(operation.security.length === 0 ? [] : ['-H "x-api-key: $KEY"']),
    ...(schema === undefined
      ? []
      : [
          '-H "content-type: application/json"',
          `-d '${JSON.stringify(example ?? sampleOf(schema, components.schemas))}'`,
        ]),
  ].join(' \\\n  ');
}
