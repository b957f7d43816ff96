import { clusterOf, expectReasons, judged, live, ownedBy } from './_live';
import { leaveOut } from '../../../src/adopt/select/leave-out';
import { TargetKind } from '../../../src/core/construct/target';
import { Manifest } from '../../../src/core/manifest/manifest';
import { GENERATIONS, Recording, withFamilies, recordingOf } from '../../support/recordings';

const HCI = 'harvesterhci.io/v1beta1';
const SYSTEM = (namespace: string): string => `is in ${namespace}, a namespace of the system`;

test('leaves out what a Harvester has before anyone used it', () => {
  const DEVICES = 'devices.harvesterhci.io/v1beta1';
  expectReasons(TargetKind.HARVESTER, [
    [live(HCI, 'Setting', 'ntp-servers', { value: '{"ntpServers":["a"]}', default: '' })],
    [live(HCI, 'Setting', 'http-proxy', { value: '{ }', default: '{}' }), 'has its default'],
    [live(HCI, 'Setting', 'log-level', { default: 'info' }), 'has its default'],
    [
      live('management.cattle.io/v3', 'Setting', 'server-url', {
        value: 'https://10.0.0.1',
        default: '',
      }),
      'belongs to the Rancher within Harvester',
    ],
    [
      live(HCI, 'Addon', 'harvester-system/vm-import-controller', { spec: { enabled: false } }),
      'is an add-on of Harvester that is not enabled',
    ],
    [
      live(HCI, 'Addon', 'cattle-monitoring-system/rancher-monitoring', {
        spec: { enabled: true, valuesContent: 'a: b' },
      }),
    ],
    [live(HCI, 'Addon', 'default/mine', { spec: { enabled: false } })],
    [
      live('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'mgmt'),
      'is the network of the nodes themselves',
    ],
    [live('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'prod')],
    [live('storage.k8s.io/v1', 'StorageClass', 'harvester-longhorn'), 'is built into Harvester'],
    [
      live('storage.k8s.io/v1', 'StorageClass', 'longhorn-image-abcde', {
        parameters: { backingImage: 'default-image-abcde' },
      }),
      'Harvester creates it from an image',
    ],
    [live('storage.k8s.io/v1', 'StorageClass', 'fast', { parameters: { numberOfReplicas: '2' } })],
    [
      live(
        HCI,
        'VirtualMachineImage',
        'default/image-abcde',
        ownedBy('PersistentVolumeClaim', 'x'),
      ),
    ],
    [
      live(HCI, 'VirtualMachineTemplate', 'harvester-public/raw-image-base-template'),
      'is built into Harvester',
    ],
    [
      live(HCI, 'VirtualMachineTemplateVersion', 'harvester-public/windows-iso-image-base-version'),
      'is built into Harvester',
    ],
    [live(HCI, 'VirtualMachineTemplate', 'harvester-public/golden')],
    [
      live(HCI, 'ResourceQuota', 'default/default-resource-quota', { spec: { snapshotLimit: {} } }),
      'limits nothing',
    ],
    [
      live(HCI, 'ResourceQuota', 'shop/default-resource-quota', {
        spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 1 } },
      }),
    ],
    [live(DEVICES, 'PCIDevice', 'node1-000001000'), 'is a device that Harvester found'],
    [live(DEVICES, 'PCIDeviceClaim', 'node1-000001000', ownedBy('PCIDevice', 'node1-000001000'))],
    [
      live(DEVICES, 'SRIOVNetworkDevice', 'node1-ens1', { spec: { numVFs: 0 } }),
      'is a device that is not configured',
    ],
    [live(DEVICES, 'SRIOVNetworkDevice', 'node1-ens2', { spec: { numVFs: 4 } })],
    [
      live(HCI, 'BlockDevice', 'longhorn-system/abc', {
        spec: { fileSystem: { provisioned: true } },
      }),
    ],
    [
      live(HCI, 'BlockDevice', 'longhorn-system/def', {
        spec: { fileSystem: { provisioned: false } },
      }),
      'is a disk that is not configured',
    ],
    [live('v1', 'Node', 'node1'), 'is a machine of the cluster'],
    [live('v1', 'Node', 'node2', { labels: { 'topology.kubernetes.io/zone': 'rack-1' } })],
    [
      live('longhorn.io/v1beta2', 'Node', 'longhorn-system/node1', {
        spec: { tags: [], disks: { a: { tags: [] } } },
      }),
      'is a node of Longhorn without tags',
    ],
    [
      live('longhorn.io/v1beta2', 'Node', 'longhorn-system/node2', {
        spec: { disks: { a: { tags: ['nvme'] } } },
      }),
    ],
    [live('v1', 'Namespace', 'harvester-public'), 'is a namespace of the system'],
    [live('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'harvester-public/vlan1')],
    [
      live(
        'k8s.cni.cncf.io/v1',
        'NetworkAttachmentDefinition',
        'harvester-system/storagenetwork-x',
      ),
      SYSTEM('harvester-system'),
    ],
    [live('helm.cattle.io/v1', 'HelmChartConfig', 'kube-system/rke2-canal'), SYSTEM('kube-system')],
  ]);
});

test('leaves out the machines of guest clusters, and what belongs to virtual machines', () => {
  const machine = (path: string, labels: object, claim: string): Manifest =>
    live('kubevirt.io/v1', 'VirtualMachine', path, {
      labels,
      annotations: {
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([{ metadata: { name: claim } }]),
      },
    });
  const balancer = (path: string, workloadType: string): Manifest =>
    live('loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', path, { spec: { workloadType } });
  expectReasons(TargetKind.HARVESTER, [
    [machine('default/web', {}, 'web-disk-0')],
    [live('v1', 'PersistentVolumeClaim', 'default/web-disk-0'), 'its virtual machine creates it'],
    [live('v1', 'PersistentVolumeClaim', 'default/data')],
    [
      live('v1', 'PersistentVolumeClaim', 'default/pvc-6a1f1c1e-3c52-4c1b-9d5b-0a8f5d2b7c11'),
      'is a volume of a guest cluster',
    ],
    [live('v1', 'Secret', 'default/web-cloudinit', ownedBy('VirtualMachine', 'web'))],
    [
      machine(
        'shop/shop-a-x',
        { 'harvesterhci.io/machineSetName': 'shop-shop-a' },
        'shop-a-x-disk-0',
      ),
      'is a machine of a guest cluster',
    ],
    [live('v1', 'PersistentVolumeClaim', 'shop/shop-a-x-disk-0'), 'its virtual machine creates it'],
    [
      live('v1', 'Secret', 'shop/shop-a-x-cloudinit', ownedBy('VirtualMachine', 'shop-a-x')),
      'belongs to a machine of a guest cluster',
    ],
    // of a custom cluster, which a user made
    [
      machine(
        'shop/custom-1',
        {
          'harvesterhci.io/creator': 'docker-machine-driver-harvester',
          'guestcluster.harvesterhci.io/name': 'edge',
        },
        'custom-1-disk-0',
      ),
    ],
    [
      live('v1', 'ServiceAccount', 'shop/shop'),
      "Harvester creates it for the cloud provider of a guest cluster of Rancher's UI",
    ],
    [
      live('rbac.authorization.k8s.io/v1', 'RoleBinding', 'shop/shop-shop', {
        ...ownedBy('ServiceAccount', 'shop'),
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: 'harvesterhci.io:cloudprovider',
        },
      }),
      'belongs to ServiceAccount shop',
    ],
    [
      live('v1', 'Secret', 'shop/shop-token', {
        ...ownedBy('ServiceAccount', 'shop'),
        type: 'kubernetes.io/service-account-token',
      }),
      'belongs to ServiceAccount shop',
    ],
    [live('v1', 'ServiceAccount', 'shop/ci')],
    [
      balancer('shop/kubernetes-default-web', 'cluster'),
      'the cloud provider of a guest cluster creates it from a Service',
    ],
    [balancer('default/web', 'vm')],
    [
      live(HCI, 'VirtualMachineBackup', 'default/svmb-1-x', {
        annotations: { 'harvesterhci.io/svmbackupId': 'default/svmb-1' },
      }),
      'a ScheduleVMBackup creates it',
    ],
    [live(HCI, 'VirtualMachineBackup', 'default/before-upgrade')],
    [
      live(HCI, 'VirtualMachineRestore', 'default/restore-1'),
      'is an action that was carried out once',
    ],
    [
      live('v1', 'ResourceQuota', 'shop/default-abcde', {
        labels: { 'resourcequota.management.cattle.io/default-resource-quota': 'true' },
      }),
      'Rancher creates it from the limits of the project',
    ],
  ]);
});

test('leaves out what the distribution of a guest cluster installs, not the charts of users in kube-system', () => {
  const addon = {
    'objectset.rio.cattle.io/owner-gvk': 'k3s.cattle.io/v1, Kind=Addon',
    'objectset.rio.cattle.io/owner-name': 'rke2-canal',
    'objectset.rio.cattle.io/owner-namespace': 'kube-system',
  };
  const platform = 'comes with a part of the platform';
  const binding = (name: string, namespace: string): Manifest =>
    live('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', name, {
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'x' }],
    });
  const webhook = { webhooks: [{ clientConfig: { service: { namespace: 'cattle-system' } } }] };
  expectReasons(TargetKind.GUEST, [
    [
      live('helm.cattle.io/v1', 'HelmChart', 'kube-system/rke2-canal', {
        labels: { 'objectset.rio.cattle.io/hash': 'x' },
        annotations: addon,
      }),
      'a controller creates it from Addon kube-system/rke2-canal',
    ],
    [live('helm.cattle.io/v1', 'HelmChart', 'kube-system/cert-manager')],
    [live('helm.cattle.io/v1', 'HelmChartConfig', 'kube-system/rke2-ingress-nginx')],
    [
      live('apps/v1', 'StatefulSet', 'shop/db', {
        spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
      }),
    ],
    [live('v1', 'PersistentVolumeClaim', 'shop/data-db-0'), 'its StatefulSet creates it'],
    [live('v1', 'PersistentVolumeClaim', 'shop/data-db-extra')],
    [live('v1', 'Service', 'default/kubernetes'), 'is the API server itself'],
    [live('v1', 'Service', 'default/web')],
    [
      live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
        spec: { group: 'example.com' },
      }),
    ],
    [
      live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'addons.k3s.cattle.io', {
        spec: { group: 'k3s.cattle.io' },
      }),
      platform,
    ],
    [
      live(
        'admissionregistration.k8s.io/v1',
        'ValidatingWebhookConfiguration',
        'rancher.cattle.io',
        webhook,
      ),
      platform,
    ],
    [binding('kube-apiserver-kubelet', 'kube-system'), 'gives its role to accounts of the system'],
    [binding('ci', 'ci')],
  ]);
});

