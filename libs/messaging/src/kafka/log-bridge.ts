import type { Logger } from '@sluice/telemetry';
import type { logCreator } from 'kafkajs';

/** While a broker is away kafkajs says so several times a second; one line per sentence and this long is enough. */
const quietMs = 10_000;
const sentencesMax = 100;

/** Members come and go with every deployment; kafkajs calls each time an error. */
const ordinary = /rebalancing|not aware of this member|Response without match/;

/**
 * Lines of kafkajs as lines of ours, all of them `warn`: it calls a refused connection an error, but nobody must act.
 * What belongs to a rebalance is `debug`. Its stack traces are left out. `repeated` counts the equal lines that were kept back.
 */
export function logBridge(logger: Logger, now: () => number = () => performance.now()): logCreator {
  const said = new Map<string, { atMs: number; repeated: number }>();
  return () =>
    ({ namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...rest } = log;
      const sentence = `${namespace} ${message}`;
      const before = said.get(sentence);
      if (before && now() - before.atMs < quietMs) {
        before.repeated += 1;
        return;
      }
      if (said.size >= sentencesMax) said.clear();
      said.set(sentence, { atMs: now(), repeated: 0 });
      const repeated = before?.repeated ? { repeated: before.repeated } : {};
      const level = ordinary.test(`${message} ${String(rest['error'])}`) ? 'debug' : 'warn';
      logger[level]({ kafka: { namespace, message, ...rest, ...repeated } }, 'kafka.client');
    };
}
