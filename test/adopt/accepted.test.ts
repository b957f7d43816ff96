import { adopted, foundHarvester, foundRancher } from './_found';
import { synthesized } from './_run';
import { Manifest } from '../../src/core/manifest/manifest';

const ID = 'c-m-x7k2p9ab';
const LIMIT = { limitsCpu: '2000m', limitsMemory: '4096Mi' };

const CLUSTER: Manifest = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: {
    name: 'dc1',
    namespace: 'fleet-default',
    labels: { 'provider.cattle.io': 'harvester' },
  },
  spec: {},
  status: { clusterName: ID },
};

const PROJECT: Manifest = {
  apiVersion: 'management.cattle.io/v3',
  kind: 'Project',
  metadata: { name: 'p-web01', namespace: ID },
  spec: {
    clusterName: ID,
    displayName: 'Web',
    resourceQuota: { limit: { limitsCpu: '4000m', limitsMemory: '8192Mi' } },
    namespaceDefaultResourceQuota: { limit: LIMIT },
  },
  status: { backingNamespace: 'p-web01' },
};

const NAMESPACE: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'web',
    annotations: {
      'field.cattle.io/projectId': `${ID}:p-web01`,
      'field.cattle.io/resourceQuota': JSON.stringify({ limit: LIMIT }),
    },
  },
};

/** A virtual machine that does not fit the quota of its namespace. */
const MACHINE: Manifest = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'big', namespace: 'web' },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { 'harvesterhci.io/vmName': 'big' } },
      spec: {
        domain: {
          cpu: { cores: 4, sockets: 1, threads: 1 },
          resources: { limits: { cpu: '4', memory: '8Gi' } },
          devices: {
            disks: [{ name: 'root', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'nic-0', masquerade: {} }],
          },
        },
        networks: [{ name: 'nic-0', pod: {} }],
        volumes: [{ name: 'root', containerDisk: { image: 'registry.example.com/web:1' } }],
      },
    },
  },
};

describe('a namespace of a project whose machines do not fit its quota', () => {
  const result = adopted([
    foundRancher('2.13.8', [CLUSTER, PROJECT]),
    foundHarvester('dc1', '1.7.2', [NAMESPACE, MACHINE]),
  ]);

  test('is declared by its project, with the finding accepted at the namespace', () => {
    expect(result.errors).toEqual([]);
    expect(result.text).toContain(
      "Suppressions.of(web.declaredNamespace('web')).suppress(\n  'quota/fits',",
    );
  });

  test('synthesizes at once', () => {
    expect(
      synthesized(result.files).map(({ kind, metadata: { name } }) => `${kind} ${name}`),
    ).toEqual(expect.arrayContaining(['Namespace web', 'Project p-web01', 'VirtualMachine big']));
  });
});
