import { Size } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { VirtualMachineProps } from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { cloudConfig, guest, kubeconfig, secret } from '../../support/guest';
import { judgePlaced } from '../../support/judging';
import { messageOf } from '../../support/message-of';
import { RKE2, platform } from '../cluster/_clusters';

const RULES = [
  'virtual-machine/node-name',
  'virtual-machine/guest-place',
  'virtual-machine/guest-unlabeled',
];
const COMMAND =
  '#cloud-config\nruncmd:\n- curl -fL https://rancher.example.com/system-agent-install.sh | sh -s - --server https://rancher.example.com';

function machine(
  name: string,
  volume: object = {},
  namespace = 'vms',
  spec: object = {},
): Manifest {
  const labels = {
    'guestcluster.harvesterhci.io/name': 'shop',
    'harvesterhci.io/creator': 'docker-machine-driver-harvester',
  };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace, labels },
    spec: {
      template: {
        metadata: { labels },
        spec: { volumes: [{ name: 'cloudinitdisk', ...volume }], ...spec },
      },
    },
  };
}

const custom = (config: object = {}): Manifest => guest({ machinePools: undefined, ...config });
const userData = (text: string): object => ({ cloudInitNoCloud: { userData: text } });

function findings(
  rancher: readonly Manifest[],
  dc1: readonly Manifest[],
  dc2: readonly Manifest[] = [],
): string[] {
  return judgePlaced(RULES, { rancher, dc1, dc2 });
}

describe('the node name', () => {
  const PATH = 'spec.template.spec.volumes[0].cloudInitNoCloud';
  const text =
    'must register the node as a, the name of the virtual machine, got "b": otherwise the cloud provider does not find it, and the node is removed. ' +
    'Fix: write --node-name a, or leave it out';

  test.each<[string, object, Manifest[], string]>([
    ['inline', userData(`${COMMAND} --node-name b`), [], 'userData'],
    ['quoted', userData(`${COMMAND} --node-name 'b' --etcd`), [], 'userData'],
    [
      'in base64',
      {
        cloudInitNoCloud: {
          userDataBase64: Buffer.from(`${COMMAND} --node-name b`).toString('base64'),
        },
      },
      [],
      'userDataBase64',
    ],
    [
      'in a Secret',
      { cloudInitNoCloud: { secretRef: { name: 'a-init' } } },
      [secret('a-init', 'vms', { userdata: `${COMMAND} --node-name "b"` })],
      'secretRef',
    ],
  ])('is that of the virtual machine: %s', (_, volume, others, field) => {
    expect(findings([custom()], [machine('a', volume), ...others])).toEqual([
      `error virtual-machine/node-name a ${PATH}.${field}: ${text}`,
    ]);
  });

  test('is a warning if the Cluster is not known', () => {
    expect(findings([], [machine('a', userData(`${COMMAND} --node-name b`))])).toEqual([
      `warning virtual-machine/node-name a ${PATH}.userData: ${text}`,
    ]);
  });

  test.each<[string, Manifest, Manifest]>([
    ['is the name of the machine', custom(), machine('a', userData(`${COMMAND} --node-name a`))],
    ['is not set', custom(), machine('a', userData(COMMAND))],
    [
      'is the host name, by which later cloud providers find the machine',
      custom(),
      machine('a', userData(`${COMMAND} --node-name b`), 'vms', { hostname: 'b' }),
    ],
    [
      'is the host name in user data',
      custom(),
      machine('a', userData(`${COMMAND} --node-name b\nhostname: b\n`)),
    ],
    [
      'is of a cluster without the cloud provider',
      custom({ machineSelectorConfig: [] }),
      machine('a', userData(`${COMMAND} --node-name b`)),
    ],
  ])('is accepted if it %s', (_, cluster, vm) => {
    expect(findings([cluster], [vm])).toEqual([]);
  });
});

describe('the place of the machines of a cluster', () => {
  test('is the namespace in its cloud config', () => {
    expect(
      findings([custom(), cloudConfig()], [machine('a', {}, 'vms'), machine('b', {}, 'other')]),
    ).toEqual([
      'error virtual-machine/guest-place b metadata.namespace: must be vms, where the cloud config of the cluster looks, got "other": the cloud provider and the CSI driver of shop ' +
        'find machines in only one namespace. Fix: use the namespace vms',
    ]);
    expect(
      findings([custom(), cloudConfig(kubeconfig(''))], [machine('a', {}, 'default')]),
    ).toEqual([]);
  });

  test('is one namespace, also if the cloud config is not known', () => {
    expect(findings([custom()], [machine('a'), machine('b'), machine('c', {}, 'other')])).toEqual([
      expect.stringContaining(
        'error virtual-machine/guest-place c metadata.namespace: must be vms, as for a, got "other"',
      ),
    ]);
  });

  test('is one Harvester cluster, that of the address in its cloud config', () => {
    expect(findings([custom(), cloudConfig()], [machine('a')], [machine('b')])).toEqual([
      'error virtual-machine/guest-place b must be on dc1, where the cloud config of the cluster looks: the cloud provider and the CSI driver of shop find machines on only one ' +
        'Harvester cluster. Fix: create it on dc1',
    ]);
    expect(findings([custom()], [machine('a')], [machine('b')])).toEqual([
      expect.stringContaining('must be on dc1, as for a'),
    ]);
  });

  test('does not matter without the cloud provider, or for two Clusters of one name', () => {
    expect(
      findings([custom({ machineSelectorConfig: [] })], [machine('a'), machine('b', {}, 'other')]),
    ).toEqual([]);
    expect(
      findings(
        [custom(), { ...custom(), metadata: { name: 'shop', namespace: 'other' } }],
        [machine('a'), machine('b', {}, 'other')],
      ),
    ).toEqual([]);
  });
});

