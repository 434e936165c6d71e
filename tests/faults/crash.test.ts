import type { ProcessName } from '@sluice/local';
import { check, report } from './harness/checker';
import { send } from './harness/load';
import { startSystem, type System } from '../harness/system';

let system: System;
beforeAll(async () => {
  system = await startSystem();
}, 60_000);
afterAll(() => system.stop(), 60_000);

// The promise of the service: nothing accepted is lost, no create is sent twice, whoever dies.
describe.each<[ProcessName]>([['executor'], ['batcher'], ['write-gateway']])('kill -9 of the %s', (name) => {
  it('loses and doubles nothing', async () => {
    const run = `kill-${name}-${Date.now()}`;
    const killAt = new Set([90, 220]);
    let restarting: Promise<void> = Promise.resolve();
    const onAnswer = (answered: number): void => {
      if (!killAt.has(answered)) return;
      restarting = killAndRestart(restarting, name);
    };
    const sent = await send(system, { count: 350, run, onAnswer });
    await restarting;
    const verdict = await check(system, sent);
    // An executor that was killed idle would prove nothing.
    const hasLapsed = system.logLines().some((line) => line.event === 'leases.lapsed');
    expect(hasLapsed || name !== 'executor').toBe(true);
    report(`kill-9 ${name}`, verdict);
    expect(verdict).toMatchObject({ lost: 0, duplicates: 0, nonTerminal: 0, falseFailure: 0 });
    expect(verdict.accepted + verdict.unknown).toBe(350);
    // Without a client that loses replies the run would prove nothing about the gateway; with too many, little.
    expect(verdict.unknown).toBeLessThan(40);
  }, 120_000);
});

async function killAndRestart(previous: Promise<void>, name: ProcessName): Promise<void> {
  await previous;
  await system.processes.kill(name, 'SIGKILL');
  await system.processes.start(name);
}
