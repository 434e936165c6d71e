/** Values that an installation may bring: each row of the matrix is rendered and judged. */
const secrets = {
  postgres: { existingSecret: 'urls' },
  redis: { existingSecret: 'urls' },
  kafka: { brokers: ['kafka-0.internal:9092', 'kafka-1.internal:9092'] },
};
const urls = {
  postgres: { url: 'postgres://sluice:secret@postgres.internal:5432/sluice' },
  redis: { url: 'rediss://redis.internal:6379' },
  kafka: { brokers: ['kafka.internal:9092'] },
};
const keys = { credentialsKeys: { existingSecret: 'keys', key: 'ring' }, adminKey: { existingSecret: 'keys' } };
const hosts = { management: 'sluice.example.com', search: 'search.example.com', write: 'write.example.com' };
const everyService = (own: object) =>
  Object.fromEntries(['management', 'search', 'write-gateway', 'batcher', 'executor'].map((name) => [name, own]));

export const matrix: Readonly<Record<string, object>> = {
  'a trial': { trial: { enabled: true } },
  'a trial with a crash test': { trial: { enabled: true }, crashTest: { enabled: true } },
  'a crash test beside services of the user': {
    ...secrets,
    ...keys,
    sandbox: { enabled: true },
    crashTest: { enabled: true, deletions: 20 },
  },
  'Secrets of the user': { ...secrets, ...keys },
  'URLs as values, generated keys': urls,
  'everything on': {
    ...secrets,
    ...keys,
    kafka: {
      brokers: ['kafka.internal:9093'],
      tls: { enabled: true, caSecret: 'kafka-ca' },
      sasl: { mechanism: 'scram-sha-512', existingSecret: 'kafka-login' },
    },
    image: { registry: 'registry.example.com/team', tag: '1.2.3', pullSecrets: ['pull'] },
    ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, hosts, tlsSecret: 'tls' },
    networkPolicy: {
      callers: { 'kubernetes.io/metadata.name': 'ingress-nginx' },
      monitoring: { 'kubernetes.io/metadata.name': 'monitoring' },
    },
    telemetry: { otlp: { endpoint: 'http://collector.monitoring:4318', headersSecret: 'otlp' }, sampleRatio: 0.05 },
    migration: { existingSecret: 'owner', key: 'url' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, runbookBaseUrl: 'https://wiki.example.com/runbooks' },
    dashboards: { enabled: true },
    services: {
      ...everyService({ autoscaling: { enabled: true }, env: { SLUICE_CHECK_REPLIES: true } }),
      executor: { autoscaling: { enabled: true, externalMetric: { name: 'sluice_oldest_ready_seconds', value: 30 } } },
    },
    providers: { egressAllow: ['10.0.0.0/8'] },
    podAnnotations: { team: 'data' },
    podLabels: { team: 'data' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  },
  'providers that are files': {
    ...secrets,
    ...keys,
    providers: { files: { 'stockroom.yaml': 'format: 1\nname: stockroom\n' }, filesUrl: 'http://sandbox:4600' },
  },
  'providers in a ConfigMap of the user': { ...secrets, ...keys, providers: { filesConfigMap: 'our-providers' } },
  'everything off': {
    ...urls,
    podDisruptionBudget: { enabled: false },
    networkPolicy: { enabled: false },
    topologySpread: { enabled: false },
    test: { enabled: false },
    services: everyService({ replicas: 1, autoscaling: { enabled: false } }),
  },
};

/** Values that are refused, and what the refusal must name. */
export const refused: readonly (readonly [string, object, RegExp])[] = [
  ['no database', { redis: urls.redis, kafka: urls.kafka }, /postgres: give existingSecret/],
  ['no Redis', { postgres: urls.postgres, kafka: urls.kafka }, /redis: give existingSecret/],
  ['no broker', { postgres: urls.postgres, redis: urls.redis }, /kafka\.brokers: give at least one/],
  ['a trial beside a database', { ...urls, trial: { enabled: true } }, /trial\.enabled brings its own/],
  ['a misspelt name', { ...urls, postgress: {} }, /postgress/],
  ['a misspelt service', { ...urls, services: { exekutor: {} } }, /exekutor/],
  ['a URL of another protocol', { ...urls, redis: { url: 'http://redis' } }, /redis/],
  ['a broker without a port', { ...urls, kafka: { brokers: ['kafka'] } }, /brokers/],
  ['no replica', { ...urls, services: { search: { replicas: 0 } } }, /replicas/],
  [
    'fewer at most than at least',
    { ...urls, services: { search: { replicas: 9 } } },
    /services\.search: autoscaling\.maxReplicas \(6\) must be at least replicas \(9\)/,
  ],
  ['an ingress without hosts', { ...urls, ingress: { enabled: true } }, /ingress\.hosts\.\w+ is required/],
  [
    'a login without a Secret',
    { ...urls, kafka: { brokers: ['k:9093'], sasl: { mechanism: 'plain' } } },
    /sasl\.existingSecret/,
  ],
  [
    'an authority without TLS',
    { ...urls, kafka: { brokers: ['k:9093'], tls: { caSecret: 'ca' } } },
    /tls\.caSecret needs/,
  ],
  [
    'a crash test that would write to real providers',
    { ...urls, crashTest: { enabled: true } },
    /crashTest\.enabled writes to imitated providers/,
  ],
  [
    'provider files from two places',
    { ...urls, providers: { files: { 'a.yaml': 'format: 1' }, filesConfigMap: 'ours' } },
    /providers: give files or filesConfigMap/,
  ],
  ['a provider file that is none', { ...urls, providers: { files: { stockroom: 'format: 1' } } }, /stockroom/],
  ['a share above 1', { ...urls, telemetry: { sampleRatio: 2 } }, /sampleRatio/],
  ['a base of runbooks that is no URL', { ...urls, prometheusRule: { runbookBaseUrl: 'wiki' } }, /runbookBaseUrl/],
  ['a level of log that is none', { ...urls, settings: { logLevel: 'loud' } }, /logLevel/],
];
