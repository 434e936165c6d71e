/**
 * What a team asks of a chart that already runs Kubernetes: the values that good public charts have, each on every pod that it is for. One row
 * per guarantee; `platform` sets nearly all of them at once, so that one rendering answers most rows.
 */
import { execFileSync } from 'node:child_process';
import { version } from '../package.json';
import { containersOf, podsByComponent, render, type Manifest } from './render';
import { renderBeside } from './running-release';
import { helm, withHelm } from './tools';
import { accepted, digest, everyService, matrix, platform, refusedByServer } from './values';

/** What an operator runs, and whose settings it has. */
const commands: Readonly<Record<string, string>> = { reseal: 'management', restored: 'executor' };
const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];

const manifestsOf = (values: object): readonly Manifest[] => render(helm, values).manifests;
function find(values: object, which: string): Manifest {
  const [kind, name] = which.split('/');
  const found = manifestsOf(values).find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`no ${which} among ${manifestsOf(values).length} manifests`);
  return found;
}
const trial = matrix['a trial with a crash test'] ?? {};
const secrets = matrix['Secrets of the user'] ?? {};
const inTrial = { ...platform, ...trial, postgres: {}, redis: {}, kafka: {}, migration: {} };

describe('every pod', () => {
  const scheduling = {
    nodeSelector: { pool: 'apps' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    priorityClassName: 'high',
    dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }],
  };
  const components = [...services, 'migrate', ...Object.keys(commands), 'quick-check', 'crash-test'];

  withHelm.each([
    ['beside services of the user', platform, [...components, 'trial-sandbox']],
    ['in a trial', inTrial, [...components, 'trial-sandbox', 'trial-postgres', 'trial-kafka', 'trial-redis']],
  ])('goes where the platform wants it, %s', (_where, values, expected) => {
    const pods = podsByComponent(manifestsOf(values));
    expect(Object.keys(pods).toSorted()).toEqual(expected.toSorted());
    for (const [component, { spec, metadata }] of Object.entries(pods)) {
      // Maps are laid over the common ones, lists stand in place of them.
      const isExecutor = (commands[component] ?? component) === 'executor';
      const own = isExecutor ? { nodeSelector: { pool: 'apps', disk: 'ssd' }, tolerations: [] } : {};
      if (!isExecutor) expect([component, spec]).toEqual([component, expect.objectContaining(scheduling)]);
      else expect(spec).toMatchObject({ ...scheduling, nodeSelector: own.nodeSelector });
      expect(metadata).toMatchObject({ labels: { team: 'data' }, annotations: { 'example.com/owner': 'data' } });
    }
  });

  // By `kubectl create job --from=cronjob/sluice-reseal`: in the image and with the settings of its service, at no time by itself.
  withHelm.each(Object.entries(commands))('%s is a command of %s, which waits for an operator', (command, service) => {
    expect(find(platform, `CronJob/sluice-${command}`).spec).toMatchObject({ suspend: true });
    const pods = podsByComponent(manifestsOf(platform));
    const [ours, theirs] = [pods[command], pods[service]].map((pod) =>
      pod?.spec.containers.find(({ name }) => name === command || name === service),
    );
    expect(ours).toMatchObject({ image: theirs?.image, env: theirs?.env, command: ['node', `dist/${command}.js`] });
    expect(pods[command]?.spec).toMatchObject({ restartPolicy: 'Never' });
    expect(Object.keys(ours ?? {}).filter((name) => /Probe|ports/.test(name))).toEqual([]);
    expect(find(platform, `NetworkPolicy/sluice-${command}`)).toBeDefined();
  });

  withHelm('of ours gets mounts and environment, each name once', () => {
    for (const [component, { spec }] of Object.entries(podsByComponent(manifestsOf(platform)))) {
      expect([component, spec.volumes]).toEqual([
        component,
        expect.arrayContaining([{ name: 'authorities', configMap: { name: 'authorities' } }]),
      ]);
      const ours = spec.containers.filter((container) => container.name !== 'proxy');
      for (const { env = [], envFrom, volumeMounts, name } of ours) {
        expect([name, volumeMounts]).toEqual([
          name,
          expect.arrayContaining([{ name: 'authorities', mountPath: '/ca' }]),
        ]);
        expect(envFrom).toEqual([{ configMapRef: { name: 'common' } }]);
        expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy:3128' });
        expect(env).toContainEqual({ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } });
        expect(new Set(env.map((each) => each.name)).size).toBe(env.length);
      }
    }
  });

  // A ResourceQuota on requests, or on memory limits, takes no pod without them.
  withHelm.each(['a trial with a crash test', 'a crash test beside services of the user', 'everything on'])(
    'states what it needs, with %s',
    (name) => {
      const pods = podsByComponent(manifestsOf(matrix[name] ?? {}));
      for (const container of Object.values(pods).flatMap(({ spec }) => containersOf(spec))) {
        expect([container.name, container.resources]).toEqual([
          container.name,
          {
            requests: { cpu: expect.anything(), memory: expect.anything() },
            limits: expect.objectContaining({ memory: expect.anything() }),
          },
        ]);
      }
    },
  );
});

