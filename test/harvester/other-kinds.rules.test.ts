import { Manifest } from '../../src/core/manifest/manifest';
import { ALL_RULES } from '../../src/registry/all-rules';
import { Judging, judgeOn } from '../support/judging';

const of =
  (apiVersion: string, kind: string) =>
  (name: string, fields: object = {}, metadata: object = {}): Manifest => ({
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    ...fields,
  });
const device = (kind: string) => of('devices.harvesterhci.io/v1beta1', kind);
const [claim, usbClaim, pci] = ['PCIDeviceClaim', 'USBDeviceClaim', 'PCIDevice'].map(device) as [
  ReturnType<typeof of>,
  ReturnType<typeof of>,
  ReturnType<typeof of>,
];
const [gpu, vgpu, mig, nic] = [
  'SRIOVGPUDevice',
  'VGPUDevice',
  'MigConfiguration',
  'SRIOVNetworkDevice',
].map(device) as ReturnType<typeof of>[];
const harvester =
  (kind: string) =>
  (name: string, fields: object = {}, metadata: object = {}): Manifest =>
    of('harvesterhci.io/v1beta1', kind)(name, fields, { namespace: 'default', ...metadata });
const ovn = (kind: string) => of('kubeovn.io/v1', kind);
const migration =
  (kind: string) =>
  (name: string, spec: object): Manifest =>
    of('migration.harvesterhci.io/v1beta1', kind)(name, { spec }, { namespace: 'default' });

/** A VM with one host device. */
const machine = (name: string, deviceName: string): Manifest =>
  of('kubevirt.io/v1', 'VirtualMachine')(
    'vm',
    {
      spec: {
        template: { spec: { domain: { devices: { hostDevices: [{ name, deviceName }] } } } },
      },
    },
    { namespace: 'default' },
  );

const onNode = { status: { iommuGroup: '1', nodeName: 'node1', resourceName: 'intel.com/X710' } };
const served = { metadata: { uid: 'u', resourceVersion: '1' } };
const live = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, ...served.metadata },
});
const network = (type: string): Manifest =>
  of('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition')(
    'apps',
    {
      spec: { config: JSON.stringify({ type, provider: 'apps.default.ovn', bridge: 'mgmt-br' }) },
    },
    { namespace: 'default' },
  );
const subnet = (spec: object, name = 'apps'): Manifest =>
  ovn('Subnet')(name, {
    spec: { provider: 'apps.default.ovn', cidrBlock: '10.20.0.0/24', ...spec },
  });
const source = {
  apiVersion: 'migration.harvesterhci.io/v1beta1',
  kind: 'vmwaresource',
  name: 'vcsim',
  namespace: 'default',
};
const PROD: Manifest = {
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'prod', namespace: 'default' },
};
const version = (spec: object): Manifest =>
  harvester('VirtualMachineTemplateVersion')('v1', {
    spec: { templateId: 'default/web', ...spec },
  });
const upgrade = (spec: object, metadata: object = {}): Manifest =>
  harvester('Upgrade')('up', { spec }, metadata);

/** What a rule finds, or does not. */
type Case = [
  rule: string,
  found: readonly Manifest[],
  fine: readonly Manifest[],
  around?: Judging,
  says?: string,
];

