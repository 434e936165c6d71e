import { podsByComponent, render } from './render';
import { helm, withHelm } from './tools';
import { matrix, platform } from './values';

/** What the profile `restricted` asks of a pod. Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ (1.34) */
interface Security {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seccompProfile?: { readonly type: string };
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
}
interface RestrictedContainer {
  readonly name: string;
  readonly securityContext?: Security;
  readonly ports?: readonly { readonly hostPort?: number }[];
}
interface RestrictedPod {
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly securityContext?: Security;
  readonly initContainers?: readonly RestrictedContainer[];
  readonly containers: readonly RestrictedContainer[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
}

const volumeTypes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** What an admission with `pod-security.kubernetes.io/enforce: restricted` would refuse. */
function violationsOf(pod: RestrictedPod): string[] {
  const { securityContext: ofPod = {}, volumes = [], initContainers = [], containers } = pod;
  const types = volumes.flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
  const found = types.filter((type) => !volumeTypes.includes(type)).map((type) => `volume ${type}`);
  if (pod.hostNetwork || pod.hostPID || pod.hostIPC) found.push('a namespace of the node');
  for (const { name, securityContext: own = {}, ports = [] } of [...initContainers, ...containers]) {
    const rules: Readonly<Record<string, boolean>> = {
      runAsNonRoot: (own.runAsNonRoot ?? ofPod.runAsNonRoot) === true,
      runAsUser: (own.runAsUser ?? ofPod.runAsUser) !== 0,
      seccompProfile: ['RuntimeDefault', 'Localhost'].includes(
        (own.seccompProfile ?? ofPod.seccompProfile)?.type ?? '',
      ),
      privileged: own.privileged !== true,
      allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
      'capabilities.drop': own.capabilities?.drop?.includes('ALL') === true,
      'capabilities.add': (own.capabilities?.add ?? []).every((one) => one === 'NET_BIND_SERVICE'),
      hostPort: ports.every(({ hostPort }) => hostPort === undefined),
    };
    found.push(
      ...Object.keys(rules)
        .filter((rule) => !rules[rule])
        .map((rule) => `${name}: ${rule}`),
    );
  }
  return found;
}

/** Containers that a user adds are as the user gave them. */
const added = ['vault', 'proxy'];
const violationsIn = (values: object): [string, string[]][] =>
  Object.entries(podsByComponent(render(helm, values).manifests)).map(([component, { spec }]) => [
    component,
    violationsOf(spec as RestrictedPod).filter((text) => !added.some((name) => text.startsWith(`${name}: `))),
  ]);

// The pods of a trial, of hooks and of tests among them: a namespace that enforces the profile takes all or the installation fails.
withHelm.each([...Object.entries(matrix), ['all that a platform asks', platform] as const])(
  'every pod is one that the profile "restricted" takes, with %s',
  (_name, values) => {
    const found = violationsIn(values);
    expect(found.length).toBeGreaterThan(7);
    expect(found.filter(([, violations]) => violations.length > 0)).toEqual([]);
  },
);

withHelm('the check of the profile names what it refuses', () => {
  const loose = {
    ...matrix['Secrets of the user'],
    podSecurityContext: { runAsNonRoot: null, runAsUser: 0, seccompProfile: null },
    containerSecurityContext: { allowPrivilegeEscalation: null, capabilities: { drop: null, add: ['SYS_ADMIN'] } },
    extraVolumes: [{ name: 'node', hostPath: { path: '/' } }],
  };
  const rules = [
    'runAsNonRoot',
    'runAsUser',
    'seccompProfile',
    'allowPrivilegeEscalation',
    'capabilities.drop',
    'capabilities.add',
  ];
  const found = Object.fromEntries(violationsIn(loose));
  expect(found['executor']).toEqual(['volume hostPath', ...rules.map((rule) => `executor: ${rule}`)]);
  expect(violationsOf({ hostPID: true, containers: [] })).toEqual(['a namespace of the node']);
});
