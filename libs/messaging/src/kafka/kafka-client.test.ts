import { silentLogger, type Logger } from '@sluice/telemetry';
import { logLevel } from 'kafkajs';
import { fixRequestQueue, logBridge } from './kafka-client';

function lines() {
  const written: { level: string; fields: object; event: string }[] = [];
  const at = (level: string) => (fields: object, event: string) => void written.push({ level, fields, event });
  const logger: Logger = { ...silentLogger, debug: at('debug'), warn: at('warn'), error: at('error') };
  return { written, logger };
}

const entry = (message: string, more: object = {}) => ({
  namespace: 'Connection',
  level: logLevel.ERROR,
  label: 'ERROR',
  log: { timestamp: '2026-11-20T10:00:00.000Z', logger: 'kafkajs', message, stack: 'at x', ...more },
});

describe('logBridge', () => {
  it('writes what kafkajs calls an error as a warning, without the stack', () => {
    const { written, logger } = lines();
    logBridge(logger)(logLevel.WARN)(entry('Connection timeout', { broker: 'b:9092' }));
    const kafka = { namespace: 'Connection', message: 'Connection timeout', broker: 'b:9092' };
    expect(written).toEqual([{ level: 'warn', fields: { kafka }, event: 'kafka.client' }]);
  });

  it('writes an equal sentence once in ten seconds and counts the rest', () => {
    const { written, logger } = lines();
    let now = 0;
    const log = logBridge(logger, () => now)(logLevel.WARN);
    for (now = 0; now <= 10_000; now += 1_000) log(entry('connect ECONNREFUSED'));
    expect(written).toHaveLength(2);
    expect(written[1]?.fields).toMatchObject({ kafka: { repeated: 9 } });
  });

  it('writes lines about a rebalance as debug', () => {
    const { written, logger } = lines();
    const error = 'The group is rebalancing, so a rejoin is needed';
    logBridge(logger)(logLevel.WARN)(entry('Response Heartbeat(key: 12, version: 3)', { error }));
    expect(written[0]?.level).toBe('debug');
  });
});

// A kafkajs without this defect fails here, and the patch goes.
describe('fixRequestQueue', () => {
  const queue = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests: (this: object) => void };
  };

  /** The delays of the timers that a connection arms when `pending` requests wait. */
  function armedFor(pending: number[]): unknown[] {
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(() => 1 as never);
    const state = { pending, throttledUntil: -1, throttleCheckTimeoutId: null };
    queue.prototype.scheduleCheckPendingRequests.call(state);
    const delays = timers.mock.calls.map(([, delay]) => delay);
    timers.mockRestore();
    return delays;
  }

  it('arms a timer while requests wait, and none with a negative delay when none does', () => {
    const [delay] = armedFor([]);
    expect(delay).toBeLessThan(0);
    fixRequestQueue();
    expect(armedFor([])).toEqual([]);
    expect(armedFor([1])).toEqual([10]);
  });
});
