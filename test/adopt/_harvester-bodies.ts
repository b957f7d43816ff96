import { Manifest } from '../../src/core/manifest/manifest';

/** Fields of an object. */
type Fields = { readonly [field: string]: unknown };

/** The names that Harvester's UI generates. */
export const IMAGE = 'image-7vq2w';
export const SECRET = 'web-x7k2p';
export const CLAIM = 'web-disk-0-r4nd0';

/** The StorageClass of the image, as Harvester 1.8 names it. */
export const IMAGE_CLASS = 'lh-2f5b0c1e-4d1a-4e5c-9a57-3f1f5d0b9f11';

/** An object as a server returns it. */
export function live(apiVersion: string, kind: string, metadata: Fields, more: Fields): Manifest {
  return JSON.parse(
    JSON.stringify({
      apiVersion,
      kind,
      metadata: {
        namespace: 'shop-vms',
        uid: 'u',
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...metadata,
      },
      ...more,
    }),
  ) as Manifest;
}

/**
 * An image that was downloaded in the UI.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.virtualmachineimage.vue
 */
export function uiImage(): Manifest {
  const url = 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img';
  return live(
    'harvesterhci.io/v1beta1',
    'VirtualMachineImage',
    {
      name: IMAGE,
      namespace: 'default',
      generateName: 'image-',
      annotations: { 'harvesterhci.io/storageClassName': 'harvester-longhorn' },
      labels: {
        'harvesterhci.io/image-type': 'raw_qcow2',
        'harvesterhci.io/os-type': 'ubuntu',
        'harvesterhci.io/imageDisplayName': 'noble.img',
      },
      finalizers: ['wrangler.cattle.io/vm-image-controller'],
    },
    {
      spec: {
        backend: 'backingimage',
        checksum: '',
        displayName: 'noble.img',
        pvcName: '',
        pvcNamespace: '',
        retry: 3,
        sourceType: 'download',
        storageClassParameters: {
          migratable: 'true',
          numberOfReplicas: '3',
          staleReplicaTimeout: '30',
        },
        targetStorageClassName: 'harvester-longhorn',
        url,
      },
      status: {
        appliedUrl: url,
        storageClassName: IMAGE_CLASS,
        size: 627114496,
        virtualSize: 3758096384,
        progress: 100,
      },
    },
  );
}

/** The Secret of a VM's cloud-init, with the values that are not read. */
export function uiSecret(): Manifest {
  return live(
    'v1',
    'Secret',
    {
      name: SECRET,
      labels: { 'harvesterhci.io/cloud-init-template': 'harvester' },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'w' },
      ],
    },
    { type: 'secret', data: { userdata: '', networkdata: '' } },
  );
}

/** A volume that Harvester made from a VM's claims. */
export function claimOfMachine(name = CLAIM): Manifest {
  return live(
    'v1',
    'PersistentVolumeClaim',
    {
      name,
      annotations: {
        'harvesterhci.io/imageId': `default/${IMAGE}`,
        'harvesterhci.io/owned-by':
          '[{"schema":"kubevirt.io.virtualmachine","refs":["shop-vms/web"]}]',
      },
    },
    {
      spec: {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '40Gi' } },
        storageClassName: IMAGE_CLASS,
        volumeMode: 'Block',
        volumeName: 'pvc-1',
      },
    },
  );
}

function claim(name: string, storage: string, storageClassName: string, imageId?: string): Fields {
  return {
    metadata: {
      name,
      ...(imageId === undefined ? {} : { annotations: { 'harvesterhci.io/imageId': imageId } }),
    },
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage } },
      volumeMode: 'Block',
      storageClassName,
    },
  };
}

/**
 * What Harvester and KubeVirt fill in.
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go
 */
const FILLED_IN = {
  affinity: (key: string) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['true'] }] }],
      },
    },
  }),
  firmware: {
    uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223',
    serial: '4f6c8b1e-8a1f-4b4a-9a3e-1d0f5b6c7d8e',
  },
};

/**
 * A VM as the form of Harvester's UI writes it, with what servers fill in.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js
 */