// kind, with its system pods: 950m of 2,000m are taken.
withHelm('a trial fits a node of two CPUs, with one more pod of each service', () => {
  const pods = Object.entries(podsByComponent(manifestsOf(matrix['a trial'] ?? {})));
  const running = pods.filter(
    ([component]) => !['migrate', 'quick-check', ...Object.keys(commands)].includes(component),
  );
  expect(running).toHaveLength(9);
  const asked = running.map(([component, { spec }]) => {
    const cpu = spec.containers.map(({ resources }) =>
      Number(/^(\d+)m$/.exec(resources?.requests?.['cpu'] ?? '')?.[1]),
    );
    return cpu.reduce((sum, each) => sum + each, 0) * (services.includes(component) ? 3 : 1);
  });
  expect(asked.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_050);
});

describe('certificates', () => {
  const secretOf = (values: object, component: string, name: string) =>
    containersOf(podsByComponent(manifestsOf(values))[component]?.spec).flatMap(
      ({ env = [] }) => env.find((each) => each.name === name)?.valueFrom?.secretKeyRef ?? [],
    );

  withHelm.each([
    ['DATABASE_CA', 'database-ca', 'ca.crt', [...services, 'migrate', 'crash-test']],
    ['DATABASE_CLIENT_CERT', 'database-client', 'tls.crt', [...services, 'migrate', 'crash-test']],
    ['DATABASE_CLIENT_KEY', 'database-client', 'tls.key', [...services, 'migrate', 'crash-test']],
    ['REDIS_CA', 'redis-ca', 'root.pem', ['management', 'search', 'write-gateway', 'executor']],
    ['REDIS_CLIENT_CERT', 'redis-client', 'tls.crt', ['management', 'search', 'write-gateway', 'executor']],
    ['REDIS_CLIENT_KEY', 'redis-client', 'tls.key', ['management', 'search', 'write-gateway', 'executor']],
    ['KAFKA_CA', 'kafka-ca', 'ca.crt', ['write-gateway', 'batcher', 'executor', 'migrate']],
    ['KAFKA_CLIENT_CERT', 'kafka-client', 'tls.crt', ['write-gateway', 'batcher', 'executor', 'migrate']],
    ['KAFKA_CLIENT_KEY', 'kafka-client', 'tls.key', ['write-gateway', 'batcher', 'executor', 'migrate']],
  ])('%s comes from its Secret, and to those alone that connect', (name, secret, key, to) => {
    for (const component of Object.keys(podsByComponent(manifestsOf(platform)))) {
      const found = secretOf(platform, component, name);
      const expected = to.includes(commands[component] ?? component)
        ? [expect.objectContaining({ name: secret, key })]
        : [];
      expect([component, found]).toEqual([component, expected]);
    }
  });
});

// Two releases on one Kafka would otherwise receive each other's announcements.
withHelm('topics of its own are known to all that have the brokers, the migration among them', () => {
  const valuesOf = (name: string) =>
    Object.entries(podsByComponent(manifestsOf(platform))).flatMap(([component, { spec }]) =>
      containersOf(spec).flatMap(({ env = [] }) =>
        env.filter((each) => each.name === name).map(({ value }) => [component, value]),
      ),
    );
  const withBrokers = valuesOf('KAFKA_BROKERS').map(([component]) => component);
  expect(withBrokers).toEqual(expect.arrayContaining(['write-gateway', 'batcher', 'executor', 'migrate']));
  expect(valuesOf('KAFKA_TOPIC_PREFIX')).toEqual(withBrokers.map((component) => [component, 'cell-two.']));
});

