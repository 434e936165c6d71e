import { once } from 'node:events';
import { connect } from 'node:net';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { testApp } from '../test/test-app';
import { createService, type ServicePart } from './run-service';

const config = { port: 0, host: '127.0.0.1', metricsPort: 0, shutdownMs: 1_000, idleGraceMs: 0 };

function serviceOf(parts: readonly ServicePart[]) {
  const check = () => Promise.resolve();
  return createService({
    app: testApp({}),
    config,
    logger: silentLogger,
    metrics: createMetrics('test'),
    check,
    parts,
  });
}

/** Parts that report when they start, when their end begins and when it is done: one of each stage, in an order that no stop may keep. */
function reportingParts(seen: string[]): ServicePart[] {
  const ending = (name: string) => async () => {
    seen.push(`${name} ends`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name} ended`);
  };
  const starting = (name: string) => () => {
    seen.push(`${name} starts`);
    return ending(name);
  };
  return [
    { stage: 'close', stop: ending('close') },
    { stage: 'loops', start: starting('loops') },
    { stage: 'flush', stop: ending('flush') },
    { stage: 'consumers', start: starting('consumers') },
  ];
}

describe('stopping a service', () => {
  it('ends its parts stage by stage, each when the one before has ended', async () => {
    const seen: string[] = [];
    const service = serviceOf(reportingParts(seen));
    await service.start();
    expect(seen).toEqual(['loops starts', 'consumers starts']);
    seen.length = 0;

    await service.stop();

    expect(seen).toEqual(
      ['consumers', 'loops', 'flush', 'close'].flatMap((stage) => [`${stage} ends`, `${stage} ended`]),
    );
  });

  it('answers the requests in flight before its consumers leave', async () => {
    let isListening: boolean | undefined;
    let port = 0;
    const consumer: ServicePart = {
      stage: 'consumers',
      stop: async () => {
        const socket = connect(port, '127.0.0.1');
        isListening = await once(socket, 'connect').then(
          () => true,
          () => false,
        );
        socket.destroy();
      },
    };
    const service = serviceOf([consumer]);
    ({ port } = await service.start());

    await service.stop();

    expect(isListening).toBe(false);
  });

  it('ends the other parts although one cannot be ended, and reports that one', async () => {
    const seen: string[] = [];
    const broken: ServicePart = { stage: 'consumers', stop: () => Promise.reject(new Error('the group is gone')) };
    const service = serviceOf([broken, ...reportingParts(seen)]);
    await service.start();

    await expect(service.stop()).rejects.toThrow('the group is gone');

    expect(seen).toContain('close ended');
  });

  it('reports all that could not be ended', async () => {
    const broken = (stage: 'loops' | 'close'): ServicePart => ({ stage, stop: () => Promise.reject(new Error(stage)) });
    const service = serviceOf([broken('close'), broken('loops')]);

    await expect(service.stop()).rejects.toMatchObject({ errors: [new Error('loops'), new Error('close')] });
  });

  it('ends what its context holds when it never started', async () => {
    const seen: string[] = [];
    await serviceOf(reportingParts(seen)).stop();
    expect(seen).toEqual(['flush ends', 'flush ended', 'close ends', 'close ended']);
  });

  it('ends a part that starts while it is stopped, and starts no further one', async () => {
    const seen: string[] = [];
    let join: (end: () => void) => void = () => undefined;
    const joining = new Promise<() => void>((resolve) => (join = resolve));
    let start: () => void = () => undefined;
    const starting = new Promise<void>((resolve) => (start = resolve));
    const consumer: ServicePart = {
      stage: 'consumers',
      start: () => {
        start();
        return joining;
      },
    };
    const service = serviceOf([consumer, ...reportingParts(seen)]);
    const started = service.start();
    await starting;
    const stopped = service.stop();
    join(() => void seen.push('left'));
    await Promise.all([started, stopped]);
    expect(seen).toEqual(expect.arrayContaining(['left', 'close ended']));
    expect(seen).not.toContain('loops starts');
  });

  it('ends what had started when a later part cannot start', async () => {
    const seen: string[] = [];
    const broken: ServicePart = { stage: 'loops', start: () => Promise.reject(new Error('no lanes')) };
    const service = serviceOf([...reportingParts(seen), broken]);

    await expect(service.start()).rejects.toThrow('no lanes');
    await service.stop();

    expect(seen).toContain('consumers ended');
  });
});
