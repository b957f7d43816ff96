import { ApiObject, Size } from 'cdk8s';
import { programOf, vm } from './_machines';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { OverlayNetwork, VmNetwork } from '../../../src/harvester/network/vm-network';
import {
  CloudInitDrive,
  VirtualMachineProps,
  VmAccessCredential,
  VmFilesystem,
} from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { machine, told, findings } from '../../support/machines';
import { messageOf } from '../../support/message-of';
import { assemblyOf } from '../../support/written';

const instance = (props: Partial<VirtualMachineProps>): any => vm(props).spec.template.spec;
const at = (version: string, write: Parameters<typeof programOf>[0]): any =>
  programOf(
    (dc1) => ({ disks: [Disk.empty(Size.gibibytes(10))], ...write(dc1) }),
    version,
  ).rendered();

test('reads user data and network data from two Secrets, or from a config drive', () => {
  const secrets = at('1.7.2', (dc1) => ({
    cloudInitSecret: CloudInitSecret.fromName(dc1, 'User', { name: 'user' }),
    networkDataSecret: CloudInitSecret.fromName(dc1, 'Network', { name: 'network' }),
  })).spec.template.spec.volumes.at(-1);
  expect(secrets).toEqual({
    name: 'cloudinitdisk',
    cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'network' } },
  });
  const drive = instance({
    cloudInit: CloudInit.of(),
    cloudInitDrive: CloudInitDrive.CONFIG_DRIVE,
  }).volumes.at(-1);
  expect(drive).toEqual({
    name: 'cloudinitdisk',
    cloudInitConfigDrive: { secretRef: { name: 'web-cloudinit' } },
  });
  const { volumes, domain } = instance({
    cloudInit: CloudInit.of(),
    adopted: { cloudInitDiskName: 'seed' },
  });
  expect([volumes.at(-1).name, domain.devices.disks.at(-1)]).toEqual([
    'seed',
    { name: 'seed', disk: { bus: 'virtio' } },
  ]);
  expect(
    messageOf(() =>
      at('1.7.2', (dc1) => ({
        networkData: NetworkData.empty(),
        networkDataSecret: CloudInitSecret.fromName(dc1, 'Network', { name: 'network' }),
      })),
    ),
  ).toContain(
    'networkDataSecret: cannot be combined with networkData and cloudInitInline, got "network"',
  );
});

test('writes credentials and file systems', () => {
  const written = at('1.8.0', () => ({
    accessCredentials: [
      VmAccessCredential.sshKeys('keys', ['root']),
      VmAccessCredential.passwords('passwords'),
    ],
    filesystems: [
      VmFilesystem.configMap('settings', 'app'),
      VmFilesystem.secret('certificates', 'tls'),
      VmFilesystem.serviceAccount('token', 'ci'),
    ],
  })).spec.template.spec;
  expect(written.accessCredentials).toEqual([
    {
      sshPublicKey: {
        source: { secret: { secretName: 'keys' } },
        propagationMethod: { qemuGuestAgent: { users: ['root'] } },
      },
    },
    {
      userPassword: {
        source: { secret: { secretName: 'passwords' } },
        propagationMethod: { qemuGuestAgent: {} },
      },
    },
  ]);
  expect(written.domain.devices.filesystems).toEqual(
    ['settings', 'certificates', 'token'].map((name) => ({ name, virtiofs: {} })),
  );
  expect(written.volumes.slice(-3)).toEqual([
    { name: 'settings', configMap: { name: 'app' } },
    { name: 'certificates', secret: { secretName: 'tls' } },
    { name: 'token', serviceAccount: { serviceAccountName: 'ci' } },
  ]);
  expect(
    messageOf(() => at('1.7.2', () => ({ filesystems: [VmFilesystem.configMap('a', 'b')] }))),
  ).toContain('in a virtual machine needs Harvester 1.8.0 or later, got 1.7.2');
});