describe('the pods of an autoscaled service', () => {
  const replicasOf = (manifests: readonly Manifest[]) =>
    Object.fromEntries(
      services.map((service) => [
        service,
        manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `sluice-${service}`)?.spec
          ?.replicas,
      ]),
    );
  const values = { ...secrets, services: everyService({ autoscaling: { enabled: true, maxReplicas: 6 } }) };

  withHelm('are the least number at the first installation', () => {
    expect(Object.values(replicasOf(manifestsOf(values)))).toEqual([2, 2, 2, 2, 2]);
  });

  withHelm('stay as many as there are in an upgrade, within the bounds', async () => {
    const manifests = await renderBeside(helm, values, {
      'sluice-management': 4,
      'sluice-search': 1,
      'sluice-executor': 9,
    });
    expect(replicasOf(manifests)).toEqual({ management: 4, search: 2, 'write-gateway': 2, batcher: 2, executor: 6 });
  });

  withHelm('are left out for tools that render without a cluster', () => {
    const counts = replicasOf(manifestsOf({ ...values, omitReplicas: true }));
    expect(Object.values(counts)).toEqual(services.map(() => undefined));
  });
});

describe('an installation that fails', () => {
  withHelm('says why, soon, and its Job goes by itself', () => {
    const job = find(secrets, 'Job/sluice-migrate');
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook-output-log-policy': 'hook-failed' });
    expect(job.spec).toMatchObject({ backoffLimit: 1, ttlSecondsAfterFinished: 3_600 });
  });

  // A pod that waits for a Secret says nothing until the time is up.
  withHelm('names the Secret that is missing', () => {
    const [container] = podsByComponent(manifestsOf(platform))['migrate']?.spec.containers ?? [];
    const fromSecrets = (container?.env ?? []).filter(({ valueFrom }) => valueFrom?.secretKeyRef);
    expect(fromSecrets.length).toBeGreaterThan(5);
    for (const { valueFrom } of fromSecrets) expect(valueFrom?.secretKeyRef).toMatchObject({ optional: true });
    const sources = JSON.parse(container?.env?.find(({ name }) => name === 'MIGRATE_SECRETS')?.value ?? '{}') as object;
    expect(Object.keys(sources).toSorted()).toEqual(fromSecrets.map(({ name }) => name).toSorted());
    expect(sources).toMatchObject({ DATABASE_URL: 'key url of the Secret owner' });
  });

  withHelm('leaves nothing of its hooks and tests behind', () => {
    for (const values of [platform, matrix['URLs as values, generated keys'] ?? {}]) {
      const hooks = manifestsOf(values).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
      expect(hooks.length).toBeGreaterThan(2);
      for (const { kind, metadata, spec } of hooks) {
        const policy = metadata.annotations?.['helm.sh/hook-delete-policy'];
        // The Job stays for whoever reads its log; its time to live is above.
        const ends =
          kind === 'Job' ? [spec?.ttlSecondsAfterFinished !== undefined] : [/hook-failed/.test(policy ?? '')];
        expect([kind, metadata.name, policy, ...ends]).toEqual([
          kind,
          metadata.name,
          expect.stringMatching(/hook-succeeded/),
          true,
        ]);
      }
    }
  });
});

