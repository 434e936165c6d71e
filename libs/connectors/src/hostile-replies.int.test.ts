import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { ByteBudget, HeldBytes } from '@sluice/telemetry';
import { until } from '@sluice/testkit';
import { impatientMs, patientMs, startProviderStub, type ProviderStub, type StubReply } from '../test/provider-stub';
import { createHttpClient, type HttpClient, type HttpOutcome } from './http-client';
import type { ReplyRoom } from './reply-body';

const MB = 1024 * 1024;

let stub: ProviderStub;
let client: HttpClient;
let impatient: HttpClient;
beforeAll(async () => {
  stub = await startProviderStub();
  client = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs });
  impatient = createHttpClient({ baseUrl: stub.url, callTimeoutMs: impatientMs });
});
afterAll(async () => {
  await Promise.all([client.close(), impatient.close()]);
  await stub.close();
});

async function sendTo(reply: StubReply, by = client): Promise<HttpOutcome> {
  stub.replyWith(reply);
  return by.send({ method: 'POST', path: '/x', headers: {}, body: {} });
}

/** Writes one block again and again as fast as the reader takes it. @returns how much left */
function stream(response: ServerResponse, head: Record<string, string>, bytesMax: number): () => number {
  let sent = 0;
  const block = Buffer.alloc(MB, ' ');
  response.writeHead(200, { 'content-type': 'application/json', ...head });
  const more = (): void => {
    while (sent < bytesMax && !response.destroyed) {
      sent += block.length;
      if (!response.write(block)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
  return () => sent;
}

describe('[sec-22] a reply costs bounded memory and time', () => {
  it.each([
    ['a gigabyte with its length', { 'content-length': String(1024 * MB) }],
    ['a gigabyte in chunks', {}],
  ])('%s: reading stops after 10 MB, and the connection ends', async (_, head) => {
    let sent = (): number => 0;
    let isClosed = false;
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await sendTo((response) => {
      sent = stream(response, head, 1024 * MB);
      response.on('close', () => (isClosed = true));
    });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { status: 200, fault: 'too-large' } });
    expect(outcome.kind === 'reply' && outcome.reply.json).toBeUndefined();
    // What was sent besides the 10 MB lay in the buffers of the two sockets.
    expect(sent()).toBeLessThan(40 * MB);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60 * MB);
    await until('the connection is closed', () => isClosed || undefined);
  });

  it.each([
    ['announced', { 'content-length': String(64 * MB) }],
    ['in chunks', {}],
  ])('a request that wants a small reply reads no more than that, %s', async (_, head) => {
    stub.replyWith((response) => stream(response, head, 64 * MB));
    const outcome = await client.send({ method: 'POST', path: '/x', headers: {}, bytesMax: 100_000 });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { status: 200, fault: 'too-large' } });
  });

  it('a request that wants a small reply takes no larger one that was compressed', async () => {
    const body = gzipSync(JSON.stringify({ text: Array.from({ length: 20_000 }, (_, at) => at).join(' ') }));
    stub.replyWith({ status: 200, headers: { 'content-encoding': 'gzip' }, body });
    const outcome = await client.send({ method: 'POST', path: '/x', headers: {}, bytesMax: 100_000 });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { fault: 'too-large' } });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['one byte at a time, for ever', (response) => trickle(response, ' ')],
    ['a head that never ends', (response) => trickleHead(response)],
    [
      'a length that is never reached',
      (response) => response.writeHead(200, { 'content-length': 100 }).write('{"id":'),
    ],
    ['nothing after the request', () => undefined],
  ])('%s: the call ends with its time', async (_, reply) => {
    const outcome = await sendTo(reply, impatient);
    const fault = outcome.kind === 'reply' ? outcome.reply.fault : outcome.kind === 'no-reply' && outcome.fault;
    expect(fault).toBe('timeout');
  });

  it.each([
    ['200,000 nested lists', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['200,000 nested lists that never close', '['.repeat(200_000)],
    ['200,000 nested objects', '{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)],
    ['deep inside a record', `{"id":"1","properties":${'['.repeat(65)}${']'.repeat(65)}}`],
  ])('%s: refused before they are parsed', async (_, body) => {
    expect(await sendTo({ status: 200, body })).toMatchObject({ kind: 'reply', reply: { fault: 'undecodable' } });
  });

  it('a compressed reply may grow to 10 MB, and to a hundred times its size', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(200 * MB, ' '));
    const steep = gzipSync(JSON.stringify({ text: 'x'.repeat(200_000) }));
    for (const body of [bomb, steep])
      expect(await sendTo({ status: 200, headers, body })).toMatchObject({ reply: { fault: 'too-large' } });
    const fair = JSON.stringify({ text: Array.from({ length: 20_000 }, (_, at) => at).join(' ') });
    expect(await sendTo({ status: 200, headers, body: gzipSync(fair) })).toMatchObject({
      reply: { json: JSON.parse(fair) },
    });
  });

  it('three million empty lists: refused before they are parsed', async () => {
    const body = `{"results":[${'[],'.repeat(3_300_000)}[]]}`;
    expect(await sendTo({ status: 200, body })).toMatchObject({ kind: 'reply', reply: { fault: 'undecodable' } });
  });

  const named = (count: number, from = 0) =>
    `{${Array.from({ length: count }, (_, at) => `"n${from + at}":1`).join()}}`;
  const listOf = (count: number, item: (at: number) => string) =>
    `[${Array.from({ length: count }, (_, at) => item(at)).join()}]`;
  /** The same twenty names, each time in another order: as dealt by a multiplicative generator. */
  let dealt = 1;
  const shuffled = () => {
    const names = Array.from({ length: 20 }, (_, name) => [(dealt = (dealt * 48_271) % 2_147_483_647), name] as const);
    const ordered = names.sort(([one], [other]) => one - other);
    return `{${ordered.map(([, name]) => `"n${name}":1`).join()}}`;
  };
  it.each([
    ['an object of 2,001 names', named(2_001), 'an object has more than 2000 names'],
    ['an object of as many, deep inside', `{"results":[{"properties":${named(2_001)}}]}`, 'more than 2000 names'],
    ['one name again and again', `{${'"a":1,'.repeat(300_000)}"a":1}`, 'more than 2000 names'],
    ['15,000 objects of 20 names each, all different', listOf(15_000, (at) => named(20, at * 20)), 'combinations'],
    ['120,000 objects of one name each, all different', listOf(120_000, (at) => named(1, at)), 'combinations'],
    ['15,000 objects of the same 20 names, in all orders', listOf(15_000, shuffled), 'combinations'],
  ])('[sec-22] %s: refused for what its names cost, before they are parsed', async (_, body, reason) => {
    const parse = jest.spyOn(JSON, 'parse');
    const outcome = await sendTo({ status: 200, body });
    const isParsed = parse.mock.calls.some(([text]) => text === body);
    parse.mockRestore();
    const { json, ...reply } = outcome.kind === 'reply' ? outcome.reply : {};
    expect({ isParsed, hasJson: json !== undefined, ...reply }).toMatchObject({
      isParsed: false,
      hasJson: false,
      fault: 'undecodable',
      reason: expect.stringContaining(reason) as string,
    });
  });

  it('a page of 100 records of 1,000 properties, of which each record lacks others, is read', async () => {
    const record = (at: number) =>
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, name) => [`n${name}`, 'x']).filter((__, name) => name % 100 !== at),
      );
    const body = { results: Array.from({ length: 100 }, (_, at) => ({ id: String(at), properties: record(at) })) };
    expect(await sendTo({ status: 200, body })).toMatchObject({ reply: { json: body } });
  });

  it('more headers than a reply may have', async () => {
    const headers = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`x-${at}`, 'y'.repeat(100)]));
    expect(await sendTo({ status: 200, headers, body: {} })).toMatchObject({ kind: 'no-reply', fault: 'broken' });
  });

  it('a member called __proto__ changes no object', async () => {
    await sendTo({
      status: 200,
      body: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('[sec-22] many large replies at once', () => {
  const text = JSON.stringify({ text: Array.from({ length: 450_000 }, (_, at) => at).join(' ') });
  /** Room for one of them at a time. */
  const room = (): ReplyRoom => {
    const budget = new ByteBudget(4 * MB);
    return {
      freeBytes: 65_536,
      values: new ByteBudget(MB),
      decoders: new ByteBudget(MB),
      take: async (_arrived, announced = 4 * MB, untilMs, held) =>
        (await budget.take(announced, untilMs, held)) ? announced : undefined,
    };
  };
  const request = { method: 'POST', path: '/x', headers: {}, body: {} } as const;
  const lengthOf = (outcome: HttpOutcome): unknown =>
    outcome.kind === 'reply' && JSON.stringify(outcome.reply.json).length;

  it.each([
    ['with their length', (response: ServerResponse) => response.setHeader('content-length', text.length).end(text)],
    [
      'in chunks',
      (response: ServerResponse) => (response.write(text.slice(0, 100_000)), response.end(text.slice(100_000))),
    ],
    ['compressed', (response: ServerResponse) => response.setHeader('content-encoding', 'gzip').end(gzipSync(text))],
  ])('%s: are read one after the other, and all arrive', async (_, reply) => {
    const waiting = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom: room() });
    stub.replyWith((response) => void reply(response));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => waiting.send(request)));
    expect(outcomes.map(lengthOf)).toEqual(Array(8).fill(text.length));
    await waiting.close();
  });

  it('one is not read while another is in use, and small ones are', async () => {
    const waiting = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom: room() });
    stub.replyWith((response) => response.end(text));
    const held = new HeldBytes('others');
    await waiting.send({ ...request, held });
    let isRead = false;
    const second = waiting.send(request).then((outcome) => ((isRead = true), outcome));
    await until('the second request', () => stub.requests[1]);
    stub.replyWith({ status: 200, body: { small: true } });
    expect(await waiting.send(request)).toMatchObject({ reply: { json: { small: true } } });
    expect(isRead).toBe(false);
    held.end();
    expect(lengthOf(await second)).toBe(text.length);
    await waiting.close();
  });

  it('a call gives the room of one reply back before it makes its next request', async () => {
    const waiting = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom: room() });
    stub.replyWith((response) => response.end(text));
    const calls = Array.from({ length: 4 }, async () => {
      const held = new HeldBytes('others');
      const outcomes = [await waiting.send({ ...request, held }), await waiting.send({ ...request, held })];
      held.end();
      return outcomes.map(lengthOf);
    });
    expect((await Promise.all(calls)).flat()).toEqual(Array(8).fill(text.length));
    await waiting.close();
  });

  it.each([
    ['before it arrives, when that needs room', text, 4 * MB],
    ['before it is decompressed, when it is small', 'y'.repeat(600_000), 100],
  ])('a compressed one takes the room of what it may grow to %s', async (_, long, least) => {
    const taken: (number | undefined)[] = [];
    const counting: ReplyRoom = {
      ...room(),
      take: async (_arrived, announced) => (taken.push(announced), announced),
    };
    const counted = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom: counting });
    const packed = gzipSync(JSON.stringify({ text: long }), { level: 1 });
    stub.replyWith((response) =>
      response.setHeader('content-encoding', 'gzip').setHeader('content-length', packed.length).end(packed),
    );
    await counted.send(request);
    expect(taken).toEqual([expect.any(Number)]);
    expect(taken[0]).toBeGreaterThanOrEqual(Math.max(least, 50 * packed.length * Number(least === 100)));
    await counted.close();
  });

  it('one of little text and many values waits for room for its values, and holds it while it is in use', async () => {
    const replyRoom = room();
    const waiting = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom });
    // 60 kB, for which nothing is reserved.
    const body = `[${'[],'.repeat(20_000)}[]]`;
    stub.replyWith((response) => response.end(body));
    const held = new HeldBytes('others');
    await waiting.send({ ...request, held });
    let isRead = false;
    const second = waiting.send(request).then((outcome) => ((isRead = true), outcome));
    const third = waiting.send(request);
    await until('both wait', () => (stub.requests.length === 3 && replyRoom.values.isShort()) || undefined);
    expect(isRead).toBe(false);
    held.end();
    expect((await Promise.all([second, third])).map(lengthOf)).toEqual([body.length, body.length]);
    await waiting.close();
  });

  it('some are decompressed at a time, and all arrive', async () => {
    const others = new HeldBytes('others');
    const replyRoom = room();
    const waiting = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom });
    replyRoom.decoders.takeNow(MB, others);
    stub.replyWith({ status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"id":"1"}') });
    const all = Promise.all(Array.from({ length: 40 }, () => waiting.send(request)));
    await until('they wait for a decoder', () => replyRoom.decoders.isShort() || undefined);
    others.end();
    expect((await all).map(lengthOf)).toEqual(Array(40).fill(10));
    await waiting.close();
  });

  it('one that finds no room within its call ends as one that did not come in time', async () => {
    const replyRoom = room();
    const hurried = createHttpClient({ baseUrl: stub.url, callTimeoutMs: impatientMs, replyRoom });
    const patient = createHttpClient({ baseUrl: stub.url, callTimeoutMs: patientMs, replyRoom });
    stub.replyWith((response) => response.end(text));
    const held = new HeldBytes('others');
    await patient.send({ ...request, held });
    expect(await hurried.send(request)).toMatchObject({ kind: 'reply', reply: { fault: 'timeout' } });
    held.end();
    expect(lengthOf(await patient.send(request))).toBe(text.length);
    await Promise.all([hurried.close(), patient.close()]);
  });
});

function trickle(response: ServerResponse, text: string): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(text), 50);
  response.on('close', () => clearInterval(timer));
}

function trickleHead(response: ServerResponse): void {
  response.socket?.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => response.socket?.write('x-more: y\r\n'), 50);
  response.socket?.on('close', () => clearInterval(timer));
}