test('refuses SSH keys for no user, in the words of KubeVirt', () => {
  const [{ message, path }] = findings([
    machine('a', {
      instance: {
        accessCredentials: [
          {
            sshPublicKey: {
              source: { secret: { secretName: 'keys' } },
              propagationMethod: { qemuGuestAgent: { users: [] } },
            },
          },
        ],
      },
    }),
  ]);
  expect(path).toBe(
    'spec.template.spec.accessCredentials[0].sshPublicKey.propagationMethod.qemuGuestAgent.users',
  );
  expect(message).toContain(
    '(the server: "spec.template.spec.accessCredentials[0] requires at least one user to be present in the users list")',
  );
});

describe('a NIC', () => {
  const overlay = (options: object, version = '1.9.0') =>
    at(version, (dc1) => ({ nics: [Nic.network(new OverlayNetwork(dc1, 'apps'), options)] }));

  test('has a static address in an overlay network', () => {
    expect(
      overlay({ staticAddress: '10.20.0.12' }).metadata.annotations[
        'static-ip.harvesterhci.io/nic-0'
      ],
    ).toBe('10.20.0.12');
    expect(messageOf(() => overlay({ staticAddress: '10.20.0.12' }, '1.8.0'))).toContain(
      'needs Harvester 1.9.0 or later, got 1.8.0',
    );
    expect(messageOf(() => overlay({ staticAddress: '10.20.0.0/24' }))).toContain(
      'nics[0].staticAddress: must be an IP address, got "10.20.0.0/24"',
    );
    expect(
      messageOf(() =>
        at('1.9.0', () => ({ nics: [Nic.management({ staticAddress: '10.20.0.12' })] })),
      ),
    ).toContain('nics[0].staticAddress: can be set for overlay networks only, got "10.20.0.12"');
  });

  test('is bridged in the management network', () => {
    const [nic] = instance({ nics: [Nic.management({ bridged: true })] }).domain.devices.interfaces;
    expect(nic).toMatchObject({ name: 'default', bridge: {} });
    expect(nic).not.toHaveProperty('masquerade');
    expect(
      messageOf(() =>
        at('1.7.2', (dc1) => ({
          nics: [
            Nic.network(
              new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 7 }),
              { bridged: true },
            ),
          ],
        })),
      ),
    ).toContain(
      'nics[0].bridged: can be set in the management network only: a NIC in a VM network is always bridged',
    );
  });

  test('without an overlay network has no use for a static address', () => {
    const given = (nic: string) =>
      machine('a', { annotations: { [`static-ip.harvesterhci.io/${nic}`]: '10.20.0.12' } });
    const network = (type: string) => ({
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: {
        name: 'prod',
        namespace: 'default',
        labels: { 'network.harvesterhci.io/type': type },
      },
    });
    const about = (...manifests: readonly any[]) =>
      told(manifests, { version: '1.9.0' }).filter((line) => line.includes('static-address'));
    expect(about(given('gone'))).toEqual([
      'warning virtual-machine/static-address metadata.annotations[static-ip.harvesterhci.io/gone]',
    ]);
    expect(about(given('nic-0'), network('L2VlanNetwork'))).toEqual([
      'warning virtual-machine/static-address metadata.annotations[static-ip.harvesterhci.io/nic-0]',
    ]);
    expect(about(given('nic-0'), network('OverlayNetwork'))).toEqual([]);
  });
});

describe('the address of a virtual machine', () => {
  test('is a late value of its instance, which waits until the machine is ready', () => {
    const {
      app,
      dc1,
      machine: web,
    } = programOf(() => ({ disks: [Disk.empty(Size.gibibytes(10))] }));
    new ApiObject(dc1, 'record', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'record', namespace: 'default' },
      data: { web: web.address },
    });
    app.synth();
    const { lateValues, edges } = assemblyOf(app);
    const [late] = lateValues;
    expect(late.source).toMatchObject({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      namespace: 'default',
      name: 'web',
      path: 'status.interfaces.name=default.ipAddress',
    });
    expect(edges).toContainEqual(
      expect.objectContaining({
        from: expect.stringContaining(late.id),
        to: expect.stringContaining('VirtualMachine'),
        type: 'ready',
      }),
    );
    expect(web.address).toBe(web.addressOf('default'));
  });

  test('is that of a NIC', () => {
    expect(messageOf(() => programOf(() => ({})).machine.addressOf('nic-1'))).toContain(
      'addressOf: must be the name of a NIC, got "nic-1". Fix: use one of default',
    );
  });
});