describe('network policies', () => {
  const egressOf = (values: object, component: string): number[] => {
    const { egress = [] } = find(values, `NetworkPolicy/sluice-${component}`).spec ?? {};
    return egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port)).filter((port) => port !== 53);
  };
  const named = {
    ...secrets,
    kafka: { brokers: ['a:9094', 'b:9095'] },
    redis: { url: 'rediss://cache:6380/1' },
    postgres: { url: 'postgres://a:b@db:6432/x?sslmode=verify-full' },
  };

  withHelm.each<[string, object, string, number[]]>([
    ['a service reaches the ports that values name', named, 'batcher', [5432, 9092, 6379, 9094, 9095, 6432, 6380]],
    ['and so does the migration', named, 'migrate', [5432, 9092, 6379, 9094, 9095, 6432, 6380]],
    [
      'what is listed replaces the defaults',
      { ...named, networkPolicy: { dependencyPorts: [] } },
      'batcher',
      [9094, 9095, 6432, 6380],
    ],
    ['the quick check reaches the services', secrets, 'quick-check', [4400, 4500, 4100, 4200, 4300]],
    [
      'the crash test reaches the Kubernetes API, too',
      trial,
      'crash-test',
      [4400, 4500, 4100, 4200, 4300, 5432, 9092, 6379, 4600, 443, 6443],
    ],
    ['a trial database reaches nothing', trial, 'trial-postgres', []],
    ['the broker of a trial reaches itself', trial, 'trial-kafka', [9092]],
    ['what waits for management reaches it', trial, 'batcher', [5432, 9092, 6379, 4100]],
  ])('%s', (_what, values, component, ports) => {
    expect(egressOf(values, component)).toEqual(ports);
  });

  withHelm('that of the migration is there before it runs', () => {
    const { annotations } = find(secrets, 'NetworkPolicy/sluice-migrate').metadata;
    expect(annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-weight': '-10' });
  });

  withHelm('a trial database lets in the pods of its release only', () => {
    const release = { podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'sluice' } } };
    const { spec } = find(trial, 'NetworkPolicy/sluice-trial-postgres');
    expect(spec).toMatchObject({ ingress: [{ from: [release], ports: [{ port: 5432 }] }] });
  });
});

