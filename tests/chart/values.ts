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
export const digest = `sha256:${'0a'.repeat(32)}`;
const keys = { credentialsKeys: { existingSecret: 'keys', key: 'ring' }, adminKey: { existingSecret: 'keys' } };
const hosts = { management: 'sluice.example.com', search: 'search.example.com', write: 'write.example.com' };
/** The same of each service. */
export const everyService = (own: object) =>
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
      ...everyService({ autoscaling: { enabled: true }, env: { OTEL_BSP_MAX_QUEUE_SIZE: 4096 } }),
      executor: { autoscaling: { enabled: true, externalMetric: { name: 'sluice_oldest_ready_seconds', value: 30 } } },
    },
    providers: { egressAllow: ['10.0.0.0/8'] },
    settings: { trustedProxies: ['10.244.0.0/16', 'fd00::/8'] },
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
  ['a prefix that no topic may have', { ...urls, kafka: { ...urls.kafka, topicPrefix: 'a b' } }, /topicPrefix/],
  ['a broker without a port', { ...urls, kafka: { brokers: ['kafka'] } }, /brokers/],
  ['fewer replicas than none', { ...urls, services: { search: { replicas: -1 } } }, /replicas/],
  [
    'fewer at most than at least',
    { ...urls, services: { search: { replicas: 9 } } },
    /services\.search: autoscaling\.maxReplicas \(3\) must be at least replicas \(9\)/,
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
  ['a misspelt value of a service', { ...urls, services: { search: { nodeSelectors: {} } } }, /nodeSelectors/],
  ['a misspelt value of a workload', { ...urls, migration: { tolerationz: [] } }, /tolerationz/],
  [
    'a client certificate without TLS',
    { ...urls, kafka: { brokers: ['k:9093'], tls: { clientSecret: 'client' } } },
    /kafka\.tls\.clientSecret needs/,
  ],
  [
    'a migration with two databases',
    { ...urls, migration: { url: 'postgres://a@b/c', existingSecret: 'owner' } },
    /migration: give existingSecret or url/,
  ],
  [
    'one account made five times',
    { ...urls, serviceAccount: { name: 'sluice' } },
    /serviceAccount\.name with create=true/,
  ],
  ['a route without a Gateway', { ...urls, httpRoute: { enabled: true, hosts } }, /httpRoute\.parentRefs/],
  ['a digest of no image', { ...urls, image: { digests: { exekutor: digest } } }, /exekutor/],
];