export function uiMachine(): Manifest {
  return live(
    'kubevirt.io/v1',
    'VirtualMachine',
    {
      name: 'web',
      annotations: {
        'harvesterhci.io/mac-address': '{"default":"52:54:00:9a:1c:02"}',
        'harvesterhci.io/vmRunStrategy': 'RerunOnFailure',
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
          claim(CLAIM, '40Gi', IMAGE_CLASS, `default/${IMAGE}`),
          claim('web-disk-1-a1b2c', '100Gi', 'ssd'),
        ]),
        'kubevirt.io/latest-observed-api-version': 'v1',
        'kubevirt.io/storage-observed-api-version': 'v1',
        'network.harvesterhci.io/ips': '[]',
      },
      finalizers: [
        'kubevirt.io/virtualMachineControllerFinalize',
        'wrangler.cattle.io/VMController.CleanupPVCAndSnapshot',
      ],
      labels: { 'harvesterhci.io/creator': 'harvester', 'harvesterhci.io/os': 'ubuntu' },
    },
    {
      spec: {
        runStrategy: 'RerunOnFailure',
        template: {
          metadata: {
            annotations: { 'harvesterhci.io/sshNames': '["default/ana"]' },
            creationTimestamp: null,
            labels: { 'harvesterhci.io/vmName': 'web' },
          },
          spec: {
            affinity: FILLED_IN.affinity('network.harvesterhci.io/mgmt'),
            architecture: 'amd64',
            domain: {
              cpu: { cores: 2, sockets: 1, threads: 1, maxSockets: 1 },
              devices: {
                disks: [
                  { bootOrder: 1, disk: { bus: 'virtio' }, name: 'disk-0' },
                  { bootOrder: 2, disk: { bus: 'virtio' }, name: 'disk-1' },
                  { disk: { bus: 'virtio' }, name: 'cloudinitdisk' },
                ],
                inputs: [{ bus: 'usb', name: 'tablet', type: 'tablet' }],
                interfaces: [
                  { bridge: {}, macAddress: '52:54:00:9a:1c:02', model: 'virtio', name: 'default' },
                ],
              },
              features: { acpi: { enabled: true } },
              firmware: FILLED_IN.firmware,
              machine: { type: 'q35' },
              memory: { guest: '3996Mi' },
              resources: {
                limits: { cpu: '2', memory: '4Gi' },
                requests: { cpu: '125m', memory: '2730Mi' },
              },
            },
            evictionStrategy: 'LiveMigrateIfPossible',
            hostname: 'web',
            networks: [{ multus: { networkName: 'shop-vms/prod' }, name: 'default' }],
            terminationGracePeriodSeconds: 120,
            volumes: [
              { name: 'disk-0', persistentVolumeClaim: { claimName: CLAIM } },
              { name: 'disk-1', persistentVolumeClaim: { claimName: 'web-disk-1-a1b2c' } },
              {
                cloudInitNoCloud: {
                  networkDataSecretRef: { name: SECRET },
                  secretRef: { name: SECRET },
                },
                name: 'cloudinitdisk',
              },
            ],
          },
        },
      },
      status: { created: true, printableStatus: 'Running', ready: true },
    },
  );
}

/** A Windows VM as the form writes it: a CD, drivers in a container image, and no cloud-init. */
export function windowsMachine(): Manifest {
  return live(
    'kubevirt.io/v1',
    'VirtualMachine',
    {
      name: 'desktop',
      annotations: {
        'harvesterhci.io/reservedMemory': '256Mi',
        'harvesterhci.io/vmRunStrategy': 'RerunOnFailure',
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
          claim('desktop-cdrom-disk-a1b2c', '6Gi', 'longhorn-windows-iso', 'default/windows-iso'),
          claim('desktop-rootdisk-d3e4f', '64Gi', 'ssd'),
        ]),
      },
      labels: {
        'harvesterhci.io/creator': 'harvester',
        'harvesterhci.io/os': 'windows',
        'harvesterhci.io/maintain-mode-strategy': 'Shutdown',
      },
    },
    {
      spec: {
        runStrategy: 'Halted',
        template: {
          metadata: {
            annotations: { 'harvesterhci.io/sshNames': '[]' },
            labels: { 'harvesterhci.io/vmName': 'desktop' },
          },
          spec: {
            affinity: {},
            domain: {
              cpu: { cores: 4, sockets: 1, threads: 1 },
              devices: {
                disks: [
                  { bootOrder: 1, cdrom: { bus: 'sata' }, name: 'cdrom-disk' },
                  { bootOrder: 2, disk: { bus: 'virtio' }, name: 'rootdisk' },
                  { bootOrder: 3, cdrom: { bus: 'sata' }, name: 'virtio-container-disk' },
                ],
                inputs: [{ bus: 'usb', name: 'tablet', type: 'tablet' }],
                interfaces: [
                  {
                    masquerade: {},
                    macAddress: '52:54:00:9a:1c:03',
                    model: 'e1000',
                    name: 'default',
                  },
                ],
                tpm: { persistent: true },
              },
              features: { acpi: { enabled: true }, smm: { enabled: true } },
              firmware: { bootloader: { efi: { secureBoot: true, persistent: true } } },
              machine: { type: 'q35' },
              resources: { limits: { cpu: '4', memory: '8Gi' } },
            },
            evictionStrategy: 'LiveMigrateIfPossible',
            hostname: 'desktop',
            networks: [{ name: 'default', pod: {} }],
            terminationGracePeriodSeconds: 120,
            volumes: [
              {
                name: 'cdrom-disk',
                persistentVolumeClaim: { claimName: 'desktop-cdrom-disk-a1b2c' },
              },
              { name: 'rootdisk', persistentVolumeClaim: { claimName: 'desktop-rootdisk-d3e4f' } },
              {
                containerDisk: {
                  image: 'registry.suse.com/suse/vmdp/vmdp:2.5.4.3',
                  imagePullPolicy: 'IfNotPresent',
                },
                name: 'virtio-container-disk',
              },
            ],
          },
        },
      },
    },
  );
}

