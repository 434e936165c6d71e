import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problems } from '@sluice/errors';
import { createReplyChecker, sampleOf, type BuiltDocument, type OpenApiOperation } from '@sluice/http';
import { repositoryRoot } from '@sluice/stack';
import { generatedFiles } from './generated-files';
import { readDocuments } from './read-documents';

let contracts: readonly (readonly [string, BuiltDocument])[];
beforeAll(async () => {
  contracts = Object.entries(await readDocuments());
});

interface PathOperation {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function operationsOf({ document }: BuiltDocument): PathOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })),
  );
}

/** What the check finds in each operation of each document. */
function findings(check: (pathOperation: PathOperation, contract: BuiltDocument) => readonly string[]): string[] {
  return contracts.flatMap(([name, contract]) =>
    operationsOf(contract).flatMap((pathOperation) =>
      check(pathOperation, contract).map((finding) => `${name}: ${pathOperation.name}: ${finding}`),
    ),
  );
}

it('every route says what it is and what it answers', () => {
  expect(contracts.flatMap(([name, { undeclared }]) => undeclared.map((route) => `${name}: ${route}`))).toEqual([]);
});

it('the generated files are current (npm run generate:client)', async () => {
  const stale = Object.entries(await generatedFiles()).filter(([path, text]) => {
    const file = join(repositoryRoot, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  expect(stale.map(([path]) => path)).toEqual([]);
});

it('no operation has the name of another', () => {
  for (const [, contract] of contracts) {
    const names = operationsOf(contract).map(({ operation }) => operation.operationId);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]+$/);
  }
});

it('every parameter is described, and those of the path are those of the template', () => {
  const found = findings(({ path, operation }) => {
    const parameters = operation.parameters ?? [];
    const templated = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const ofPath = parameters.filter(({ in: where, required }) => where === 'path' && required).map(({ name }) => name);
    const silent = parameters
      .filter(({ description }) => description === '')
      .map(({ name }) => `${name} is not described`);
    return JSON.stringify(templated) === JSON.stringify(ofPath) ? silent : [...silent, 'path parameters differ'];
  });
  expect(found).toEqual([]);
});

it('every operation has a known tag, a success, and its problems', () => {
  const found = findings(({ operation }, { document }) => {
    const known = new Set(document.tags.map(({ name }) => name));
    const statuses = Object.keys(operation.responses);
    return [
      ...operation.tags.filter((tag) => !known.has(tag)).map((tag) => `unknown tag ${tag}`),
      ...(statuses.some((status) => status.startsWith('2')) ? [] : ['no success']),
      ...(statuses.includes('400') && statuses.includes('500') ? [] : ['no problems']),
      ...(operation.tags.length === 0 || operation.summary === '' ? ['no tag or summary'] : []),
    ];
  });
  expect(found).toEqual([]);
});

it('every reference leads somewhere', () => {
  for (const [, { document }] of contracts) {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(refs.length).toBeGreaterThan(0);
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(refs)]));
  }
});

// Compiles every schema of a reply as draft 2020-12, the dialect of OpenAPI 3.1.
it('every reply has a schema that a sample of it keeps', () => {
  const found = findings(({ path, method, operation }, { document }) => {
    const check = createReplyChecker(document);
    return Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).flatMap(([contentType, { schema }]) => {
        const text = JSON.stringify(sampleOf(schema, document.components.schemas));
        const reply = { method, path, status: Number(status), contentType, hasHeader: () => true, text };
        const fault = check(reply);
        // A text that must have a form (a PEM, a name) is not made up by a sample.
        return fault === undefined || fault.includes('must match pattern') ? [] : [`${status}: ${fault}`];
      }),
    );
  });
  expect(found).toEqual([]);
});

it('says which members are stored and not executed', () => {
  const [, management] = contracts.find(([name]) => name === 'management') ?? [];
  for (const member of ['schedule', 'destination', 'backfill', 'fieldFilters', 'proxy']) {
    expect(management?.document.info.description).toMatch(new RegExp(`not executed.*${member}`));
  }
});

/** Problems of addresses that no operation has (an upload's is handed out, not documented), and of programs that do not start. */
const ofNoOperation = [
  'request.path-unknown',
  'request.method-not-allowed',
  'upload.not-found',
  'upload.taken',
  'service.config-invalid',
  'service.unmigrated',
];

it('every problem code is one of an operation', () => {
  const text = JSON.stringify(contracts.map(([, { document }]) => document));
  const missing = Object.keys(problems).filter((code) => !text.includes(`"${code}"`));
  expect(missing).toEqual(ofNoOperation);
});