test('adopts what a program of this library or a GitOps engine applied, wherever it is', () => {
  const account = (name: string, manager: string, operation = 'Apply'): Manifest =>
    live('v1', 'ServiceAccount', `harvester-system/${name}`, {
      managedFields: [{ manager, operation }],
    });
  expectReasons(TargetKind.HARVESTER, [
    [account('rancher-node-driver', 'cdk8s-harvester')],
    [account('other', 'cdk8s-harvester.platform')],
    [account('argo', 'argocd-controller')],
    [account('flux', 'kustomize-controller')],
    // Harvester installs itself by kubectl
    [account('installed', 'kubectl-client-side-apply', 'Update'), SYSTEM('harvester-system')],
    // Rancher copies labels
    [
      live('v1', 'ServiceAccount', 'harvester-system/copied', {
        labels: { 'applyset.kubernetes.io/part-of': 'x' },
      }),
      SYSTEM('harvester-system'),
    ],
  ]);
});

test('adopts all that is in files which no server wrote', () => {
  const written: Manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'cattle-system' },
  };
  expect(judged(TargetKind.RANCHER, [written])).toEqual(['Secret cattle-system/a']);
  expect(
    judged(TargetKind.RANCHER, [{ ...written, metadata: { ...written.metadata, uid: 'u' } }]),
  ).toEqual([`Secret cattle-system/a: ${SYSTEM('cattle-system')}`]);
});

