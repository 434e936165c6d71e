import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram } from '../command-line/run-sluice';
import { webhookEventTypes } from '@sluice/types';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';

// What a Python team gets: the released wheel in an environment of its own, without the checkout, against running services.
const root = resolve(__dirname, '../..');
const page = readFileSync(join(root, 'deploy/release/python/README.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
const python = join(folder, 'env/bin/python');
const made = join(folder, 'made');
const installed = installClient();
const withPython = installed ? it : it.skip;

let stack: EmbeddedStack;
let customer: Customer;
let env: Record<string, string>;
beforeAll(async () => {
  if (!installed) return;
  stack = await startEmbeddedStack();
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  env = {
    SLUICE_URL: stack.baseUrl,
    SLUICE_SEARCH_URL: stack.searchUrl,
    SLUICE_WRITE_URL: stack.writeUrl,
    SLUICE_API_KEY: customer.project.key,
    SLUICE_PROJECT: customer.project.name,
    INTEGRATION: customer.integrationId,
    GROUP: customer.groupRef,
    ACCESS_TOKEN: customer.account.token,
  };
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** False, said aloud, where there is no Python or its packages cannot be had. Whatever else fails is a failure. */
function installClient(): boolean {
  const steps: readonly (readonly [program: string, ...args: string[]])[] = [
    ['python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11) and "Python is older than 3.11")'],
    [process.execPath, join(root, 'deploy/release/python.mjs'), '--out', made],
    // The tools have a pip already: putting one more into an environment takes 8 s of CPU.
    ['python3', '-m', 'venv', '--without-pip', join(folder, 'env')],
    [
      join(made, 'python-tools/bin/python'),
      '-m',
      'pip',
      '--python',
      python,
      ...'install --quiet --disable-pip-version-check --no-compile --find-links'.split(' '),
      made,
      `sluice-client==${version}`,
      'mypy==2.4.1',
    ],
  ];
  for (const [program, ...args] of steps) {
    const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    const said = error?.message ?? stderr;
    const isMissing =
      /ENOENT|No module named 'venv'|ensurepip|older than 3\.11|Max retries|Connection|NewConnection/.test(said);
    if (!isMissing) throw new Error(`${program} ${args.join(' ')}: ${said}`);
    process.stderr.write(
      `NOT RUN: the Python client, for want of Python 3.11 with venv and its packages: ${said.slice(-300)}\n`,
    );
    return false;
  }
  return true;
}

const run = async (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return await runProgram(python, [name], { cwd: folder, env });
};

/** A program of its page: the one of this name after the language. */
const shown = (name: string) => page.split(`\`\`\`python${name}\n`)[1]?.split('```')[0] ?? '';

withPython('has types that its page passes mypy --strict with', async () => {
  const names = ['', ' coroutines', ' webhook'];
  const files = names.map((name, at) => {
    writeFileSync(join(folder, `shown${at}.py`), shown(name));
    return `shown${at}.py`;
  });
  expect((page.match(/```python/g) ?? []).length).toBe(names.length);
  writeFileSync(join(folder, 'wrong.py'), shown('').replace('accepted.operation_id', 'accepted.operationId'));
  const { code, stdout } = await runProgram(python, ['-m', 'mypy', '--strict', ...files, 'wrong.py'], { cwd: folder });
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^wrong\.py:\d+: error: "AcceptedWriteReply" has no attribute "operationId"/),
    'Found 1 error in 1 file (checked 4 source files)',
  ]);
  expect(code).toBe(1);
});

withPython('does what its page shows', async () => {
  const { code, stdout, stderr } = await run('page.py', shown(''));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'asynchronous: success',
    'found: 1',
    'refused: email',
    'refused: write.object-not-in-manifest',
    'WriteRequest takes no group_ref.',
    '2',
  ]);
});

withPython('does what its page shows with coroutines', async () => {
  const { code, stdout, stderr } = await run('coroutines.py', shown(' coroutines'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual(['installations: 1', 'asynchronous: success', 'True']);
});

withPython(
  'finds or makes an installation, also at once in several processes, and leaves no connection over',
  async () => {
    const { code, stdout, stderr } = await run(
      'ensure.py',
      `import os
from concurrent.futures import ThreadPoolExecutor
import sluice_client as sluice
from sluice_client.api.installations import delete_installation

project, integration = os.environ["SLUICE_PROJECT"], os.environ["INTEGRATION"]

def ensure(group="at-once", token=os.environ["ACCESS_TOKEN"], content={}):
    management = sluice.connect(os.environ["SLUICE_URL"], api_key=os.environ["SLUICE_API_KEY"])
    credentials = {"consumerRef": "ula", "oauth2AuthorizationCode": {"accessToken": {"token": token}}}
    given = {"connection": credentials} if token else {}
    return sluice.ensure_installation(management, project, integration, group, content=content, **given)

with ThreadPoolExecutor(5) as pool:
    made = list(pool.map(lambda _: ensure(), range(5)))
again = ensure(token="a token that nobody asks for")
print(len({installation.id for installation in [*made, again]}), again.health_status)

# What is refused leaves its connection to the next call.
try:
    ensure("later", content={"read": {"objects": {"contacts": {"objectName": "other"}}}})
except sluice.SluiceRequestError as error:
    print(error.status)
later = ensure("later", token="")
management = sluice.connect(os.environ["SLUICE_URL"], api_key=os.environ["SLUICE_API_KEY"])
print(later.group.group_ref, delete_installation.sync(project, integration, later.id, client=management))
try:
    ensure("nobody", token="")
except sluice.SluiceNotFoundError as error:
    print(error.code)
`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toEqual(['1 healthy', '400', 'later None', 'connection.not-found']);
    const { management } = customer.project.client;
    expect(await management.listConnections({ groupRef: 'at-once' })).toHaveLength(1);
  },
);

const replies: readonly (readonly [status: number, body: object | string, errorClass: string])[] = [
  [400, { code: 'request.invalid', issues: [{ name: 'x' }] }, 'SluiceRequestError'],
  [401, { code: 'auth.missing' }, 'SluiceAuthenticationError'],
  [403, { code: 'auth.scope' }, 'SluiceForbiddenError'],
  [404, { code: 'operation.not-found' }, 'SluiceNotFoundError'],
  [409, { code: 'operation.ended' }, 'SluiceConflictError'],
  [410, { code: 'operation.gone' }, 'SluiceNotFoundError'],
  [413, { code: 'request.too-large' }, 'SluiceRequestError'],
  [415, { code: 'request.media-type' }, 'SluiceRequestError'],
  [422, { code: 'provider.rejected' }, 'SluiceRequestError'],
  [422, { operationId: '1', errors: [{ message: 'no' }], problems: [{ field: 'email' }] }, 'SluiceRecordError'],
  [429, { code: 'quota', retryable: false }, 'SluiceRateLimitError'],
  [500, { code: 'internal' }, 'SluiceServerError'],
  [503, '<html>away</html>', 'SluiceServerError'],
  [418, {}, 'SluiceApiError'],
];

withPython('raises every status by class, and repeats what is safe to repeat', async () => {
  const asked: string[] = [];
  const server = createServer(({ method, url = '', headers }, response) => {
    const [, at = '0'] = /operations\/(\d+)/.exec(url) ?? [];
    asked.push(`${method} ${url}`);
    const isFirst = asked.filter((each) => each === `${method} ${url}`).length === 1;
    const flaky = isFirst ? ([503, { retryable: true }] as const) : ([200, { operationId: 'op-1' }] as const);
    const [status, body] = url.includes('/flaky/') ? flaky : (replies[Number(at)] ?? [500, {}]);
    // A moment without a zone, which some proxies send.
    const retryAfter = status === 418 ? 'Thu, 01 Jan 2099 00:00:00 -0000' : '0';
    response.writeHead(headers['x-api-key'] === 'key' ? status : 500, { 'retry-after': retryAfter });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await run(
    'errors.py',
    `import asyncio
import sluice_client as sluice
from sluice_client.api.operations import get_operation
from sluice_client.api.writes import write_records
from sluice_client.models import WriteRequest

client = sluice.connect("http://127.0.0.1:${port}/v1", api_key="key")
for at in range(${replies.length}):
    try:
        get_operation.sync("p", str(at), client=client)
    except sluice.SluiceApiError as error:
        print(type(error).__name__, error.status, error.code)

body = sluice.body_of(WriteRequest, {"groupRef": "g", "type": "create", "record": {}})
for key in ({}, {"idempotency_key": "k"}):
    try:
        print("repeated:", write_records.sync("flaky", str(len(key)), "contacts", client=client, body=body, **key))
    except sluice.SluiceServerError as error:
        print("not repeated:", error.retryable)

async def away() -> None:
    try:
        await get_operation.asyncio("p", "1", client=sluice.connect("http://127.0.0.1:1/v1", token=lambda: "t"))
    except sluice.SluiceConnectionError as error:
        print(type(error).__name__)

asyncio.run(away())
try:
    sluice.connect("http://127.0.0.1:1/v1")
except ValueError as error:
    print(error)
`,
  );
  server.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    ...replies.map(([status, body, name]) => `${name} ${status} ${(body as { code?: string }).code ?? 'None'}`),
    'not repeated: True',
    expect.stringMatching(/^repeated: .*op-1/),
    'SluiceConnectionError',
    'connect takes an api_key or a token, one of both.',
  ]);
  // The page of a proxy with no service behind it may be another a moment later; the problem documents of the others say no.
  expect(asked.filter((each) => each.includes('operations/12'))).toHaveLength(3);
  expect(asked.filter((each) => each.includes('operations/0'))).toHaveLength(1);
});

withPython('names every event of a webhook endpoint', async () => {
  const { stdout } = await run(
    'events.py',
    `from typing import get_args, get_type_hints
from sluice_client import WebhookEvent
for event in get_args(WebhookEvent):
    print(*get_args(get_type_hints(event)["notificationType"]), sep="\\n")
`,
  );
  expect(stdout.trim().split('\n').toSorted()).toEqual(webhookEventTypes.toSorted());
});

withPython('verifies a message of a webhook, as its page shows', async () => {
  const key = Buffer.from('a secret of twenty-four');
  const secret = `whsec_${key.toString('base64')}`;
  const body = JSON.stringify({ notificationType: 'write.async.done' });
  const seconds = Math.floor(Date.now() / 1_000);
  // Source: https://docs.svix.com/receiving/verifying-payloads/how-manual
  const signature = createHmac('sha256', key).update(`msg_1.${seconds}.${body}`).digest('base64');
  const headersOf = (more: object) =>
    JSON.stringify({
      'Svix-Id': 'msg_1',
      'Svix-Timestamp': String(seconds),
      'Svix-Signature': `v1,AAAA v1,${signature}`,
      ...more,
    });
  const { code, stdout, stderr } = await run(
    'webhook.py',
    `${shown(' webhook')}
body = ${JSON.stringify(body)}.encode()
for sent, headers in (
    (body, ${headersOf({})}),
    (body + b" ", ${headersOf({})}),
    (body, ${headersOf({ 'Svix-Timestamp': String(seconds - 400) })}),
    (body, ${headersOf({ 'Svix-Id': '' })}),
):
    print(receive(sent, headers, "${secret}"))
`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'received: write.async.done',
    '204',
    'not believed: signature-wrong',
    '400',
    'not believed: too-old',
    '400',
    'not believed: header-missing',
    '400',
  ]);
});

withPython('has a function for every operation of the three documents, and no more', async () => {
  const documents = ['management', 'search', 'write'].map((name) => join(root, `docs/api/${name}.openapi.json`));
  const operations = documents.flatMap((path) => {
    const { paths } = JSON.parse(readFileSync(path, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  });
  const { stdout } = await run(
    'operations.py',
    `import pkgutil, sluice_client.api as api
for module in pkgutil.walk_packages(api.__path__, "sluice_client.api."):
    if not module.ispkg: print(module.name.rsplit(".", 1)[1])
`,
  );
  const snake = (name: string) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
      .toLowerCase();
  expect(stdout.trim().split('\n').toSorted()).toEqual(operations.map(snake).toSorted());
});

withPython('carries the version, the licence and its types', async () => {
  const { stdout } = await run(
    'about.py',
    `import importlib.metadata as m, json, importlib.resources as r
about = m.metadata("sluice-client")
print(json.dumps([about["Version"], about["License-Expression"], (r.files("sluice_client") / "py.typed").is_file()]))
`,
  );
  expect(JSON.parse(stdout)).toEqual([version, 'Apache-2.0', true]);
});