/**
 * A VM as the Terraform provider writes it.
 * @see harvester/terraform-provider-harvester:internal/provider/virtualmachine/resource_virtualmachine_constructor.go
 */
export function terraformMachine(): Manifest {
  const labels = {
    'harvesterhci.io/creator': 'terraform-provider-harvester',
    'harvesterhci.io/vmName': 'db',
    'tag.harvesterhci.io/team': 'shop',
  };
  return live(
    'kubevirt.io/v1',
    'VirtualMachine',
    {
      name: 'db',
      annotations: {
        'field.cattle.io/description': 'The database',
        'harvesterhci.io/vmRunStrategy': 'RerunOnFailure',
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
          {
            metadata: {
              name: 'db-rootdisk-x1y2z',
              creationTimestamp: null,
              annotations: { 'harvesterhci.io/imageId': `default/${IMAGE}` },
            },
            spec: {
              accessModes: ['ReadWriteMany'],
              resources: { requests: { storage: '20Gi' } },
              storageClassName: IMAGE_CLASS,
              volumeMode: 'Block',
            },
            status: {},
          },
        ]),
      },
      labels,
    },
    {
      spec: {
        runStrategy: 'RerunOnFailure',
        template: {
          metadata: {
            annotations: {
              'harvesterhci.io/sshNames': '["default/ana"]',
              'harvesterhci.io/waitForLeaseInterfaceNames': '["nic-1"]',
            },
            creationTimestamp: null,
            labels,
          },
          spec: {
            affinity: {
              ...FILLED_IN.affinity('network.harvesterhci.io/mgmt'),
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  {
                    podAffinityTerm: {
                      labelSelector: {
                        matchExpressions: [{ key: 'harvesterhci.io/creator', operator: 'Exists' }],
                      },
                      topologyKey: 'kubernetes.io/hostname',
                    },
                    weight: 100,
                  },
                ],
              },
            },
            domain: {
              cpu: { cores: 2, sockets: 1, threads: 1 },
              devices: {
                disks: [
                  { bootOrder: 1, disk: { bus: 'virtio' }, name: 'rootdisk' },
                  { disk: { bus: 'virtio' }, name: 'cloudinitdisk' },
                ],
                interfaces: [
                  { bridge: {}, macAddress: '52:54:00:9a:1c:04', model: 'virtio', name: 'nic-1' },
                ],
              },
              machine: { type: 'q35' },
              memory: { guest: '3996Mi' },
              resources: {
                limits: { cpu: '2', memory: '4Gi' },
                requests: { cpu: '125m', memory: '2730Mi' },
              },
            },
            evictionStrategy: 'LiveMigrateIfPossible',
            hostname: 'db',
            networks: [{ multus: { networkName: 'shop-vms/prod' }, name: 'nic-1' }],
            terminationGracePeriodSeconds: 120,
            volumes: [
              { name: 'rootdisk', persistentVolumeClaim: { claimName: 'db-rootdisk-x1y2z' } },
              {
                cloudInitNoCloud: {
                  networkData: '',
                  userData: '#cloud-config\npackages: [postgresql]\n',
                },
                name: 'cloudinitdisk',
              },
            ],
          },
        },
      },
    },
  );
}

/** A VM whose CPU and memory can be added while it runs. */
export function hotplugMachine(): Manifest {
  const machine = uiMachine() as any;
  machine.metadata.name = 'web';
  machine.metadata.annotations['harvesterhci.io/enableCPUAndMemoryHotplug'] = 'true';
  machine.spec.template.spec.domain.cpu = { cores: 1, sockets: 2, threads: 1, maxSockets: 8 };
  machine.spec.template.spec.domain.memory = { guest: '4Gi', maxGuest: '16Gi' };
  machine.spec.template.spec.domain.resources.limits = { cpu: '8', memory: '16Gi' };
  return machine as Manifest;
}
