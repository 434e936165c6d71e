import { startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { startKafkaWire, type KafkaWire } from './kafka-wire';
import type { OwnServices } from './own-services';
import { parties, type Dependency, type Party } from './world';

/** A proxy for each party and dependency. */
export interface Links {
  of(party: Party, to: Dependency): TcpProxy;
  toKafka(party: Party): KafkaWire;
  /** The settings that lead the party over its links. */
  envOf(party: Party): Record<string, string>;
  close(): void;
}

const dependencies: readonly Dependency[] = ['postgres', 'redis', 'provider'];

export async function startLinks(services: OwnServices, sandboxUrl: string): Promise<Links> {
  const targets = { postgres: services.url('postgres'), redis: services.url('redis'), provider: sandboxUrl };
  const links = new Map<string, TcpProxy>();
  const kafka = new Map<string, KafkaWire>();
  const keyOf = ({ name, index = 0 }: Party, to: Dependency | 'kafka'): string => `${name}/${index}/${to}`;
  for (const party of parties) {
    for (const to of dependencies) links.set(keyOf(party, to), await startTcpProxy(targets[to]));
    kafka.set(keyOf(party, 'kafka'), await startKafkaWire(services.url('kafka')));
  }
  const existing = <T>(link: T | undefined, { name, index }: Party): T => {
    if (link === undefined) throw new Error(`there is no ${name} ${index}`);
    return link;
  };
  const of = (party: Party, to: Dependency): TcpProxy => existing(links.get(keyOf(party, to)), party);
  const toKafka = (party: Party): KafkaWire => existing(kafka.get(keyOf(party, 'kafka')), party);
  return {
    of,
    toKafka,
    envOf: (party) =>
      party.name === 'sandbox'
        ? {}
        : { ...linkedEnv((to) => of(party, to).url), KAFKA_BROKERS: toKafka(party).brokers },
    close: () => [...links.values(), ...kafka.values()].forEach((link) => link.close()),
  };
}

function linkedEnv(urlOf: (to: Dependency) => string): Record<string, string> {
  const provider = urlOf('provider').replace(/\/$/, '');
  return {
    DATABASE_URL: urlOf('postgres'),
    REDIS_URL: urlOf('redis'),
    HUBSPOT_API_URL: provider,
    SALESFORCE_LOGIN_URL: provider,
    SALESFORCE_INSTANCE_URL: provider,
  };
}
