import { foundGuest, foundHarvester, foundRancher } from './_found';
import { CLUSTER, CONFIG, SECRETS } from './_guest-bodies';
import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { FoundCluster } from '../../src/core/draft/draft';
import { Manifest } from '../../src/core/manifest/manifest';

function namespace(name: string, clusterId?: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      ...(clusterId === undefined
        ? {}
        : { annotations: { 'field.cattle.io/projectId': `${clusterId}:p-abcde` } }),
    },
  };
}

/** An import of the UI. */
function imported(name: string, clusterId: string): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name, namespace: 'fleet-default', labels: { 'provider.cattle.io': 'harvester' } },
    spec: {},
    status: { clusterName: clusterId },
  };
}

const ID = 'c-m-harvdc01';

const CLASS: Manifest = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: 'driver.harvesterhci.io',
  parameters: { hostStorageClass: 'ssd' },
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
};

const BALANCER: Manifest = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'web',
    namespace: 'default',
    annotations: {
      'cloudprovider.harvesterhci.io/ipam': 'dhcp',
      'cloudprovider.harvesterhci.io/network': 'default/prod',
    },
  },
  spec: {
    type: 'LoadBalancer',
    selector: { app: 'web' },
    ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
  },
};

const GUEST = foundGuest('shop', 'v1.33.6+rke2r1', [CLASS, BALANCER]);

const account: Manifest = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'shop', namespace: 'vms' },
};

/** A Cluster without a credential of its own. */
function withoutCredential(pool: object = {}): Manifest {
  const cluster = CLUSTER({}, pool);
  return {
    ...cluster,
    spec: { ...(cluster.spec as object), cloudCredentialSecretName: undefined },
  };
}

const both = [namespace('shop-vms')];

const CASES: readonly [clue: string, clusters: FoundCluster[]][] = [
  [
    'the ID in its credential, which a project on the Harvester names',
    [
      foundRancher('2.13.8', [...SECRETS, CLUSTER(), CONFIG()]),
      foundHarvester('dc1', '1.7.2', both),
      foundHarvester('dc2', '1.7.2', [...both, namespace('web', ID)]),
    ],
  ],
  [
    'the ID in its credential, which is that of the import with the name of the Harvester',
    [
      foundRancher('2.13.8', [
        ...SECRETS,
        CLUSTER(),
        CONFIG(),
        imported('dc1', 'c-m-another1'),
        imported('dc2', ID),
      ]),
      foundHarvester('dc1', '1.7.2', both),
      foundHarvester('dc2', '1.7.2', both),
    ],
  ],
  [
    'the ID in its credential, where that of the other Harvester is known',
    [
      foundRancher('2.13.8', [...SECRETS, CLUSTER(), CONFIG()]),
      foundHarvester('dc1', '1.7.2', [...both, namespace('web', 'c-m-another1')]),
      foundHarvester('dc2', '1.7.2', both),
    ],
  ],
  [
    'the credential of its pool',
    [
      foundRancher('2.13.8', [
        ...SECRETS,
        withoutCredential({ cloudCredentialSecretName: 'cattle-global-data:cc-abcde' }),
        CONFIG(),
      ]),
      foundHarvester('dc1', '1.7.2', both),
      foundHarvester('dc2', '1.7.2', [...both, namespace('web', ID)]),
    ],
  ],
  [
    'the namespace of its machines',
    [
      foundRancher('2.13.8', [withoutCredential(), CONFIG()]),
      foundHarvester('dc1', '1.7.2', []),
      foundHarvester('dc2', '1.7.2', both),
    ],
  ],
  [
    'the account of its cloud provider',
    [
      foundRancher('2.13.8', [CLUSTER({ machinePools: undefined })]),
      foundHarvester('dc1', '1.7.2', [namespace('vms')]),
      foundHarvester('dc2', '1.7.2', [namespace('vms'), account]),
    ],
  ],
];

/** The program, and the objects of the guest cluster that have no construct, or a patch. */
function adopted(clusters: readonly FoundCluster[]): {
  readonly text: string;
  readonly poor: readonly string[];
} {
  const { files, notes, differences, errors } = adoptPlatform({ clusters: [...clusters, GUEST] });
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  return {
    text: [...files.values()].join('\n'),
    poor: notes.filter(({ target }) => target === 'shop').map(({ object }) => object),
  };
}

test.each(CASES)('refers to the Harvester of a guest cluster by %s', (_, clusters) => {
  const { text, poor } = adopted(clusters);
  expect(poor).toEqual([]);
  expect(text).toContain("const prod = VmNetwork.fromName(dc2, 'prod'");
  expect(text).toMatch(
    /(?:const ssd = |hostStorageClass: )HarvesterStorageClass\.fromName\(dc2, 'ssd'/,
  );
  expect(text).toContain('hostStorageClass: ssd');
  expect(text).toContain('network: prod');
  expect(text).not.toContain('fromName(dc1');
});

test('patches the references of a guest cluster that may run on either Harvester', () => {
  const { text, poor } = adopted([
    foundRancher('2.13.8', [withoutCredential(), CONFIG()]),
    foundHarvester('dc1', '1.7.2', both),
    foundHarvester('dc2', '1.7.2', both),
  ]);
  expect(text).not.toContain('VmNetwork.fromName');
  expect(text).toMatch(/metadata\.addAnnotation\(\s*'cloudprovider\.harvesterhci\.io\/network'/);
  expect(poor).toEqual(['StorageClass fast']);
});
