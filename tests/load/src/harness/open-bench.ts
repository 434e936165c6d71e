import type { Addresses } from './addresses';
import type { Bench } from './bench';
import { startLoadGenerator } from './generate-load';
import { startProvider } from './provider';
import { startSystem, type System } from './system';

export interface OpenBench extends Bench {
  close(): Promise<void>;
}

/** What the system of a quick run has: all that any row asks for. */
const everything = {
  services: ['search', 'write-gateway', 'batcher', 'executor'],
  customers: 24,
} as const;

/** Starts the imitated provider and the load generator; our services start with the rows. */
export async function openBench(addresses: Addresses, isQuick: boolean): Promise<OpenBench> {
  const [provider, load] = await Promise.all([startProvider(), startLoadGenerator()]);
  let shared: Promise<System> | undefined;
  return {
    isQuick,
    addresses,
    provider,
    load,
    say: (line) => void process.stdout.write(`    ${line}\n`),
    withSystem: async (options, work) => {
      if (isQuick) return await work(await (shared ??= startSystem(addresses, provider, everything)));
      await provider.reset();
      const system = await startSystem(addresses, provider, options);
      try {
        return await work(system);
      } finally {
        await system.stop();
      }
    },
    close: async () => {
      await (await shared)?.stop();
      await Promise.all([provider.stop(), load.stop()]);
    },
  };
}