const registry = 'registry.example.com';
const hosts = ['a.example.com', 'b.example.com', 's.example.com', 'w.example.com'];
/** What the manifests show of values, by path; a list has as many items as it shows. */
type Shown = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const ofPlatform: Shown = {
  'ServiceAccount/sluice-migrate': {
    'metadata.annotations': { 'eks.amazonaws.com/role-arn': 'arn:migrate', 'helm.sh/hook-weight': '-10' },
  },
  'ServiceAccount/sluice-executor': { 'metadata.annotations': { 'eks.amazonaws.com/role-arn': 'arn:executor' } },
  'Deployment/sluice-management': {
    'pod.imagePullSecrets': [{ name: 'global' }, { name: 'pull' }],
    'pod.containers': [{ image: `${registry}/sluice/management:${version}` }],
  },
  'Deployment/sluice-search': {
    'pod.serviceAccountName': 'readers',
    'pod.affinity': { podAntiAffinity: {} },
    'pod.topologySpreadConstraints.length': 1,
    'pod.topologySpreadConstraints.0': {
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
    },
    'pod.topologySpreadConstraints.0.labelSelector.matchLabels': { 'app.kubernetes.io/component': 'search' },
  },
  'Deployment/sluice-batcher': { 'pod.containers': [{ image: 'mirror.example.com/patched/batcher:0.1.1' }] },
  'Deployment/sluice-executor': {
    'metadata.annotations': { 'reloader.stakater.com/auto': 'true' },
    'spec.strategy.rollingUpdate.maxSurge': '25%',
    'pod.initContainers': [{ name: 'vault' }],
    'pod.containers': [{ name: 'executor' }, { name: 'proxy', image: 'envoy:1' }],
    'pod.containers.0.image': `${registry}/sluice/executor:${version}@${digest}`,
    'pod.containers.0.readinessProbe': { periodSeconds: 3, timeoutSeconds: 9 },
    'pod.containers.0.startupProbe': { failureThreshold: 60 },
  },
  'PodDisruptionBudget/sluice-executor': {
    spec: { maxUnavailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  },
  'Service/sluice-write-gateway': {
    'metadata.annotations': { 'example.com/lb': 'internal' },
    spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'], ports: [{ name: 'http' }] },
  },
  'Service/sluice-write-gateway-metrics': { 'spec.ports': [{ port: 4310 }] },
  'Ingress/sluice': {
    'spec.rules': hosts.map((host) => ({ host })),
    'spec.tls': [{ secretName: 'tls', hosts }, { secretName: 'more' }],
  },
  'HTTPRoute/sluice-write-gateway': {
    spec: { parentRefs: [{ name: 'gateway' }], hostnames: ['w.example.com'] },
    'spec.rules': [{ backendRefs: [{ name: 'sluice-write-gateway', port: 4300 }] }],
  },
  'HorizontalPodAutoscaler/sluice-management': {
    'spec.behavior.scaleDown.stabilizationWindowSeconds': 600,
    'spec.metrics': [{ resource: { name: 'cpu' } }, { resource: { name: 'memory' } }],
    'spec.metrics.1.resource.target.averageUtilization': 80,
  },
  'ScaledObject/sluice-executor': {
    spec: { minReplicaCount: 2, maxReplicaCount: 20, triggers: [{ type: 'prometheus' }, { type: 'cron' }] },
    'spec.triggers.0.metricType': 'Value',
    'spec.triggers.0.metadata.query': 'max(sluice_oldest_ready_seconds{namespace="sluice"})',
    'spec.triggers.0.metadata.threshold': '30',
  },
  'ConfigMap/sluice-extra': { 'data.at': 'sluice' },
  'ConfigMap/text': { 'data.a': 'b' },
  'NetworkPolicy/sluice-search': { 'spec.egress': [{}, {}, { to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] },
};

withHelm.each<[string, object, Shown]>([
  ['all that a platform asks', platform, ofPlatform],
  [
    'a trial',
    inTrial,
    { 'Deployment/sluice-trial-redis': { 'pod.containers': [{ image: `${registry}/library/redis:7.2` }] } },
  ],
  [
    'another user for the migration',
    { ...secrets, migration: { url: 'postgres://owner:x@db/s' } },
    { 'Secret/sluice-migrate': { 'stringData.DATABASE_URL': 'postgres://owner:x@db/s' } },
  ],
  [
    'a database of 0.2.0',
    { ...secrets, migrate: { from02: true } },
    { 'Job/sluice-migrate': { 'pod.containers.0.args': ['node', 'migrate.mjs', '--from-0.2'] } },
  ],
  ['another name', { ...secrets, fullnameOverride: 'hub' }, { 'Deployment/hub-search': {} }],
  [
    'another name of the app',
    { ...secrets, nameOverride: 'hub' },
    { 'Service/sluice-hub-search': { 'spec.selector': { 'app.kubernetes.io/name': 'hub' } } },
  ],
  [
    'a service that is turned off',
    { ...secrets, services: { search: { replicas: 0 } } },
    { 'Deployment/sluice-search': { 'spec.replicas': 0 } },
  ],
])('the values of %s are in the manifests', (_what, values, shown) => {
  for (const [which, members] of Object.entries(shown)) {
    const manifest: unknown = find(values, which);
    for (const [path, expected] of Object.entries(members)) {
      const names = path.replace(/^pod\./, 'spec.template.spec.').split('.');
      const found = names.reduce((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], manifest);
      expect({ [`${which} ${path}`]: found }).toMatchObject({ [`${which} ${path}`]: expected });
    }
  }
});

withHelm('OpenShift chooses the numbers of users itself', () => {
  const podSecurityContext = { runAsUser: null, runAsGroup: null, fsGroup: null };
  const pods = Object.values(podsByComponent(manifestsOf({ ...secrets, podSecurityContext })));
  const kept = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  expect(pods.map(({ spec }) => spec.securityContext)).toEqual(pods.map(() => kept));
});

withHelm.each(accepted)('takes %s', (_name, values) => {
  expect(render(helm, { ...secrets, ...values }).refusal).toBe('');
});

withHelm.each(refusedByServer)('refuses %s, as the API server would', (_name, values, reason) => {
  expect(render(helm, { ...secrets, ...values }).refusal).toMatch(reason);
});

// A chart above this one hands its own globals down.
withHelm('refuses a global that is not used, but not below another chart', () => {
  expect(render(helm, { ...secrets, global: { storageClass: 'fast' } }).refusal).toMatch(
    /global\.storageClass is not used/,
  );
});

withHelm('the pools of the defaults fit a Postgres as it comes, during a roll-out at full scale', () => {
  const args = ['install', 'sluice', 'helm/sluice', '--dry-run=client', '--set', 'trial.enabled=true'];
  const notes = execFileSync(helm, args, { cwd: `${__dirname}/../..`, encoding: 'utf8' });
  expect(notes).toMatch(/Database connections: at most 95 .*\n.* the server allows 100/);
  expect(notes).not.toContain('that is more than it allows');
  expect(notes).toContain('TRIAL: its data is temporary');
});
