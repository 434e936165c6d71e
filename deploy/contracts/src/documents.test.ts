import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problems } from '@sluice/errors';
import { sampleOf, type BuiltDocument, type OpenApiContent, type OpenApiOperation } from '@sluice/http';
import { repositoryRoot } from '@sluice/stack';
import { createReplyChecker } from '@sluice/testkit';
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

/** The values that a body shows, each with its name. Those of problems are components, by their codes. */
function examplesOf({ example, examples = {} }: OpenApiContent): [string, unknown][] {
  const named = Object.entries(examples).flatMap(([name, one]): [string, unknown][] =>
    '$ref' in one ? [] : [[name, one.value]],
  );
  return example === undefined ? named : [['example', example], ...named];
}

/** Every body of an operation: what it is, and its content. */
function bodiesOf({ requestBody, responses }: OpenApiOperation): [string, OpenApiContent][] {
  const of = (name: string, content: Readonly<Record<string, OpenApiContent>> = {}) =>
    Object.entries(content).map(([type, body]): [string, OpenApiContent] => [`${name} ${type}`, body]);
  const replies = Object.entries(responses).flatMap(([status, { content }]) => of(status, content));
  return [...of('request', requestBody?.content), ...replies];
}

it('every body of a request, a reply and a problem has an example', () => {
  const found = findings(({ operation }) =>
    bodiesOf(operation)
      .filter(([, { example, examples = {} }]) => example === undefined && Object.keys(examples).length === 0)
      .map(([name]) => name),
  );
  expect(found).toEqual([]);
});

// Members that no schema names are faults too. Bodies of requests are checked when a document is built (libs/http).
it('every example of a reply keeps its schema', () => {
  const checks = new Map(contracts.map(([, { document }]) => [document, createReplyChecker(document)]));
  const found = findings(({ path, method, operation }, { document }) =>
    Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).flatMap(([contentType, body]) =>
        examplesOf(body).flatMap(([name, value]) => {
          const text = JSON.stringify(value);
          const reply = { method, path, status: Number(status), contentType, hasHeader: () => true, text };
          const fault = checks.get(document)?.(reply);
          return fault === undefined ? [] : [`${status} ${name}: ${fault}`];
        }),
      ),
    ),
  );
  expect(found).toEqual([]);
});

it('every status of a problem shows a document of each of its codes', () => {
  const found = findings(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content, 'x-problem-codes': codes }]) => {
      const examples = content?.['application/problem+json']?.examples ?? {};
      const expected = codes?.map((code) => [code, { $ref: `#/components/examples/${code}` }]) ?? [];
      return JSON.stringify(Object.entries(examples)) === JSON.stringify(expected) ? [] : [status];
    }),
  );
  expect(found).toEqual([]);
  for (const [, { document }] of contracts) {
    const check = createReplyChecker(document);
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      const text = JSON.stringify(value);
      const reply = { method: 'get', path: '/none', contentType: 'application/problem+json', status: 0, text };
      expect([code, check({ ...reply, hasHeader: () => true })]).toEqual([code, undefined]);
      expect(value).toMatchObject({ code, status: problems[code as keyof typeof problems].status });
    }
  }
});

it('shows every way of writing, and every reply to one', () => {
  const [, write] = contracts.find(([name]) => name === 'write') ?? [];
  const { requestBody, responses } = Object.values(write?.document.paths ?? {})[0]?.['post'] ?? {};
  const shown = (content?: Readonly<Record<string, OpenApiContent>>) =>
    Object.keys(content?.['application/json']?.examples ?? {});
  expect(shown(requestBody?.content)).toEqual(['single', 'batch', 'asynchronous', 'autoBatched', 'update', 'delete']);
  const planned = ['dryRunReply', 'batchDryRunReply'];
  expect(shown(responses?.['200']?.content)).toEqual([
    'singleWriteReply',
    'batchWriteReply',
    ...planned,
    'acceptedWriteReply',
  ]);
  expect(shown(responses?.['422']?.content)).toEqual(['refusedWriteReply', 'batchWriteReply']);
});

it('says which members are stored and not executed', () => {
  const [, management] = contracts.find(([name]) => name === 'management') ?? [];
  for (const member of ['schedule', 'destination', 'backfill', 'fieldFilters', 'proxy']) {
    expect(management?.document.info.description).toMatch(new RegExp(`not executed.*${member}`));
  }
});

/** Problems of addresses that no operation has (an upload's is handed out, those of the connect page are its own), and of programs that do not start. */
const ofNoOperation = [
  'request.path-unknown',
  'request.method-not-allowed',
  'connect-session.expired',
  'connect-session.used',
  'connect-session.other-browser',
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
