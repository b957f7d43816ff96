import { Manifest } from '../../../src/core/manifest/manifest';
import { derivedMac, nicKeys } from '../../../src/harvester/virtual-machine/virtual-machine.check';
import { adoptedFrom } from '../_adopted-harvester';
import { IMAGE, IMAGE_CLASS, live, uiImage, uiMachine, uiSecret } from '../_harvester-bodies';

const HARVESTER = 'harvesterhci.io/v1beta1';
const NETWORK = 'network.harvesterhci.io/v1beta1';
const BALANCER = 'loadbalancer.harvesterhci.io/v1beta1';

/** Of the cluster, not of a namespace. */
const GLOBAL = { namespace: undefined };

/**
 * The annotation that forms write for a description.
 * @see rancher/dashboard:shell/components/form/NameNsDescription.vue
 */
const DESCRIBED = { annotations: { 'field.cattle.io/description': 'Of the shop' } };

function image(metadata: object, spec: object): Manifest {
  return live(
    HARVESTER,
    'VirtualMachineImage',
    { name: 'image-a1b2c', generateName: 'image-', ...metadata },
    {
      spec: {
        retry: 3,
        backend: 'backingimage',
        targetStorageClassName: 'harvester-longhorn',
        ...spec,
      },
      status: { storageClassName: 'lh-1' },
    },
  );
}

/**
 * The labels and annotations with which the form begins.
 * @see harvester/harvester-ui-extension:pkg/harvester/models/harvesterhci.io.virtualmachineimage.js
 */
const EMPTY_FORM = {
  labels: { 'harvesterhci.io/os-type': '', 'harvesterhci.io/image-type': '' },
  annotations: { 'harvesterhci.io/storageClassName': 'harvester-longhorn' },
};

const SECRETS = ['provisioner', 'node-publish', 'node-stage'].flatMap((step) => [
  [`csi.storage.k8s.io/${step}-secret-name`, 'key'],
  [`csi.storage.k8s.io/${step}-secret-namespace`, 'shop-vms'],
]);

function storageClass(metadata: object, fields: object): Manifest {
  return live(
    'storage.k8s.io/v1',
    'StorageClass',
    { name: 'fast', ...GLOBAL, ...metadata },
    {
      provisioner: 'driver.longhorn.io',
      allowVolumeExpansion: true,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      ...fields,
    },
  );
}

function network(labels: object, config: object, annotations: object = {}): Manifest {
  return live(
    'k8s.cni.cncf.io/v1',
    'NetworkAttachmentDefinition',
    {
      name: 'prod',
      labels: {
        'network.harvesterhci.io/clusternetwork': 'uplink',
        'network.harvesterhci.io/ready': 'true',
        ...labels,
      },
      annotations,
    },
    { spec: { config: JSON.stringify(config) } },
  );
}

const BRIDGE = {
  cniVersion: '0.3.1',
  name: 'prod',
  type: 'bridge',
  bridge: 'uplink-br',
  promiscMode: true,
};

function balancer(metadata: object, spec: object): Manifest {
  return live(
    BALANCER,
    'LoadBalancer',
    { name: 'web', ...metadata },
    { spec: { workloadType: 'vm', ipam: 'dhcp', ...spec }, status: { address: '10.0.0.9' } },
  );
}

const LISTENERS = [{ name: 'http', protocol: 'TCP', port: 80, backendPort: 8080 }];

function vlanConfig(metadata: object, spec: object): Manifest {
  return live(
    NETWORK,
    'VlanConfig',
    {
      name: 'uplink-all',
      ...GLOBAL,
      labels: { 'network.harvesterhci.io/clusternetwork': 'uplink' },
      ...metadata,
    },
    { spec: { clusterNetwork: 'uplink', ...spec } },
  );
}

/**
 * Bodies of forms, with what servers fill in.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit, pkg/harvester/models
 */
