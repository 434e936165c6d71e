import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { readProcessEnv } from '@sluice/config';
import { until } from '@sluice/testkit';
import { createAuthority } from './authority';
import { freePortBase } from './free-port-base';

/** A broker that talks TLS only, with a certificate of its own, and only to who signs in. */
export interface SecuredKafka {
  readonly broker: string;
  /** The same broker where a client shows a certificate in place of a login. */
  readonly certifiedBroker: string;
  readonly client: { readonly cert: string; readonly key: string };
  /** PEM of the certificate that signs the broker's. */
  readonly ca: string;
  readonly login: { readonly username: string; readonly password: string };
  stop(): void;
}

const login = { username: 'sluice', password: 'canary-broker-password' };
const storePassword = 'changeit';
const securityPackage = 'org.apache.kafka.common.security';

/** Where the starter of deploy/stack keeps the release; a machine that runs Kafka in a container has none. */
const env = readProcessEnv();
const jars = join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'sluice', 'kafka-4.3.1');
export const canSecureKafka = existsSync(jars);

export async function startSecuredKafka(): Promise<SecuredKafka> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-secured-kafka-'));
  const port = (await freePortBase()) + 92;
  const ca = makeCertificate(folder);
  const client = makeClient(folder);
  const properties = join(folder, 'server.properties');
  writeFileSync(properties, settings(folder, port));
  const java = ['-Xmx256m', '-XX:+UseSerialGC', '-cp', join(jars, '*')];
  const scram = `SCRAM-SHA-512=[name=${login.username},password=${login.password}]`;
  const format = ['format', '--standalone', '-t', 'AAAAAAAAAAAAAAAAAAAAAA', '-c', properties, '--add-scram', scram];
  execFileSync('java', [...java, 'kafka.tools.StorageTool', ...format], { stdio: 'pipe' });
  const broker = spawn('java', [...java, 'kafka.Kafka', properties], { stdio: 'ignore' });
  const stop = (): void => {
    broker.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  await until('the secured broker listens', async () => (await listens(port, broker)) || undefined, 180_000).catch(
    (error: unknown) => {
      stop();
      throw error;
    },
  );
  return { broker: `localhost:${port}`, certifiedBroker: `localhost:${port + 2}`, client, ca, login, stop };
}

/** @returns the certificate; its key goes into `broker.p12` */
function makeCertificate(folder: string): string {
  const store = ['-keystore', join(folder, 'broker.p12'), '-storetype', 'PKCS12', '-storepass', storePassword];
  const who = ['-alias', 'broker', '-dname', 'CN=localhost', '-ext', 'SAN=dns:localhost', '-validity', '2'];
  execFileSync('keytool', ['-genkeypair', '-keyalg', 'RSA', ...who, ...store], { stdio: 'pipe' });
  return execFileSync('keytool', ['-exportcert', '-rfc', '-alias', 'broker', ...store], { stdio: 'pipe' }).toString();
}

/** @returns a certificate of an authority that the broker trusts on its second listener */
function makeClient(folder: string) {
  const authority = createAuthority(mkdtempSync(join(folder, 'ca-')));
  const store = ['-keystore', join(folder, 'clients.p12'), '-storetype', 'PKCS12', '-storepass', storePassword];
  execFileSync('keytool', ['-importcert', '-noprompt', '-alias', 'clients', '-file', authority.caFile, ...store], {
    stdio: 'pipe',
  });
  const { cert, key } = authority.issue('sluice');
  return { cert, key };
}

function settings(folder: string, port: number): string {
  const { username, password } = login;
  const plain = `${securityPackage}.plain.PlainLoginModule required username="${username}" password="${password}" user_${username}="${password}";`;
  const listeners = `SECURED://localhost:${port},CERTIFIED://localhost:${port + 2},CONTROLLER://127.0.0.1:${port + 1}`;
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.bootstrap.servers': `127.0.0.1:${port + 1}`,
    'controller.listener.names': 'CONTROLLER',
    listeners,
    'advertised.listeners': listeners,
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,SECURED:SASL_SSL,CERTIFIED:SSL',
    'inter.broker.listener.name': 'SECURED',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
    'listener.name.secured.plain.sasl.jaas.config': plain,
    'listener.name.secured.scram-sha-512.sasl.jaas.config': `${securityPackage}.scram.ScramLoginModule required;`,
    'ssl.keystore.location': join(folder, 'broker.p12'),
    'ssl.keystore.password': storePassword,
    'ssl.truststore.location': join(folder, 'broker.p12'),
    'ssl.truststore.password': storePassword,
    'listener.name.certified.ssl.client.auth': 'required',
    'listener.name.certified.ssl.truststore.location': join(folder, 'clients.p12'),
    'listener.name.certified.ssl.truststore.password': storePassword,
    'log.dirs': join(folder, 'data'),
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function listens(port: number, broker: ChildProcess): Promise<boolean> {
  if (broker.exitCode !== null) throw new Error(`the broker ended with ${broker.exitCode}`);
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