const latest = ({ objects }: Recording): Manifest[] =>
  objects.flatMap(({ states }) => states.slice(-1).map(({ object }) => object));

describe('of what users applied to running servers', () => {
  test.each(withFamilies().map((recording) => [recording.title, recording] as const))(
    '%s: leaves out nothing but defaults and namespaces of clusters',
    (_, recording) => {
      const left = judged(recording.product as TargetKind, latest(recording)).filter((line) =>
        line.includes(': '),
      );
      // an apply without any field leaves no field manager
      expect(
        left.filter(
          (line) =>
            !/^Setting \S+: has its default$|^Namespace c-m-\S+: Rancher creates it/.test(line),
        ),
      ).toEqual([]);
    },
  );

  test.each(GENERATIONS)(
    'adopts the settings that were set to another value than the default, on $folder',
    (generation) => {
      const manifests = latest(recordingOf(generation, 'harvester-settings-set'));
      const left = judged(TargetKind.HARVESTER, manifests).filter((line) => line.includes(': '));
      expect(left.map((line) => line.slice('Setting '.length, line.indexOf(':')))).toEqual(
        manifests
          .filter(({ value, default: standard }) => value === standard)
          .map(({ metadata: { name } }) => name),
      );
      expect(manifests.length - left.length).toBeGreaterThan(20);
    },
  );

  test.each(GENERATIONS)('leaves out settings that were reset, on $folder', (generation) => {
    const manifests = latest(recordingOf(generation, 'harvester-settings-reset'));
    expect(
      judged(TargetKind.HARVESTER, manifests).filter((line) => !line.endsWith(': has its default')),
    ).toEqual([]);
  });
});

test('judges a thousand objects in less than a second', () => {
  const cluster = clusterOf(
    TargetKind.HARVESTER,
    Array.from({ length: 1000 }, (_, index) =>
      live('v1', 'PersistentVolumeClaim', `n-${index % 9}/c-${index}`),
    ),
  );
  const start = performance.now();
  for (const object of cluster.objects) {
    leaveOut(object, cluster);
  }
  expect(performance.now() - start).toBeLessThan(1000);
});