const WHOLE: readonly (readonly [name: string, objects: readonly Manifest[]])[] = [
  [
    'an image of an empty form',
    [
      image(EMPTY_FORM, {
        displayName: 'a',
        sourceType: 'download',
        url: 'https://images.example.com/a',
      }),
    ],
  ],
  [
    'an image with an unknown type and a known file',
    [
      image(EMPTY_FORM, {
        displayName: 'a.iso',
        sourceType: 'download',
        url: 'https://images.example.com/a.iso',
      }),
    ],
  ],
  [
    'an image that was uploaded, with a description',
    [
      image(
        {
          labels: {
            'harvesterhci.io/os-type': 'ubuntu',
            'harvesterhci.io/image-type': 'raw_qcow2',
          },
          annotations: {
            ...EMPTY_FORM.annotations,
            ...DESCRIBED.annotations,
            'harvesterhci.io/image-name': 'noble.img',
          },
        },
        { displayName: 'noble.img', sourceType: 'upload', url: '', checksum: '' },
      ),
    ],
  ],
  [
    'an image from a volume',
    [
      image(EMPTY_FORM, {
        displayName: 'root',
        sourceType: 'export-from-volume',
        pvcName: 'root',
        pvcNamespace: 'shop-vms',
        url: '',
      }),
    ],
  ],
  [
    'an encrypted copy of an image',
    [
      image(EMPTY_FORM, {
        displayName: 'safe',
        sourceType: 'clone',
        url: '',
        securityParameters: {
          cryptoOperation: 'encrypt',
          sourceImageName: 'image-7vq2w',
          sourceImageNamespace: 'default',
        },
      }),
    ],
  ],
  [
    'a volume of Longhorn',
    [
      live(
        'v1',
        'PersistentVolumeClaim',
        { name: 'data', ...DESCRIBED },
        {
          spec: {
            accessModes: ['ReadWriteMany'],
            storageClassName: 'ssd',
            volumeName: 'pvc-1',
            volumeMode: 'Block',
            resources: { requests: { storage: '10Gi' } },
          },
        },
      ),
    ],
  ],
  [
    'a volume with a file system',
    [
      live(
        'v1',
        'PersistentVolumeClaim',
        { name: 'data', annotations: { 'harvesterhci.io/volumeForVirtualMachine': 'true' } },
        {
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'lvm',
            volumeName: '',
            volumeMode: 'Filesystem',
            resources: { requests: { storage: '10Gi' } },
          },
        },
      ),
    ],
  ],
  [
    'a StorageClass of Longhorn V2, without what the other one has',
    [
      storageClass(DESCRIBED, {
        parameters: { dataEngine: 'v2', numberOfReplicas: '3', staleReplicaTimeout: '30' },
      }),
    ],
  ],
  [
    'an encrypted StorageClass of an older form, without the Secret to expand',
    [
      storageClass(
        {},
        {
          parameters: {
            dataEngine: 'v1',
            encrypted: 'true',
            migratable: 'true',
            numberOfReplicas: '3',
            staleReplicaTimeout: '30',
            ...(Object.fromEntries(SECRETS) as object),
          },
        },
      ),
    ],
  ],
  [
    'a VLAN',
    [
      network(
        {
          'network.harvesterhci.io/type': 'L2VlanNetwork',
          'network.harvesterhci.io/vlan-id': '100',
        },
        { ...BRIDGE, vlan: 100, ipam: {} },
        {
          'network.harvesterhci.io/route':
            '{"mode":"auto","serverIPAddr":"","cidr":"","gateway":""}',
        },
      ),
    ],
  ],
  [
    'an untagged network',
    [network({ 'network.harvesterhci.io/type': 'UntaggedNetwork' }, { ...BRIDGE, ipam: {} })],
  ],
  [
    'a trunk',
    [
      network(
        {
          'network.harvesterhci.io/type': 'L2VlanTrunkNetwork',
          'network.harvesterhci.io/vlan-id': '0',
        },
        {
          ...BRIDGE,
          vlan: 0,
          ipam: {},
          vlanTrunk: [{ minID: 10, maxID: 20 }],
        },
      ),
    ],
  ],
  [
    'a load balancer without a health check',
    [
      balancer(DESCRIBED, {
        healthCheck: {},
        backendServerSelector: { 'harvesterhci.io/vmName': ['web'] },
        listeners: LISTENERS,
      }),
    ],
  ],
  [
    'a load balancer of a pool',
    [
      balancer(
        {
          annotations: {
            'loadbalancer.harvesterhci.io/namespace': 'shop-vms',
            'loadbalancer.harvesterhci.io/network': 'shop-vms/prod',
          },
        },
        {
          ipam: 'pool',
          ipPool: 'public',
          healthCheck: {
            port: 8080,
            successThreshold: 1,
            failureThreshold: 3,
            periodSeconds: 5,
            timeoutSeconds: 3,
          },
          backendServerSelector: { app: ['a', 'b'] },
          listeners: LISTENERS,
        },
      ),
    ],
  ],
  [
    'an IP pool of which nothing is selected',
    [
      live(
        BALANCER,
        'IPPool',
        { name: 'public', ...GLOBAL, ...DESCRIBED },
        {
          spec: {
            ranges: [{ subnet: '10.0.0.0/24', gateway: '' }],
            selector: { network: '', scope: [] },
          },
          status: { available: 254 },
        },
      ),
    ],
  ],
  [
    'uplinks, one for each node',
    [
      live(NETWORK, 'ClusterNetwork', { name: 'uplink', ...GLOBAL }, {}),
      vlanConfig(
        { name: 'node-1', ...DESCRIBED },
        {
          nodeSelector: { 'kubernetes.io/hostname': 'node-1' },
          uplink: {
            nics: ['ens3'],
            linkAttributes: {},
            bondOptions: { mode: 'active-backup', miimon: -1 },
          },
        },
      ),
      vlanConfig(
        { name: 'node-2' },
        {
          nodeSelector: { 'kubernetes.io/hostname': 'node-2' },
          uplink: {
            nics: ['ens4', 'ens5'],
            linkAttributes: { mtu: 9000 },
            bondOptions: { mode: '802.3ad' },
          },
        },
      ),
    ],
  ],
  [
    'a CloudInit of nodes in a file, laid out by hand',
    [
      live(
        'node.harvesterhci.io/v1beta1',
        'CloudInit',
        { name: 'ntp', ...GLOBAL, uid: undefined },
        {
          spec: {
            matchSelector: {},
            filename: '91_ntp',
            contents:
              'stages:\n    network:\n        - name: "servers"\n          commands: [ "echo 1" ]\n',
          },
        },
      ),
    ],
  ],
  [
    'a schedule, without the switch that its definition fills in',
    [
      live(
        HARVESTER,
        'ScheduleVMBackup',
        { name: 'svmbackup-web', uid: undefined },
        {
          spec: {
            cron: '0 2 * * *',
            retain: 8,
            maxFailure: 4,
            vmbackup: {
              source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
              type: 'backup',
            },
          },
        },
      ),
    ],
  ],
];

