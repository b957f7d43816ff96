import { Manifest } from '../../../src/core/manifest/manifest';
import { adoptedFrom } from '../_adopted-harvester';
import { live, terraformMachine, uiImage } from '../_harvester-bodies';

/**
 * What the provider writes for `description` and `tags`.
 * @see harvester/terraform-provider-harvester:internal/util/constructor.go
 */
const COMMON = {
  annotations: { 'field.cattle.io/description': 'Of the shop' },
  labels: { 'tag.harvesterhci.io/team': 'shop' },
};

/** Of the cluster, not of a namespace. */
const GLOBAL = { ...COMMON, namespace: undefined };

type Body = { spec: { template: { metadata: any; spec: any } }; metadata: any };

function machine(change: (instance: any, body: Body) => void): readonly Manifest[] {
  const body = JSON.parse(JSON.stringify(terraformMachine())) as Body;
  delete body.spec.template.metadata.annotations['harvesterhci.io/waitForLeaseInterfaceNames'];
  const instance = body.spec.template.spec;
  instance.volumes[1].cloudInitNoCloud = {
    secretRef: { name: 'db-init' },
    networkDataSecretRef: { name: 'db-init' },
  };
  change(instance, body);
  return [body as unknown as Manifest, uiImage()];
}

const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

/**
 * Objects of the provider, with what servers fill in.
 * @see harvester/terraform-provider-harvester:internal/provider (resource_*_constructor.go)
 */
