import { PassThrough } from 'node:stream';
import { createLogger, createMetrics } from '@sluice/telemetry';
import { metric } from '../test/support';
import { orphanMessages } from './messaging-counters';
import { topics } from './topics';

function pluralize() {
  const destination = new PassThrough({ encoding: 'utf8' });
  const lines: string[] = [];
  destination.on('data', (line: string) => lines.push(line));
  const metrics = createMetrics('stray');
  const logger = createLogger({ service: 'test', level: 'info', destination });
  return { lines, metrics, countOrphan: orphanMessages({ logger, metrics }, topics.ready) };
}

describe('orphanMessages', () => {
  it('counts each, and logs each name once', async () => {
    const { lines, metrics, countOrphan } = pluralize();
    for (let times = 0; times < 50; times += 1) countOrphan({ projectId: 'p', laneId: 'l' });
    countOrphan({ projectId: 'other', laneId: 'l' });
    expect(await metric(metrics, 'sluice_messages_stray_total')).toBe(51);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', event: 'message.orphan', topic: topics.ready.name, projectId: 'p', laneId: 'l' },
      { projectId: 'other' },
    ]);
  });

  it('says no more once a flood of forged names has been said', () => {
    const { lines, countOrphan } = pluralize();
    for (let at = 0; at < 10_100; at += 1) countOrphan({ operationId: String(at) });
    expect(lines).toHaveLength(10_000);
  });
});
