import { factCells, failureRows, signalTableOf, tableOf } from '../provider-page';
import { conditionText, type FailureRow } from '../failure-table';
import { keyMember } from './attach-auth';
import type { Attachment, Declaration, DeclaredAuth } from './declaration';
import { signalTable } from './failure-table';

const preface = `Written from the files in \`libs/connectors/providers\` and the table in \`libs/connectors/src/declarative\` by
\`pnpm --filter @sluice/connectors print:pages\`; a test compares. Nothing here was checked on a live account. **documented**: the provider's public pages.
**recorded**: seen in a fixture or the code of an open-source client. **assumed**: our judgement, or what is commonly said.`;

/** `docs/providers/from-files.md`: what each shipped file says of its provider, and what every reply means. */
export function renderDeclaredPage(files: readonly Declaration[]): string {
  const usual = signalTable();
  const parts = [
    '# Providers that are files: what is known, and what each answer means',
    preface,
    'How to describe another one: [the guide](../guides/add-a-provider.md). What is promised of a write: [the promises](../guides/promises.md).',
    '## What a call ends with',
    `The rows of a provider come after the first four of these; then the first row that matches decides. \`unavailable\` and \`quota\`: certainly not applied. \`unknown\` and
\`timeout\`: may have been applied; for reads \`unknown\` counts as \`unavailable\`, and an update is just tried again.`,
    signalTableOf(failureRows(usual)),
    ...files.flatMap((file) => sectionOf(file, usual)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function sectionOf(file: Declaration, usual: readonly FailureRow[]): string[] {
  const known = new Set(usual.map(conditionText));
  const own = signalTable(file).filter((row) => !known.has(conditionText(row)));
  const facts = Object.entries(file.facts).map(([part, fact]) => [`\`${part}\``, ...factCells(fact)]);
  return [
    `## ${file.displayName}`,
    tableOf(['', ''], shapeOf(file)),
    tableOf(['part', 'basis', 'source'], facts),
    ...(own.length > 0 ? [signalTableOf(failureRows(own))] : []),
  ];
}

function shapeOf(file: Declaration): string[][] {
  const { name, baseUrl, auth, objects, create, update, search } = file;
  const unique = Object.entries(objects).flatMap(([object, { unique: field }]) =>
    field === undefined ? [] : [`${object}.${field}`],
  );
  return [
    ['name', `\`${name}\``],
    ['base URL', `\`${baseUrl}\``],
    ['opened with', waysOf(auth).join('; ')],
    [
      'objects',
      Object.keys(objects)
        .map((object) => (object === '*' ? 'any other' : `\`${object}\``))
        .join(', '),
    ],
    ['create, update', `\`${create.method} ${create.path}\`, \`${update.method} ${update.path}\``],
    ['search', search === undefined ? 'none' : `\`${search.method} ${search.path}\``],
    [
      'a create of unknown outcome',
      unique.length > 0 ? `looked up by ${unique.join(', ')}; otherwise "outcome unknown"` : '"outcome unknown"',
    ],
  ];
}

function waysOf({ apiKey, basic, oauth2, none }: DeclaredAuth): string[] {
  return [
    ...(apiKey ? [`API key ${positionOf(apiKey)}`] : []),
    ...(basic ? ['user name and password'] : []),
    ...(oauth2?.grants ?? []).map((grant) => `OAuth, ${grant}`),
    ...(none ? ['nothing'] : []),
  ];
}

function positionOf({ header, query, basic }: Attachment): string {
  if (basic !== undefined)
    return `as \`${basic}\` of \`Authorization: Basic\`, or \`basicAuth\` with the key as ${keyMember(basic)}`;
  return header === undefined ? `in the query parameter \`${query}\`` : `in the header \`${header}\``;
}
