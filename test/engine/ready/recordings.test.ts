import { readinessOf } from '../../../src/engine/ready/wait-ready';
import {
  FAMILIES,
  Generation,
  GENERATIONS,
  Recording,
  recordingOf,
  withFamilies,
} from '../../support/recordings';

const named = (...names: string[]): RegExp => new RegExp(`/(${names.join('|')})$`);

/**
 * The verdicts on the states of an object, in their order, the same ones in a row once. All that is
 * not named here is ready at once.
 */
const VERDICTS: {
  readonly [files: string]: readonly (readonly [objects: RegExp, verdicts: string])[];
} = {
  'harvester-platform': [
    [/^v1\/Secret\/.*-token$/, 'waiting, ready'],
    [/KeyPair|IPPool/, 'waiting, ready'],
    // no controller of theirs was there
    [/\/ClusterNetwork\/|\/VirtualMachine\//, 'waiting'],
    [/VirtualMachineImage/, 'waiting, failing'],
  ],
  'harvester-settings-set': [
    // what they need was not there
    [
      named('additional-ca', 'auto-disk-provision-paths', 'containerd-registry', 'http-proxy'),
      'waiting, failing',
    ],
    [
      named(
        'additional-guest-memory-overhead-ratio',
        'auto-rotate-rke2-certs',
        'kubeconfig-default-token-ttl-minutes',
        'kubevirt-migration',
        'log-level',
        'longhorn-v2-data-engine-enabled',
        'max-hotplug-ratio',
        'ntp-servers',
        'overcommit-config',
        'ssl-parameters',
        'vip-pools',
      ),
      'waiting, ready',
    ],
  ],
  'harvester-settings-reset': [
    // unexpected end of JSON input
    [named('auto-rotate-rke2-certs', 'vip-pools'), 'waiting, failing'],
    [
      named(
        'additional-guest-memory-overhead-ratio',
        'kubeconfig-default-token-ttl-minutes',
        'kubevirt-migration',
        'log-level',
        'longhorn-v2-data-engine-enabled',
        'max-hotplug-ratio',
        'ntp-servers',
        'overcommit-config',
        'ssl-parameters',
      ),
      'waiting, ready',
    ],
  ],
  'rancher-.*': [
    // no agent ever connected
    [/^provisioning\.cattle\.io\/v1\/Cluster\//, 'waiting'],
    // those without a creator never get InitialRolesPopulated
    [/\/Project\//, 'waiting, ready'],
  ],
};

/** The verdicts on the newer servers: the recorder of that Rancher mostly saw what it ended with. */
const NEWER: typeof VERDICTS = {
  'harvester-platform': [
    // tried four times, in vain
    [/VirtualMachineImage/, 'waiting, failing, failed'],
    ...VERDICTS['harvester-platform'],
  ],
  'harvester-settings-set': [
    // Longhorn's settings were not there, as before
    [named('kubeconfig-default-token-ttl-minutes', 'overcommit-config'), 'failing'],
    [named('longhorn-v2-data-engine-enabled', 'ssl-parameters'), 'waiting, failing'],
    ...VERDICTS['harvester-settings-set'],
  ],
  'harvester-settings-reset': [
    [
      named(
        'kubeconfig-default-token-ttl-minutes',
        'longhorn-v2-data-engine-enabled',
        'overcommit-config',
        'ssl-parameters',
      ),
      'ready',
    ],
    ...VERDICTS['harvester-settings-reset'],
  ],
  // an agent connected; it never did elsewhere
  'rancher-(platform|quickstart|reference)': [
    [/^provisioning\.cattle\.io\/v1\/Cluster\/fleet-default\/dc1$/, 'waiting, ready'],
    [/^provisioning\.cattle\.io\/v1\/Cluster\//, 'waiting'],
  ],
  'rancher-.*': [[/^provisioning\.cattle\.io\/v1\/Cluster\//, 'waiting']],
};

/** The verdicts on families of the newer servers, of which early states were seen. */
const OF_FAMILIES: typeof VERDICTS = {
  'harvester-balancers': [
    [/\/IPPool\//, 'waiting, ready'],
    // no machine is behind the address
    [/\/LoadBalancer\//, 'waiting, failing'],
  ],
  'harvester-credentials': [[/\/Secret\/.*-token$/, 'waiting, ready']],
  'harvester-hosts': [
    // no controller of theirs was there
    [/\/PCIDeviceClaim\/|\/PersistentVolumeClaim\//, 'waiting'],
  ],
  'harvester-machines': [
    [/\/KeyPair\//, 'waiting, ready'],
    [/\/VirtualMachine\//, 'waiting'],
  ],
  'harvester-networks': [[/\/IPPool\//, 'waiting, ready']],
  'harvester-templates': [[/\/VirtualMachineTemplateVersion\//, 'waiting, ready']],
  'harvester-uplinks': [[/\/ClusterNetwork\//, 'waiting']],
  // no server of charts answered
  'rancher-catalog': [[/\/ClusterRepo\//, 'waiting, failing']],
  'rancher-.*': [
    // no agent ever connected
    [/\/Cluster\//, 'waiting'],
    [/\/Project\//, 'waiting, ready'],
  ],
};

const VERDICTS_OF = new Map<Generation, typeof VERDICTS>([
  [GENERATIONS[0], VERDICTS],
  [FAMILIES, OF_FAMILIES],
]);

function expectedOf({ name, generation }: Recording, object: string): string {
  const [, rows = []] =
    Object.entries(VERDICTS_OF.get(generation) ?? NEWER).find(([names]) =>
      new RegExp(`^${names}$`).test(name),
    ) ?? [];
  return rows.find(([objects]) => objects.test(object))?.[1] ?? 'ready';
}

test.each(withFamilies())('judges every state of $title as its server meant it', (recording) => {
  const { harvester: harvesterVersion } = recording.generation;
  const seen = recording.objects.filter(({ states }) => states.length > 0);
  expect(seen.length).toBeGreaterThan(0);
  const verdicts = seen.map(({ object, states }) => {
    const all = states.map(({ object: live }) => readinessOf(live, { harvesterVersion }).state);
    return [object, all.filter((state, index) => state !== all[index - 1]).join(', ')];
  });
  expect(Object.fromEntries(verdicts)).toEqual(
    Object.fromEntries(seen.map(({ object }) => [object, expectedOf(recording, object)])),
  );
});

test.each(GENERATIONS)('repeats the words of a failing setting of $folder', (generation) => {
  const { states } = recordingOf(generation, 'harvester-settings-reset').objects.find(
    ({ object }) => object.endsWith('/vip-pools'),
  )!;
  expect(
    readinessOf(states[states.length - 1]!.object, { harvesterVersion: generation.harvester }).why,
  ).toBe('unexpected end of JSON input');
});
