import { podsByComponent, render } from './render';
import { helm, withHelm } from './tools';

const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
/** The part of the values that each pod has, where its name is another one. */
const parts: Readonly<Record<string, string>> = {
  reseal: 'management',
  restored: 'executor',
  migrate: 'migration',
  'quick-check': 'quick',
  'crash-test': 'crash',
  'trial-sandbox': 'imitations',
  'trial-postgres': 'trial',
  'trial-kafka': 'trial',
  'trial-redis': 'trial',
};

// What runs once is as subject to taints and quotas as what stays.
withHelm('every pod takes what its own part of the values says, which no other pod gets', () => {
  const resources = { requests: { cpu: '7m', memory: '7Mi' }, limits: { memory: '7Mi' } };
  const ownOf = (name: string) => ({
    nodeSelector: { own: name },
    tolerations: [{ key: name, operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: name,
    podLabels: { own: name },
    podAnnotations: { own: name },
    podSecurityContext: { runAsUser: 4_711 },
    env: { OWN: name },
    envFrom: [{ secretRef: { name } }],
    extraVolumes: [{ name, emptyDir: {} }],
    extraVolumeMounts: [{ name, mountPath: '/own' }],
  });
  const withResources = (name: string) => ({ ...ownOf(name), resources });
  const values = {
    trial: {
      enabled: true,
      // Of the services, in a trial.
      requests: resources.requests,
      ...ownOf('trial'),
      resources: { postgres: resources, kafka: resources, redis: resources },
    },
    services: Object.fromEntries(services.map((name) => [name, withResources(name)])),
    migration: withResources('migration'),
    test: { enabled: true, ...withResources('quick') },
    crashTest: { enabled: true, ...withResources('crash') },
    sandbox: withResources('imitations'),
  };
  const pods = Object.entries(podsByComponent(render(helm, values).manifests));
  expect(pods.length).toBe(14);
  for (const [component, { spec, metadata }] of pods) {
    const name = parts[component] ?? component;
    const own = ownOf(name);
    const { nodeSelector, tolerations, affinity, priorityClassName, podSecurityContext: securityContext } = own;
    const main = spec.containers.find((container) => !['wait', 'proxy'].includes(container.name));
    expect([component, spec, metadata, main]).toEqual([
      component,
      expect.objectContaining({ nodeSelector, tolerations, affinity, priorityClassName }),
      expect.objectContaining({
        labels: expect.objectContaining(own.podLabels),
        annotations: expect.objectContaining(own.podAnnotations),
      }),
      expect.objectContaining({
        resources,
        env: expect.arrayContaining([{ name: 'OWN', value: name }]),
        envFrom: own.envFrom,
        volumeMounts: expect.arrayContaining(own.extraVolumeMounts),
      }),
    ]);
    expect(spec.securityContext).toMatchObject(securityContext);
    expect(spec.volumes).toEqual(expect.arrayContaining(own.extraVolumes));
  }
});