/** Nearly everything that a platform may ask, at once. */
export const platform = {
  ...keys,
  global: { imageRegistry: 'registry.example.com', imagePullSecrets: ['global'] },
  image: { pullSecrets: ['pull'], digests: { executor: digest } },
  postgres: { existingSecret: 'urls', tls: { caSecret: 'database-ca', clientSecret: 'database-client' } },
  redis: { existingSecret: 'urls', tls: { caSecret: 'redis-ca', caKey: 'root.pem', clientSecret: 'redis-client' } },
  kafka: {
    brokers: ['kafka.internal:9094'],
    topicPrefix: 'cell-two.',
    tls: { enabled: true, caSecret: 'kafka-ca', clientSecret: 'kafka-client' },
    sasl: { mechanism: 'plain', existingSecret: 'kafka-login' },
  },
  migration: {
    existingSecret: 'owner',
    key: 'url',
    serviceAccount: { create: true, annotations: { 'eks.amazonaws.com/role-arn': 'arn:migrate' } },
  },
  nodeSelector: { pool: 'apps' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  priorityClassName: 'high',
  dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }],
  podLabels: { team: 'data' },
  podAnnotations: { 'example.com/owner': 'data' },
  env: { HTTPS_PROXY: 'http://proxy:3128', POD_IP: { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } } },
  envFrom: [{ configMapRef: { name: 'common' } }],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/ca' }],
  networkPolicy: { extraEgress: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] },
  sandbox: { enabled: true },
  crashTest: { enabled: true },
  ingress: {
    enabled: true,
    hosts: { management: ['a.example.com', 'b.example.com'], search: 's.example.com', write: 'w.example.com' },
    tlsSecret: 'tls',
    tls: [{ secretName: 'more', hosts: ['b.example.com'] }],
  },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: 'gateway' }],
    hosts: { management: 'm.example.com', search: ['s.example.com'], write: 'w.example.com' },
  },
  extraObjects: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'sluice-extra' },
      data: { at: '{{ .Release.Namespace }}' },
    },
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: text }\ndata: { a: b }\n',
  ],
  services: {
    management: {
      autoscaling: {
        enabled: true,
        memoryPercent: 80,
        behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
      },
    },
    search: {
      serviceAccount: { create: false, name: 'readers' },
      affinity: { podAntiAffinity: {} },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
    'write-gateway': {
      // As the chart sets it, and yet once.
      env: { SLUICE_LOG_LEVEL: 'debug' },
      service: {
        type: 'LoadBalancer',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        annotations: { 'example.com/lb': 'internal' },
      },
    },
    batcher: { image: { registry: 'mirror.example.com', repository: 'patched/batcher', tag: '0.1.1' } },
    executor: {
      annotations: { 'reloader.stakater.com/auto': 'true' },
      nodeSelector: { disk: 'ssd' },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:executor' } },
      podDisruptionBudget: { maxUnavailable: '50%' },
      probes: { readiness: { timeoutSeconds: 9 } },
      strategy: { rollingUpdate: { maxSurge: '25%' } },
      initContainers: [{ name: 'vault', image: 'vault:1' }],
      sidecars: [{ name: 'proxy', image: 'envoy:1' }],
      autoscaling: {
        enabled: true,
        maxReplicas: 20,
        keda: {
          serverAddress: 'http://prometheus:9090',
          triggers: [
            {
              type: 'cron',
              metadata: { timezone: 'UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: '4' },
            },
          ],
        },
      },
    },
  },
};

const ofSearch = (own: object) => ({ services: { search: own } });

/** Values that Kubernetes takes, so that the schema has no business with them. */
export const accepted: readonly (readonly [string, object])[] = [
  ['a number of CPUs', ofSearch({ resources: { requests: { cpu: 1 }, limits: { cpu: 1.5, memory: 268435456 } } })],
  ['no replica at all', ofSearch({ replicas: 0 })],
  ['a share of pods that may be away', { podDisruptionBudget: { maxUnavailable: '25%' } }],
  ['extended resources', ofSearch({ resources: { limits: { 'example.com/gpu': 1, 'ephemeral-storage': '1Gi' } } })],
  ['empty lists and maps', { tolerations: [], nodeSelector: {}, affinity: {}, global: {}, extraObjects: [] }],
];

/** Values that the API server refuses, and what the refusal must name. */
export const refusedByServer: readonly (readonly [string, object, RegExp])[] = [
  ['a quantity that is none', ofSearch({ resources: { requests: { memory: '128 MB' } } }), /memory/],
  ['a toleration of an unknown effect', { tolerations: [{ operator: 'Exists', effect: 'NoStart' }] }, /tolerations/],
  ['a label that is too long', { podLabels: { team: 'x'.repeat(64) } }, /podLabels/],
  ['a label that selects pods', { podLabels: { 'app.kubernetes.io/name': 'hub' } }, /app\.kubernetes\.io\/name/],
  ['a node label that is none', { nodeSelector: { 'disk type': 'ssd' } }, /disk type/],
  ['an annotation that is no text', { podAnnotations: { scrape: true } }, /podAnnotations/],
  ['a disruption budget that is none', { podDisruptionBudget: { maxUnavailable: 'half' } }, /maxUnavailable/],
  ['a port above all ports', { kafka: { brokers: ['kafka:99999'] } }, /brokers/],
  ['a Secret with a name that is none', { postgres: { existingSecret: 'My_Secret' } }, /existingSecret/],
  ['a key of a Secret that is none', { postgres: { existingSecret: 'a', key: 'a/b' } }, /key/],
  ['a variable with a name that is none', ofSearch({ env: { 'A B': 'x' } }), /A B/],
  ['a variable from nowhere', ofSearch({ env: { A: { from: {} } } }), /env/],
  ['a mount without a path', { extraVolumeMounts: [{ name: 'a' }] }, /extraVolumeMounts/],
  ['a policy of DNS that is none', { dnsPolicy: 'Local' }, /dnsPolicy/],
  ['a constraint without a key', { topologySpreadConstraints: [{ maxSkew: 1 }] }, /topologySpreadConstraints/],
  ['a Service of an unknown type', { service: { type: 'Cluster' } }, /type/],
];