describe('a virtual machine that registers as a node without the labels of one', () => {
  const plain = (name: string, text: string, namespace = 'vms'): Manifest => {
    const {
      metadata: { labels, ...metadata },
      ...rest
    } = machine(name, userData(text), namespace);
    return {
      ...rest,
      metadata,
      spec: { template: { spec: { volumes: [{ name: 'cloudinitdisk', ...userData(text) }] } } },
    };
  };
  const unlabeled =
    'warning virtual-machine/guest-unlabeled a metadata.labels[guestcluster.harvesterhci.io/name]: must be the name of Cluster shop: the virtual machine registers as a node, ' +
    'but Harvester and the cloud provider do not treat it as one. Fix: set guestCluster of the machine, or write the labels of a node';

  test('is a warning', () => {
    expect(findings([custom()], [plain('a', COMMAND)])).toEqual([unlabeled]);
  });

  test('has its node name and its namespace checked, as a warning', () => {
    expect(
      findings([custom(), cloudConfig()], [plain('a', `${COMMAND} --node-name b`, 'other')]),
    ).toEqual([
      unlabeled,
      expect.stringContaining(
        'warning virtual-machine/guest-place a metadata.namespace: must be vms, where the cloud config of the cluster looks, got "other"',
      ),
      expect.stringContaining(
        'warning virtual-machine/node-name a spec.template.spec.volumes[0].cloudInitNoCloud.userData: must register the node as a',
      ),
    ]);
  });

  test('is accepted if it registers nothing, or there is no custom cluster with the cloud provider', () => {
    expect(findings([custom()], [plain('a', '#cloud-config\npackages: [nginx]')])).toEqual([]);
    expect(findings([custom({ machineSelectorConfig: [] })], [plain('a', COMMAND)])).toEqual([]);
    expect(findings([], [plain('a', COMMAND)])).toEqual([]);
  });

  test('names no Cluster where it could be a node of several', () => {
    const other = { ...custom(), metadata: { name: 'other', namespace: 'fleet-default' } };
    expect(findings([custom(), other], [plain('a', COMMAND)])).toEqual([
      unlabeled.replace('Cluster shop', 'its Cluster'),
    ]);
  });
});

describe('a virtual machine of a custom cluster', () => {
  function create(
    props: (edge: CustomCluster) => Partial<VirtualMachineProps>,
    elsewhere = false,
  ): VirtualMachine {
    const { app, rancher, dc1, harvester: imported, namespace } = platform();
    const edge = new CustomCluster(rancher, 'edge', {
      kubernetes: Kubernetes.rke2(RKE2),
      harvesterImport: imported,
      vmNamespace: namespace,
    });
    const chart = elsewhere ? new HarvesterChart(app, 'dc2', { version: '1.7.2' }) : dc1;
    return new VirtualMachine(chart, 'edge-1', {
      namespace: elsewhere ? new HarvesterNamespace(chart, 'vms') : namespace,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [
        Disk.image(
          VmImage.fromName(chart, 'noble', {
            name: 'noble',
            namespace: 'default',
            volumeStorageClass: HarvesterStorageClass.fromName(chart, 'noble-class', {
              name: 'longhorn-noble',
            }),
          }),
          Size.gibibytes(40),
        ),
      ],
      nics: [Nic.network(VmNetwork.fromName(chart, 'lan', { name: 'lan' }))],
      guestCluster: edge,
      ...props(edge),
    });
  }

  test('registers by its own name', () => {
    expect(
      messageOf(() =>
        create((edge) => ({
          cloudInit: edge.nodeRegistration(MachineRoles.ALL, { nodeName: 'other' }).cloudInit,
        })),
      ),
    ).toContain(
      '[dc1/edge-1] cloudInit: must register the node as edge-1, the name of the VM, by which the cloud provider looks it up, got "other". Fix: set nodeName to edge-1, or leave it out',
    );
    expect(
      create((edge) => ({
        cloudInit: edge.nodeRegistration(MachineRoles.ALL, { nodeName: 'edge-1' }).cloudInit,
      })).name,
    ).toBe('edge-1');
  });

  test('is on its Harvester cluster, in its namespace', () => {
    expect(messageOf(() => create(() => ({}), true))).toContain(
      '[dc2/edge-1] guestCluster: must be a guest cluster on dc2, got "edge": its machines are on dc1. Fix: create the VM on dc1',
    );
    expect(
      messageOf(() =>
        create((edge) => ({
          namespace: new HarvesterNamespace(edge.node.root.node.findChild('dc1'), 'others'),
        })),
      ),
    ).toContain(
      '[dc1/edge-1] namespace: must be vms, the namespace of the machines of edge, got "others". Fix: use that namespace',
    );
  });
});