const CASES: readonly Case[] = [
  [
    'pci-device-claim/device',
    [claim('gone')],
    [claim('n1')],
    { live: [live(pci('n1', onNode))] },
    'pcidevices.devices.harvesterhci.io "gone" not found',
  ],
  [
    'pci-device-claim/device',
    [claim('n2')],
    [claim('n1')],
    { live: [live(pci('n1', onNode)), live(pci('n2', { status: {} }))] },
    'has no iommuGroup available',
  ],
  [
    'pci-device-claim/gpu',
    [claim('gpu1')],
    [claim('n1')],
    {
      live: [
        live(pci('part', onNode, { labels: { 'harvesterhci.io/parentSRIOVGPUDevice': 'gpu1' } })),
      ],
    },
  ],
  [
    'pci-device-claim/usb-controller',
    [claim('n1', { spec: { address: '0000:00:14.0', nodeName: 'node1' } })],
    [claim('n2', { spec: { address: '0000:00:15.0', nodeName: 'node1' } })],
    { live: [live(usbClaim('u1', { status: { pciAddress: '0000:00:14.0', nodeName: 'node1' } }))] },
    'are using the PCI USB Controller',
  ],
  [
    'device-claim/owner',
    [claim('n1')],
    [claim('n1', {}, { ownerReferences: [{ kind: 'PCIDevice', name: 'n1', uid: 'u' }] })],
    {},
    'Cannot find PCIDevice that owns n1',
  ],
  [
    'virtual-machine/unclaimed-device',
    [machine('n1', 'intel.com/X710')],
    [machine('n1', 'intel.com/X710'), claim('n1')],
    {
      live: [
        live(pci('n1', onNode)),
        live(claim('n2', {}, { ownerReferences: [{ kind: 'PCIDevice' }] })),
      ],
    },
  ],
  [
    'pci-device-claim/in-use',
    [machine('n1', 'a/b')],
    [machine('n2', 'a/b')],
    { before: [claim('n1')] },
    'is already in use with vm',
  ],
  [
    'pci-device-claim/of-vgpu',
    [],
    [claim('n1')],
    { before: [claim('n1', {}, { ownerReferences: [{ kind: 'VGPUDevice', name: 'g' }] })] },
  ],
  [
    'usb-device-claim/in-use',
    [machine('u1', 'a/b')],
    [machine('u2', 'a/b')],
    { before: [usbClaim('u1')] },
    'is still in use by vm',
  ],
  [
    'usb-device-claim/update',
    [usbClaim('u1', { spec: { userName: 'b' } })],
    [usbClaim('u1', { spec: { userName: 'a' } })],
    { before: [usbClaim('u1', { spec: { userName: 'a' } })] },
    'username is immutable',
  ],
  [
    'sriov-network-device/in-use',
    [nic!('e', { spec: { numVFs: 0 } })],
    [nic!('e', { spec: { numVFs: 2 } })],
    {
      before: [nic!('e', { spec: { numVFs: 4 }, status: { vfPCIDevices: ['vf'] } })],
      live: [live(claim('vf'))],
    },
    'found pcideviceclaims',
  ],
  [
    'sriov-gpu-device/in-use',
    [gpu!('g', { spec: { enabled: false } }), machine('v1', 'a/b')],
    [gpu!('g', { spec: { enabled: false } })],
    { before: [gpu!('g', { spec: { enabled: true }, status: { vGPUDevices: ['v1'] } })] },
    'device v1 is in use with VM',
  ],
  [
    'sriov-gpu-device/in-use',
    [],
    [gpu!('g', { spec: { enabled: true } })],
    { before: [gpu!('g', { spec: { enabled: true } })] },
    'please disable gpuDevice g before deletion',
  ],
  [
    'vgpu-device/type',
    [vgpu!('v', { spec: { enabled: true, vGPUTypeName: 'B' } })],
    [vgpu!('v', { spec: { enabled: true, vGPUTypeName: 'A' } })],
    { before: [vgpu!('v', { spec: { enabled: false }, status: { availableTypes: { A: 'x' } } })] },
    'B is not a valid profile',
  ],
  [
    'vgpu-device/in-use',
    [vgpu!('v1', { spec: { enabled: false } }), machine('v1', 'a/b')],
    [vgpu!('v1', { spec: { enabled: false } })],
    { before: [vgpu!('v1', { spec: { enabled: true } })] },
    'device v1 is in use with VM',
  ],
  [
    'mig-configuration/profiles',
    [mig!('m', { spec: { profileSpec: [{ requested: 4 }, { requested: 4 }] } })],
    [mig!('m', { spec: { profileSpec: [{ requested: 7 }] } })],
    {},
    'more than 7 instances defined, found 8',
  ],
  [
    'mig-configuration/update',
    [mig!('m', { spec: { enabled: true, profileSpec: [{ id: 1, requested: 2 }] } })],
    [mig!('m', { spec: { enabled: true, profileSpec: [{ id: 1, requested: 1 }] } })],
    {
      before: [
        mig!('m', {
          spec: { enabled: true, profileSpec: [{ id: 1, requested: 1 }] },
          status: { status: 'synced' },
        }),
      ],
    },
    'cannot be modified unless configuration is disabled',
  ],
  [
    'virtual-machine/host-device',
    [machine('n1', 'intel.com/other')],
    [machine('n1', 'intel.com/X710')],
    { live: [live(pci('n1', onNode))] },
    'not found in pcidevice and usbdevice cache',
  ],
  [
    'subnet/network',
    [subnet({ provider: 'none.default.ovn' })],
    [subnet({}), network('kube-ovn')],
    {},
    'nad none not created in namespace default',
  ],
  [
    'subnet/network',
    [subnet({}), network('bridge')],
    [subnet({}), network('kube-ovn')],
    {},
    'network type of nad is not kubeovn',
  ],
  [
    'subnet/network',
    [subnet({ provider: undefined })],
    [ovn('Subnet')('join', { spec: { provider: 'ovn' } })],
    {},
    'provider is empty',
  ],
  [
    'subnet/network-twice',
    [subnet({}), subnet({}, 'two')],
    [subnet({})],
    {},
    'is using the provider',
  ],
  [
    'subnet/vpc',
    [subnet({ vpc: 'v' })],
    [subnet({ vpc: 'ovn-cluster' }), subnet({ vpc: 'w' }, 'b'), ovn('Vpc')('w')],
    {},
    'vpc v not created for subnet',
  ],
  ['subnet/name', [subnet({ vpc: 'apps' })], [subnet({ vpc: 'other' })]],
  [
    'subnet/cidr',
    [subnet({ cidrBlock: '10.20.0.0' })],
    [subnet({ cidrBlock: '10.20.0.0/24,fd00::/64' })],
  ],
  [
    'subnet/gateway',
    [subnet({ gateway: '10.21.0.1' })],
    [subnet({ gateway: '10.20.0.1' })],
    {},
    '10.21.0.1 is not in cidr 10.20.0.0/24',
  ],
  [
    'subnet/exclude-ips',
    [subnet({ excludeIps: ['10.20.0.9..10.20.0.1'] })],
    [subnet({ excludeIps: ['10.20.0.1', '10.20.0.1..10.20.0.9'] })],
    {},
    'in excludeIps is not a valid',
  ],
  [
    'subnet/nat',
    [subnet({ natOutgoing: true, vpc: 'v' })],
    [
      subnet({ natOutgoing: true, vpc: 'ovn-cluster' }),
      subnet({ natOutgoing: false, vpc: 'v' }, 'b'),
    ],
  ],
  [
    'subnet/update',
    [subnet({ vpc: 'w' })],
    [subnet({ vpc: 'v' })],
    { before: [{ ...subnet({ vpc: 'v' }), status: { v4usingIPs: 2 } }] },
    'cannot update vpc',
  ],
  [
    'vpc/peering',
    [
      ovn('Vpc')('v', {
        spec: { vpcPeerings: [{ remoteVpc: 'w', localConnectIP: '169.254.0.1/30' }] },
      }),
      ovn('Vpc')('w', { spec: {} }),
    ],
    ['v', 'w'].map((name, index) =>
      ovn('Vpc')(name, {
        spec: {
          vpcPeerings: [
            { remoteVpc: index === 0 ? 'w' : 'v', localConnectIP: `169.254.0.${index + 1}/30` },
          ],
        },
      }),
    ),
  ],
  [
    'vpc/peering',
    [
      ovn('Vpc')('v', {
        spec: { vpcPeerings: [{ remoteVpc: 'w', localConnectIP: '169.254.0.1' }] },
      }),
    ],
    [],
    {},
    'CIDRInvalid',
  ],
  ['object/field-value', [subnet({ protocol: 'ipv4' })], [subnet({ protocol: 'Dual' })]],
  [
    'subnet/gateway-type',
    [subnet({ gatewayType: 'none' })],
    [subnet({ gatewayType: 'centralized' })],
  ],
  ['subnet/in-use', [network('kube-ovn')], [], { before: [subnet({})] }],
  [
    'vpc/in-use',
    [subnet({ vpc: 'v' })],
    [subnet({ vpc: 'w' })],
    { before: [ovn('Vpc')('v')] },
    "can't delete vpc when any subnet in the vpc",
  ],
  ['network-attachment/overlay-subnet', [network('kube-ovn')], [network('kube-ovn'), subnet({})]],
  [
    'nat-gateway/vpc',
    [ovn('VpcNatGateway')('g', { spec: {} })],
    [ovn('VpcNatGateway')('g', { spec: { vpc: 'v' } }), ovn('Vpc')('v')],
    {},
    'parameter "vpc" cannot be empty',
  ],
  [
    'nat-gateway/subnet',
    [ovn('VpcNatGateway')('g', { spec: { subnet: 'x' } })],
    [ovn('VpcNatGateway')('g', { spec: { subnet: 'apps' } }), subnet({})],
  ],
  [
    'nat-gateway/address',
    [ovn('VpcNatGateway')('g', { spec: { lanIp: '10.0.0' } })],
    [ovn('VpcNatGateway')('g', { spec: { lanIp: '10.0.0.2' } })],
  ],
  [
    'nat-address/gateway',
    [ovn('IptablesEIP')('e', { spec: { natGwDp: 'g' } })],
    [ovn('IptablesEIP')('e', { spec: { natGwDp: 'g' } }), ovn('VpcNatGateway')('g')],
  ],
  [
    'nat-rule/address',
    [ovn('IptablesFIPRule')('r', { spec: {} })],
    [ovn('IptablesSnatRule')('r', { spec: { eip: 'e' } }), ovn('IptablesEIP')('e')],
    {},
    'parameter "eip" cannot be empty',
  ],
  [
    'nat-rule/external-port',
    [ovn('IptablesDnatRule')('r', { spec: { externalPort: '0' } })],
    [ovn('IptablesDnatRule')('r', { spec: { externalPort: '8080' } })],
    {},
    'is not a valid port',
  ],
  [
    'nat-rule/internal-port',
    [ovn('IptablesDnatRule')('r', { spec: { internalPort: 'http' } })],
    [ovn('IptablesDnatRule')('r', { spec: { internalPort: '80' } })],
  ],
  [
    'nat-rule/protocol',
    [ovn('IptablesDnatRule')('r', { spec: { protocol: 'icmp' } })],
    [ovn('IptablesDnatRule')('r', { spec: { protocol: 'tcp' } })],
  ],
  [
    'nat-rule/internal-ip',
    [ovn('IptablesDnatRule')('r', { spec: { internalIp: 'web' } })],
    [ovn('IptablesFIPRule')('r', { spec: { internalIp: '10.20.0.2' } })],
  ],
  [
    'nat-rule/internal-cidr',
    [ovn('IptablesSnatRule')('r', { spec: { internalCIDR: '10.20.0.0' } })],
    [ovn('IptablesSnatRule')('r', { spec: { internalCIDR: '10.20.0.0/24' } })],
    {},
    'invalid cidr',
  ],
  [
    'machine-import/api-version',
    [migration('VirtualMachineImport')('i', { sourceCluster: { ...source, apiVersion: 'v1' } })],
    [migration('VirtualMachineImport')('i', { sourceCluster: source })],
    {},
    'expected migration cluster apiversion',
  ],
  [
    'machine-import/source',
    [migration('VirtualMachineImport')('i', { sourceCluster: { ...source, kind: 'Vcenter' } })],
    [
      migration('VirtualMachineImport')('i', { sourceCluster: source }),
      migration('VmwareSource')('vcsim', {}),
    ],
    {},
    'unsupported source kind "Vcenter"',
  ],
  [
    'machine-import/source',
    [migration('VirtualMachineImport')('i', { sourceCluster: source })],
    [],
  ],
  [
    'machine-import/network-mapping',
    [
      migration('VirtualMachineImport')('i', {
        networkMapping: [1, 2].map(() => ({
          sourceNetwork: 'a',
          destinationNetwork: 'default/prod',
        })),
      }),
      PROD,
    ],
    [
      migration('VirtualMachineImport')('i', {
        networkMapping: [{ sourceNetwork: 'a', destinationNetwork: 'default/prod' }],
      }),
      PROD,
    ],
    {},
    'source network a appears multiple times in VirtualMachineImport spec',
  ],
  [
    'machine-import/network-mapping',
    [
      migration('VirtualMachineImport')('i', {
        networkMapping: [{ sourceNetwork: 'a', destinationNetwork: 'default/gone' }],
      }),
    ],
    [],
    {},
    'network-attachment-definitions.k8s.cni.cncf.io "gone" not found',
  ],
  [
    'object/field-value',
    [migration('VirtualMachineImport')('i', { defaultNetworkInterfaceModel: 'vmxnet3' })],
    [migration('VirtualMachineImport')('i', { defaultNetworkInterfaceModel: 'e1000' })],
  ],
  [
    'machine-import/ova-url',
    [migration('OvaSource')('o', { url: '/tmp/vm.ova' })],
    [migration('OvaSource')('o', { url: 'https://files.example.com/vm.ova' })],
  ],
  [
    'volume-backup/source',
    [harvester('VolumeRemoteBackup')('b', { spec: {} })],
    [harvester('VolumeRemoteBackup')('b', { spec: { source: 'data' } })],
    {},
    'spec.source is required',
  ],
  [
    'volume-backup/update',
    [harvester('VolumeRemoteBackup')('b', { spec: { source: 'x' } })],
    [harvester('VolumeRemoteBackup')('b', { spec: { source: 'data' } })],
    { before: [harvester('VolumeRemoteBackup')('b', { spec: { source: 'data' } })] },
    'spec.source cannot be changed',
  ],
  [
    'volume-restore/from',
    [harvester('VolumeRemoteRestore')('r', { spec: { from: 'b' } })],
    [
      harvester('VolumeRemoteRestore')('r', { spec: { from: 'b' } }),
      harvester('VolumeRemoteBackup')('b'),
    ],
    {},
    'failed to get PVCBackup default/b',
  ],
  [
    'volume-restore/from',
    [harvester('VolumeRemoteRestore')('r', { spec: { from: 'default/b' } })],
    [],
    { live: [live(harvester('VolumeRemoteBackup')('b', { status: { success: false } }))] },
    'PVCBackup default/b is not ready',
  ],
  [
    'volume-restore/name',
    [
      harvester('VolumeRemoteRestore')('b', { spec: { from: 'b' } }),
      harvester('VolumeRemoteBackup')('b'),
    ],
    [harvester('VolumeRemoteRestore')('r')],
    {},
    'a RemoteBackup with name b already exists',
  ],
  [
    'volume-snapshot/shareable-disk',
    [
      of('snapshot.storage.k8s.io/v1', 'VolumeSnapshot')(
        's',
        { spec: { source: { persistentVolumeClaimName: 'data' } } },
        { namespace: 'default' },
      ),
    ],
    [
      of('snapshot.storage.k8s.io/v1', 'VolumeSnapshot')(
        's',
        { spec: { source: { persistentVolumeClaimName: 'other' } } },
        { namespace: 'default' },
      ),
    ],
    {
      live: [
        live(
          of('kubevirt.io/v1', 'VirtualMachine')(
            'vm',
            {
              spec: {
                template: {
                  spec: {
                    domain: { devices: { disks: [{ name: 'd', shareable: true }] } },
                    volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }],
                  },
                },
              },
            },
            { namespace: 'default' },
          ),
        ),
      ],
    },
    'as a shareable disk',
  ],
  [
    'data-volume/in-use',
    [
      of('kubevirt.io/v1', 'VirtualMachine')(
        'vm',
        {
          spec: {
            template: { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] } },
          },
        },
        { namespace: 'default' },
      ),
    ],
    [of('kubevirt.io/v1', 'VirtualMachine')('vm', {}, { namespace: 'default' })],
    { before: [of('cdi.kubevirt.io/v1beta1', 'DataVolume')('data', {}, { namespace: 'default' })] },
    'which is attached to VM',
  ],
  [
    'template-version/template',
    [version({ templateId: '' })],
    [version({}), harvester('VirtualMachineTemplate')('web')],
    {},
    'TemplateId is empty',
  ],
  [
    'template-version/template',
    [version({ templateId: 'web' })],
    [],
    {},
    'should reside in the same namespace',
  ],
  [
    'template-version/template',
    [version({})],
    [],
    {},
    'virtualmachinetemplates.harvesterhci.io "web" not found',
  ],
  [
    'template-version/key-pairs',
    [version({ keyPairIds: ['default/k'] })],
    [version({ keyPairIds: ['default/k'] }), harvester('KeyPair')('k')],
    {},
    'KeyPairID default/k is invalid',
  ],
  [
    'template-version/limits',
    [
      version({
        vm: { spec: { template: { spec: { domain: { resources: { limits: { cpu: 1 } } } } } } },
      }),
    ],
    [
      version({
        vm: {
          spec: {
            template: { spec: { domain: { resources: { limits: { cpu: 1, memory: '1Gi' } } } } },
          },
        },
      }),
    ],
  ],
  [
    'template-version/volumes',
    [
      version({
        vm: { metadata: { annotations: { 'harvesterhci.io/volumeClaimTemplates': '{' } } },
      }),
    ],
    [
      version({
        vm: { metadata: { annotations: { 'harvesterhci.io/volumeClaimTemplates': '[]' } } },
      }),
    ],
    {},
    'Invalid JSON data in annotation',
  ],
  [
    'template-version/update',
    [version({ description: 'b' })],
    [version({ description: 'a' })],
    { before: [version({ description: 'a' })] },
    'Update templateVersion is not supported',
  ],
  [
    'template-version/default',
    [harvester('VirtualMachineTemplate')('web', { spec: { defaultVersionId: 'default/v1' } })],
    [harvester('VirtualMachineTemplate')('web')],
    { before: [version({})] },
    'Cannot delete the default templateVersion',
  ],
  [
    'template/default-version',
    [harvester('VirtualMachineTemplate')('web', { spec: { defaultVersionId: 'default/gone' } })],
    [
      harvester('VirtualMachineTemplate')('web', { spec: { defaultVersionId: 'default/v1' } }),
      version({}),
    ],
  ],
  [
    'template/default-version',
    [
      harvester('VirtualMachineTemplate')('web', { spec: { defaultVersionId: 'default/v1' } }),
      version({ templateId: 'default/db' }),
    ],
    [
      harvester('VirtualMachineTemplate')('web', { spec: { defaultVersionId: 'default/v1' } }),
      version({}),
    ],
    {},
    'must be a version of the template default/web: this one is of default/db',
  ],
  [
    'upgrade/version',
    [upgrade({})],
    [upgrade({ image: 'default/iso' })],
    {},
    'version or image field are not specified.',
  ],
  [
    'upgrade/version',
    [upgrade({ version: '1.8.0' })],
    [upgrade({ version: '1.8.0' }), harvester('Version')('1.8.0')],
    {},
    'version 1.8.0 is not found',
  ],
  [
    'upgrade/iso-checksum',
    [harvester('Version')('1.8.0', { spec: { isoChecksum: 'a'.repeat(64) } })],
    [harvester('Version')('1.8.0', { spec: { isoChecksum: 'a'.repeat(128) } })],
    {},
    'invalid isoChecksum',
  ],
  [
    'upgrade/previous',
    [upgrade({})],
    [upgrade({}, { namespace: 'other' })],
    { live: [live(harvester('Upgrade')('old', { status: {} }))] },
    'cannot proceed until previous upgrade',
  ],
  [
    'upgrade/schedules',
    [upgrade({}), harvester('ScheduleVMBackup')('s')],
    [upgrade({}), harvester('ScheduleVMBackup')('s', { spec: { suspend: true } })],
    {},
    'please suspend all backup/snapshot schedule',
  ],
  [
    'upgrade/nodes',
    [upgrade({})],
    [upgrade({}, { annotations: { 'harvesterhci.io/skipWebhook': 'true' } })],
    { live: [live(of('v1', 'Node')('n', { spec: { unschedulable: true } }))] },
  ],
  [
    'upgrade/add-ons',
    [upgrade({})],
    [],
    { live: [live(harvester('Addon')('a', { status: { status: 'AddonDeploying' } }))] },
  ],
  [
    'upgrade/charts',
    [upgrade({})],
    [],
    {
      live: [
        live(
          of('management.cattle.io/v3', 'ManagedChart')(
            'harvester',
            { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
            { namespace: 'fleet-local' },
          ),
        ),
      ],
    },
    'is not ready',
  ],
  [
    'upgrade/backups',
    [upgrade({})],
    [],
    { live: [live(harvester('VirtualMachineBackup')('b', { status: { readyToUse: false } }))] },
    'please wait until all vmbackups are stopped',
  ],
  [
    'upgrade/machines',
    [upgrade({})],
    [],
    {
      live: [
        ...['n1', 'n2'].map((name) => live(of('v1', 'Node')(name))),
        live(
          of('kubevirt.io/v1', 'VirtualMachineInstance')(
            'vm',
            {
              status: {
                phase: 'Running',
                conditions: [{ type: 'LiveMigratable', status: 'False' }],
              },
            },
            { namespace: 'default' },
          ),
        ),
      ],
    },
    'There are non-live migratable VMs',
  ],
  [
    'upgrade/pause',
    [upgrade({}, { annotations: { 'harvesterhci.io/node-upgrade-pause-map': '{"n2":"pause"}' } })],
    [upgrade({}, { annotations: { 'harvesterhci.io/node-upgrade-pause-map': '{"n1":"pause"}' } })],
    { live: [live(of('v1', 'Node')('n1'))] },
    'node n2 does not exist',
  ],
  [
    'upgrade/volumes',
    [upgrade({})],
    [],
    {
      live: [
        live(of('longhorn.io/v1beta2', 'Volume')('v', { status: { robustness: 'degraded' } })),
      ],
    },
    'there are degraded volumes',
  ],
  [
    'upgrade/pause',
    [upgrade({}, { annotations: { 'harvesterhci.io/node-upgrade-pause-map': '{"n":"stop"}' } })],
    [upgrade({}, { annotations: { 'harvesterhci.io/node-upgrade-pause-map': '{"n":"pause"}' } })],
  ],
  [
    'upgrade/deletion',
    [],
    [upgrade({})],
    {
      before: [
        { ...upgrade({}), status: { conditions: [{ type: 'NodesUpgraded', status: 'Unknown' }] } },
      ],
    },
    'node upgrade is in progressing',
  ],
  [
    'support-bundle/namespaces',
    [harvester('SupportBundle')('s', { spec: { extraCollectionNamespaces: ['gone'] } })],
    [harvester('SupportBundle')('s', { spec: { extraCollectionNamespaces: ['default'] } })],
    { live: [live(of('v1', 'Namespace')('default'))] },
    'namespace gone not found',
  ],
  [
    'support-bundle/update',
    [harvester('SupportBundle')('s', { spec: { description: 'b' } })],
    [harvester('SupportBundle')('s', { spec: { description: 'a' } })],
    { before: [harvester('SupportBundle')('s', { spec: { description: 'a' } })] },
    'is not allowed',
  ],
  [
    'block-device/provisioner',
    [harvester('BlockDevice')('d', { spec: { provisioner: { lvm: {}, longhorn: {} } } })],
    [harvester('BlockDevice')('d', { spec: { provisioner: { lvm: {} } } })],
    {},
    'multiple provisioners',
  ],
];

test.each(CASES)(
  '%s finds what a server refuses, and nothing else',
  (id, found, fine, around = {}, says) => {
    const rules = ALL_RULES.filter((rule) => rule.id === id);
    const judged = (manifests: readonly Manifest[]) =>
      judgeOn(rules, manifests, { ...around, kind: 'harvester' });
    expect(judged(found)).toHaveLength(1);
    if (says !== undefined) {
      expect(judged(found)[0]!.message).toContain(says);
    }
    expect(judged(fine)).toEqual([]);
  },
);