const BODIES: readonly (readonly [name: string, objects: readonly Manifest[]])[] = [
  [
    'a volume',
    [
      live(
        'v1',
        'PersistentVolumeClaim',
        { name: 'data', ...COMMON },
        {
          spec: {
            accessModes: ['ReadWriteMany'],
            resources: { requests: { storage: '10Gi' } },
            storageClassName: 'ssd',
            volumeMode: 'Block',
            volumeName: 'pvc-1',
          },
          status: {},
        },
      ),
    ],
  ],
  [
    'an image, which has no label of its type',
    [
      live(
        'harvesterhci.io/v1beta1',
        'VirtualMachineImage',
        {
          name: 'noble',
          labels: COMMON.labels,
          annotations: {
            ...COMMON.annotations,
            'harvesterhci.io/storageClassName': 'harvester-longhorn',
          },
        },
        {
          spec: {
            backend: 'backingimage',
            checksum: '',
            displayName: 'noble',
            pvcName: '',
            pvcNamespace: '',
            retry: 3,
            sourceType: 'download',
            url: 'https://images.example.com/noble.img',
            targetStorageClassName: 'harvester-longhorn',
          },
          status: { storageClassName: 'longhorn-noble' },
        },
      ),
    ],
  ],
  [
    'a network with a route',
    [
      live(
        'k8s.cni.cncf.io/v1',
        'NetworkAttachmentDefinition',
        {
          name: 'prod',
          labels: {
            ...COMMON.labels,
            'network.harvesterhci.io/clusternetwork': 'uplink',
            'network.harvesterhci.io/type': 'L2VlanNetwork',
            'network.harvesterhci.io/vlan-id': '100',
            'network.harvesterhci.io/ready': 'true',
          },
          annotations: {
            ...COMMON.annotations,
            'network.harvesterhci.io/route':
              '{"mode":"manual","serverIPAddr":"","cidr":"10.0.0.0/24","gateway":"10.0.0.1","connectivity":"true"}',
          },
        },
        {
          spec: {
            config:
              '{"cniVersion":"0.3.1","name":"prod","type":"bridge","bridge":"uplink-br","promiscMode":true,"vlan":100,"ipam":{}}',
          },
        },
      ),
    ],
  ],
  [
    'a cluster network with an uplink',
    [
      live('network.harvesterhci.io/v1beta1', 'ClusterNetwork', { name: 'uplink', ...GLOBAL }, {}),
      live(
        'network.harvesterhci.io/v1beta1',
        'VlanConfig',
        {
          name: 'uplink-all',
          ...GLOBAL,
          labels: { ...COMMON.labels, 'network.harvesterhci.io/clusternetwork': 'uplink' },
        },
        {
          spec: {
            clusterNetwork: 'uplink',
            uplink: {
              bondOptions: { miimon: 0, mode: 'active-backup' },
              linkAttributes: { mtu: 1500 },
              nics: ['eth1'],
            },
          },
        },
      ),
    ],
  ],
  [
    'a key with a line break, as in a file',
    [
      live(
        'harvesterhci.io/v1beta1',
        'KeyPair',
        { name: 'ana', ...COMMON },
        {
          spec: {
            publicKey:
              'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana\n',
          },
        },
      ),
    ],
  ],
  [
    'an IP pool',
    [
      live(
        'loadbalancer.harvesterhci.io/v1beta1',
        'IPPool',
        { name: 'public', ...GLOBAL },
        {
          spec: {
            ranges: [
              {
                rangeStart: '10.0.0.2',
                rangeEnd: '10.0.0.9',
                subnet: '10.0.0.0/24',
                gateway: '10.0.0.1',
              },
            ],
            selector: {
              network: 'shop-vms/prod',
              priority: 0,
              scope: [{ project: 'services', namespace: 'prod-default', guestCluster: 'prod' }],
            },
          },
        },
      ),
    ],
  ],
  [
    'a load balancer',
    [
      live(
        'loadbalancer.harvesterhci.io/v1beta1',
        'LoadBalancer',
        { name: 'web', ...COMMON },
        {
          spec: {
            workloadType: 'vm',
            ipam: 'dhcp',
            listeners: [{ name: 'https', port: 443, protocol: 'TCP', backendPort: 8080 }],
            backendServerSelector: { app: ['shop'] },
            healthCheck: {
              port: 8080,
              successThreshold: 1,
              failureThreshold: 3,
              periodSeconds: 10,
              timeoutSeconds: 5,
            },
          },
        },
      ),
    ],
  ],
  [
    'a StorageClass',
    [
      live(
        'storage.k8s.io/v1',
        'StorageClass',
        {
          name: 'fast',
          ...GLOBAL,
          annotations: {
            ...COMMON.annotations,
            'storageclass.kubernetes.io/is-default-class': 'false',
          },
        },
        {
          provisioner: 'driver.longhorn.io',
          reclaimPolicy: 'Delete',
          volumeBindingMode: 'Immediate',
          allowVolumeExpansion: true,
          parameters: {
            migratable: 'true',
            numberOfReplicas: '1',
            staleReplicaTimeout: '30',
            diskSelector: 'ssd',
          },
        },
      ),
    ],
  ],
  [
    'a setting',
    [
      live(
        'harvesterhci.io/v1beta1',
        'Setting',
        { name: 'overcommit-config', ...GLOBAL },
        { value: '{"cpu":1200,"memory":150,"storage":200}', status: {} },
      ),
    ],
  ],
  [
    'a claim of a PCI device',
    [
      live(
        'devices.harvesterhci.io/v1beta1',
        'PCIDeviceClaim',
        {
          name: 'node1-000004000',
          namespace: undefined,
          ownerReferences: [
            {
              apiVersion: 'devices.harvesterhci.io/v1beta1',
              kind: 'PCIDevice',
              name: 'node1-000004000',
              uid: 'p',
            },
          ],
        },
        { spec: { address: '0000:04:00.0', nodeName: 'node1', userName: 'admin' }, status: {} },
      ),
    ],
  ],
  [
    'a schedule of backups, which suspends it one failure before the last backup',
    [
      live(
        'harvesterhci.io/v1beta1',
        'ScheduleVMBackup',
        { name: 'svmbackup-db', labels: { team: 'shop' } },
        {
          spec: {
            cron: '0 2 * * *',
            retain: 5,
            maxFailure: 4,
            suspend: false,
            vmbackup: {
              type: 'backup',
              source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'db' },
            },
          },
        },
      ),
    ],
  ],
  ['a VM with cloud-init of a Secret', machine(() => undefined)],
  [
    'a VM with Secure Boot',
    machine(({ domain }) => {
      domain.firmware = { bootloader: { efi: { secureBoot: true } } };
      domain.features = { smm: { enabled: true } };
    }),
  ],
  [
    'a VM whose disks have no boot order, and are deleted with it',
    machine(({ domain }, { metadata }) => {
      delete domain.devices.disks[0].bootOrder;
      const [claim] = JSON.parse(metadata.annotations[CLAIMS]);
      claim.metadata.annotations['terraform-provider-harvester-auto-delete'] = 'true';
      metadata.annotations[CLAIMS] = JSON.stringify([claim]);
    }),
  ],
];

test.each(BODIES)('adopts %s of Terraform without a patch', (_, objects) => {
  const { patches, plain } = adoptedFrom(objects);
  expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
});