test.each(WHOLE)('adopts %s without a patch', (_, objects) => {
  const { patches, plain } = adoptedFrom(objects);
  expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
});

type Body = { spec: { template: { metadata: any; spec: any } }; metadata: any };

function machine(change: (instance: any, body: Body) => void): readonly Manifest[] {
  const body = uiMachine() as unknown as Body;
  change(body.spec.template.spec, body);
  return [body as unknown as Manifest, uiImage(), uiSecret()];
}

const PCI_DEVICE = { deviceName: 'intel.com/82576', name: 'node-1-000004000' };
const VGPU = { deviceName: 'nvidia.com/NVIDIA_A2-4Q', name: 'node-1-000008004' };

/**
 * Choices of the form of a VM.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js
 */
const MACHINES: readonly (readonly [name: string, objects: readonly Manifest[]])[] = [
  [
    'one of several',
    machine(
      (
        instance,
        {
          spec: {
            template: { metadata },
          },
        },
      ) => {
        metadata.labels['harvesterhci.io/vmNamePrefix'] = 'web';
        instance.affinity.podAntiAffinity = {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { 'harvesterhci.io/vmNamePrefix': 'web' } },
              },
            },
          ],
        };
      },
    ),
  ],
  [
    'apart from others of all namespaces, and on nodes of a zone',
    machine((instance) => {
      instance.affinity.podAntiAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: {
              matchExpressions: [
                { key: 'app', operator: 'In', values: ['db', 'cache'] },
                { key: 'old', operator: 'DoesNotExist' },
              ],
            },
            namespaceSelector: {},
            topologyKey: 'topology.kubernetes.io/zone',
          },
        ],
      };
    }),
  ],
  [
    'with EFI and without Secure Boot',
    machine(({ domain }) => {
      domain.firmware.bootloader = { efi: { secureBoot: false } };
    }),
  ],
  [
    'with Secure Boot and a TPM',
    machine(({ domain }) => {
      domain.firmware.bootloader = { efi: { secureBoot: true } };
      domain.features.smm = { enabled: true };
      domain.devices.tpm = {};
    }),
  ],
  [
    'with a PCI device and a vGPU',
    machine(({ domain: { devices } }) => {
      devices.hostDevices = [PCI_DEVICE, VGPU];
    }),
  ],
  [
    'with pinned CPUs on one node',
    machine((instance) => {
      instance.domain.cpu.dedicatedCpuPlacement = true;
      instance.nodeSelector = { 'kubernetes.io/hostname': 'node-1' };
    }),
  ],
  [
    'without a tablet and without NICs',
    machine(({ domain: { devices }, networks }) => {
      delete devices.inputs;
      devices.interfaces = [];
      devices.autoattachPodInterface = false;
      networks.splice(0);
    }),
  ],
  [
    'with a fixed address',
    machine((_, { metadata }) => {
      metadata.annotations['static-ip.harvesterhci.io/default'] = '10.0.0.5/24';
    }),
  ],
  [
    'with a fixed address on a NIC that is as by default otherwise',
    machine(({ domain: { devices }, networks }, { metadata }) => {
      const [key] = nicKeys([{ network: 'shop-vms/prod' }]);
      Object.assign(devices.interfaces[0], {
        name: 'nic-0',
        macAddress: derivedMac({ target: 'dc1', namespace: 'shop-vms', machine: 'web', nic: key }),
      });
      networks[0].name = 'nic-0';
      metadata.annotations['static-ip.harvesterhci.io/nic-0'] = '10.0.0.5/24';
    }),
  ],
  [
    'with cloud-init in the manifest',
    machine(({ volumes }) => {
      volumes[2].cloudInitNoCloud = {
        userData: '#cloud-config\npackages: [nginx]\n',
        networkData: '',
      };
    }),
  ],
  [
    'with a disk that VMs share',
    machine(({ domain: { devices } }) => {
      devices.disks[1].shareable = true;
    }),
  ],
  [
    'with an empty CD drive',
    machine(({ domain: { devices } }) => {
      devices.disks.splice(2, 0, { bootOrder: 3, cdrom: { bus: 'sata' }, name: 'cd' });
    }),
  ],
  [
    'with a disk in a container image',
    machine(({ domain: { devices }, volumes }) => {
      devices.disks.splice(2, 0, { bootOrder: 3, disk: { bus: 'virtio' }, name: 'tools' });
      volumes.splice(2, 0, {
        name: 'tools',
        containerDisk: { image: 'registry.example.com/tools:1' },
      });
    }),
  ],
  [
    'with an answer file of Windows',
    machine(({ domain: { devices }, volumes }) => {
      devices.disks.splice(2, 0, { cdrom: { bus: 'sata' }, name: 'sysprep' });
      volumes.splice(2, 0, {
        name: 'sysprep',
        sysprep: { secret: { name: 'web-windows-sysprep' } },
      });
    }),
  ],
  [
    'with a TPM and EFI variables that are kept',
    machine(({ domain }) => {
      domain.firmware.bootloader = { efi: { secureBoot: false, persistent: true } };
      domain.devices.tpm = { persistent: true };
    }),
  ],
  [
    'with files of a ConfigMap',
    machine(({ domain: { devices }, volumes }) => {
      devices.filesystems = [{ name: 'files', virtiofs: {} }];
      volumes.push({ name: 'files', configMap: { name: 'files' } });
    }),
  ],
  [
    'with a volume that exists already',
    machine((instance, { metadata }) => {
      const key = 'harvesterhci.io/volumeClaimTemplates';
      metadata.annotations[key] = metadata.annotations[key].replace('web-disk-1-a1b2c', 'data');
      instance.volumes[1].persistentVolumeClaim.claimName = 'data';
    }),
  ],
];

