import { join } from 'node:path';
import { createServiceProcesses, type ServiceProcesses } from '@sluice/local';
import { migrateDatabase } from '@sluice/store';
import { createCustomer, type Customer } from '../../harness/customer';
import { freePortBase } from '../../harness/free-port-base';
import { createProject } from '../../harness/project';
import { createTopics, processEnvironment, readLog, stackAt, type Stack } from '../../harness/stack';
import { startLinks, type Links } from './links';
import { startOwnServices, type OwnServices } from './own-services';
import { parties, type Party, type World, type WorldOptions } from './world';

/** Starts of one process before it counts as broken. */
const startsMax = 5;
/** What `processEnvironment` takes for stacks that ask for nothing else. */
const defaultTimeScale = 60;

/** Starts everything and connects two customers. Nothing is left running when it fails. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const services = await startOwnServices(options.diskMb);
  const stops: (() => Promise<void> | void)[] = [() => services.stop()];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    await Promise.all([migrateDatabase(services.url('postgres')), createTopics(services.url('kafka').split(','))]);
    const portBases = await twoPortBases();
    const links = await startLinks(services, `http://127.0.0.1:${portBases[0] + 600}`);
    stops.push(() => links.close());
    const processes = portBases.map((portBase, index) =>
      createServiceProcesses({
        portBase,
        logDir: join(services.folder, `logs-${index}`),
        env: environment(options, services),
      }),
    ) as [ServiceProcesses, ServiceProcesses];
    stops.push(async () => void (await Promise.all(processes.map((each) => each.stop()))));
    return await openWorld({ options, services, links, processes, portBases, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Running {
  readonly options: WorldOptions;
  readonly services: OwnServices;
  readonly links: Links;
  readonly processes: readonly [ServiceProcesses, ServiceProcesses];
  readonly portBases: readonly [number, number];
  readonly stop: () => Promise<void>;
}

async function openWorld(running: Running): Promise<World> {
  const { services, links, processes } = running;
  const of = ({ index = 0 }: Party): ServiceProcesses => processes[index];
  const startOnce: World['start'] = (party, env = {}) => of(party).start(party.name, { ...links.envOf(party), ...env });
  const start: World['start'] = (party, env) => startAsSupervisor(() => startOnce(party, env));
  await Promise.all(parties.map((party) => start(party)));
  const stack = stackOf(running);
  const customers = await connectCustomers(stack, running.options);
  return {
    stack,
    customers,
    timeScale: running.options.timeScale ?? defaultTimeScale,
    writeUrls: [`${processes[0].url('write-gateway')}/v1`, `${processes[1].url('write-gateway')}/v1`],
    url: (party) => of(party).url(party.name),
    pid: (party) => of(party).pid(party.name),
    start,
    startOnce,
    kill: (party, signal) => of(party).kill(party.name, signal),
    link: (party, to) => links.of(party, to),
    kafkaLink: (party) => links.toKafka(party),
    killService: (name) => services.crash(name),
    startService: () => services.restart(),
    folder: services.folder,
    serviceUrl: (name) => services.url(name),
    logLines: () => stack.logLines(),
    openFolders: [
      join(services.folder, 'logs-0'),
      join(services.folder, 'logs-1'),
      join(services.folder, 'data', 'kafka', 'data'),
    ],
    secrets: [
      stack.adminKey,
      ...customers.flatMap(({ project, account }) => [project.key, account.token, account.refreshToken]),
    ],
    stop: running.stop,
  };
}

/** A process that cannot reach its database in time refuses to start, and its supervisor tries again. */
async function startAsSupervisor(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === startsMax) throw error;
    }
  }
}

/** What the other harness knows as a stack: the first of each service. */
function stackOf({ services, portBases }: Running): Stack {
  const logDir = join(services.folder, 'logs-0');
  return {
    ...stackAt({ portBase: portBases[0], logDir, databaseUrl: services.url('postgres') }),
    logLines: () =>
      parties.flatMap(({ name, index }) => readLog(join(services.folder, `logs-${index}`, `${name}.log`))),
  };
}

async function connectCustomers(stack: Stack, { latencyMs = 15 }: WorldOptions): Promise<[Customer, Customer]> {
  const project = await createProject(stack);
  const accountOptions = { latencyMs };
  return [
    await createCustomer(stack, {
      provider: 'hubspot',
      project,
      accountOptions,
      read: ['contacts'],
      write: ['contacts'],
    }),
    await createCustomer(stack, {
      provider: 'salesforce',
      project,
      accountOptions,
      read: ['Contact'],
      write: ['Contact'],
    }),
  ];
}

function environment({ env, timeScale }: WorldOptions, services: OwnServices): Record<string, string> {
  const options = { ...(env && { env }), ...(timeScale && { timeScale }) };
  const all = processEnvironment(options, { databaseUrl: services.url('postgres'), providerUrl: 'http://127.0.0.1:1' });
  const own = { KAFKA_BROKERS: services.url('kafka'), SLUICE_IDLE_GRACE_MS: '3000' };
  return { ...all, ...own, ...env };
}

/** So far apart that no two of their ports are one. */
async function twoPortBases(): Promise<[number, number]> {
  for (;;) {
    const bases: [number, number] = [await freePortBase(), await freePortBase()];
    // The ports of a service lie a multiple of 100 from the base, those of its metrics 10 further.
    if ((bases[0] - bases[1]) % 10 !== 0) return bases;
  }
}