test('adopts a VM with a vGPU as Harvester stores it before 1.8', () => {
  const objects = machine(({ domain: { devices } }) => {
    devices.hostDevices = [PCI_DEVICE];
    devices.gpus = [VGPU];
  });
  const before18 = JSON.parse(
    JSON.stringify(objects).replaceAll(IMAGE_CLASS, `longhorn-${IMAGE}`),
  ) as typeof objects;
  const { patches, plain } = adoptedFrom(before18, '1.7.2');
  expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
});

test.each(MACHINES)('adopts a VM %s without a patch', (_, objects) => {
  const { patches, plain } = adoptedFrom(objects);
  expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
});

const SPEC = '/spec/template/spec';

test.each<readonly [string, readonly Manifest[], readonly string[]]>([
  [
    'a volume that was plugged in while it runs',
    machine(({ domain: { devices }, volumes }) => {
      devices.disks.push({ disk: { bus: 'scsi' }, name: 'hot' });
      volumes.push({
        name: 'hot',
        persistentVolumeClaim: { claimName: 'data', hotpluggable: true },
      });
    }),
    [`add ${SPEC}/domain/devices/disks/-`, `add ${SPEC}/volumes/-`],
  ],
])('keeps the VM and patches only %s', (_, objects, patches) => {
  const result = adoptedFrom(objects);
  expect({ patches: result.patches, plain: result.plain }).toEqual({
    patches: { web: patches },
    plain: [],
  });
});
