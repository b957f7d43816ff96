import { ApiObject, Duration, JsonPatch, Size } from 'cdk8s';
import { CLAIMS, programOf } from './_machines';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { standingOf, writtenDigest } from '../../../src/engine/inventory/standing';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { IKeyPair, KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { OverlayNetwork, VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import {
  VirtualMachineProps,
  VmCreator,
} from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterVolume } from '../../../src/harvester/volume/volume';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { messageOf } from '../../support/message-of';
import { filesIn, newApp, newHarvester, newRancher } from '../../support/programs';
import { assemblyOf } from '../../support/written';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';
const URL = 'https://images.example.com/noble.img';

test('keeps cloud-init in a Secret, with its SSH keys as the UI writes them', () => {
  const { dc1, machine, rendered } = programOf((chart) => ({
    cloudInit: CloudInit.of({
      sshAuthorizedKeys: ['ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ b'],
      guestAgent: GuestAgent.preinstalled(),
    }),
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
    sshKeys: [new KeyPair(chart, 'ana', { publicKey: KEY })],
  }));
  const secret: any = dc1.toJson().find(({ kind }) => kind === 'Secret');
  expect(secret.metadata).toEqual({
    name: 'web-cloudinit',
    namespace: 'default',
    labels: { 'harvesterhci.io/cloud-init-template': 'harvester' },
  });
  expect(Buffer.from(secret.data.userdata, 'base64').toString()).toBe(
    `#cloud-config\n# qemu-guest-agent is in the image\nssh_authorized_keys:\n  - ${KEY}\n  - ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ b\n`,
  );
  expect(Buffer.from(secret.data.networkdata, 'base64').toString()).toBe(
    'version: 2\nethernets:\n  enp1s0:\n    dhcp4: true\n',
  );
  const { spec, metadata } = rendered().spec.template;
  expect(metadata.annotations).toEqual({ 'harvesterhci.io/sshNames': '["default/ana"]' });
  expect(spec.domain.devices.disks[1]).toEqual({ name: 'cloudinitdisk', disk: { bus: 'virtio' } });
  expect(spec.volumes[1]).toEqual({
    name: 'cloudinitdisk',
    cloudInitNoCloud: {
      secretRef: { name: 'web-cloudinit' },
      networkDataSecretRef: { name: 'web-cloudinit' },
    },
  });
  expect(machine.cloudInitSecret?.name).toBe('web-cloudinit');
});

test('is declared with the Secret that the UI made for it', () => {
  const { app, dc1, rendered } = programOf(() => ({
    cloudInit: CloudInit.fromYaml('#cloud-config\npackages: [qemu-guest-agent]\n'),
    networkData: NetworkData.empty(),
    adopted: { cloudInitSecretName: 'web-x7k2p' },
  }));
  const secret: any = dc1.toJson().find(({ kind }) => kind === 'Secret');
  expect(secret.metadata.name).toBe('web-x7k2p');
  expect(secret.data.networkdata).toBe('');
  expect(rendered().spec.template.spec.volumes[1].cloudInitNoCloud).toEqual({
    secretRef: { name: 'web-x7k2p' },
    networkDataSecretRef: { name: 'web-x7k2p' },
  });
  app.synth();
  expect(app.findings.filter(({ path }) => /[nN]etwork-?[dD]ata/.test(path))).toEqual([]);
  expect(
    messageOf(() => programOf(() => ({ adopted: { cloudInitSecretName: 'web-x7k2p' } }))),
  ).toContain(
    'adopted.cloudInitSecretName: has no effect, got "web-x7k2p": the VM has no cloud-init',
  );
  expect(
    messageOf(() =>
      programOf((chart) => ({
        cloudInitSecret: CloudInitSecret.fromName(chart, 'base', { name: 'base' }),
        adopted: { cloudInitSecretName: 'web-x7k2p' },
      })),
    ),
  ).toContain('cannot be combined with adopted.cloudInitSecretName');
});

test('adds user data to network data, without which KubeVirt does not start the VM', () => {
  const { dc1 } = programOf(() => ({
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
  }));
  const secret: any = dc1.toJson().find(({ kind }) => kind === 'Secret');
  expect(Buffer.from(secret.data.userdata, 'base64').toString()).toBe('#cloud-config\n{}\n');
});

test('reads a key that the program does not know from Harvester', () => {
  const { app } = programOf((dc1) => ({
    sshKeys: [KeyPair.fromName(dc1, 'Ana', { name: 'ana', namespace: 'keys' })],
  }));
  app.synth();
  const { objects, lateValues } = assemblyOf(app);
  expect(objects.find(({ kind }: any) => kind === 'Secret').template.data).toEqual({
    userdata: '${late:dc1.web.cloudinit.userdata|base64}',
  });
  const data = lateValues.find(({ sensitive }: any) => sensitive);
  const key = lateValues.find(({ source }: any) => source.kind === 'KeyPair');
  expect(key.source).toMatchObject({
    resolver: 'field',
    kind: 'KeyPair',
    namespace: 'keys',
    name: 'ana',
    path: 'spec.publicKey',
  });
  expect(data).toMatchObject({ sensitive: true, source: { resolver: 'text' } });
  expect(data.source.text).toContain('qemu-guest-agent');
  expect(data.source.text).toContain(`- \${late:${key.id}|yaml}`);
});

test('accepts a Secret that several VMs share', () => {
  const { dc1, rendered } = programOf((chart) => ({
    cloudInitSecret: new CloudInitSecret(chart, 'base', { cloudInit: CloudInit.of() }),
  }));
  expect(
    dc1
      .toJson()
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata }: any) => metadata.name),
  ).toEqual(['base']);
  expect(rendered().spec.template.spec.volumes[1].cloudInitNoCloud).toEqual({
    secretRef: { name: 'base' },
  });
});

test('keeps the labels of who created a VM', () => {
  const labelsOf = (createdBy?: VmCreator): unknown[] => {
    const { metadata, spec } = programOf(() => ({ adopted: { createdBy } })).rendered();
    return [metadata.labels, spec.template.metadata.labels].map(
      (labels) => labels?.['harvesterhci.io/creator'],
    );
  };
  expect(labelsOf()).toEqual(['harvester', 'harvester']);
  expect(labelsOf(VmCreator.HARVESTER_UI)).toEqual(['harvester', undefined]);
  expect(labelsOf(VmCreator.TERRAFORM)).toEqual([
    'terraform-provider-harvester',
    'terraform-provider-harvester',
  ]);
  expect(labelsOf(VmCreator.NONE)).toEqual([undefined, undefined]);
});

test('lists the keys of a VM without labels only if it has any', () => {
  const annotationsOf = (keys: (chart: HarvesterChart) => IKeyPair[]): unknown =>
    programOf((chart) => ({
      adopted: { createdBy: VmCreator.NONE },
      sshKeys: keys(chart),
    })).rendered().spec.template.metadata.annotations;
  expect(annotationsOf(() => [])).toBeUndefined();
  expect(annotationsOf((chart) => [KeyPair.fromName(chart, 'ana', { name: 'ana' })])).toEqual({
    'harvesterhci.io/sshNames': '["default/ana"]',
  });
});

test('shows the keys of a Secret that exists', () => {
  const { dc1, rendered } = programOf((chart) => ({
    cloudInitSecret: CloudInitSecret.fromName(chart, 'base', { name: 'web-x7k2p' }),
    sshKeys: [KeyPair.fromName(chart, 'ana', { name: 'ana' })],
  }));
  expect(dc1.toJson().filter(({ kind }) => kind === 'Secret')).toEqual([]);
  expect(rendered().spec.template.metadata.annotations['harvesterhci.io/sshNames']).toBe(
    '["default/ana"]',
  );
});

test('is late from Harvester 1.8 on, when only the live image knows its StorageClass', () => {
  const { app } = programOf(
    (dc1) => ({
      disks: [Disk.image(VmImage.download(dc1, 'noble', { url: URL }), Size.gibibytes(40))],
    }),
    '1.8.2',
  );
  app.synth();
  const { objects, lateValues } = assemblyOf(app);
  const machine = objects.find(({ kind }: any) => kind === 'VirtualMachine');
  expect(machine.file).toBeUndefined();
  expect(machine.template.metadata.annotations[CLAIMS]).toContain(
    '"storageClassName":"${late:dc1.noble.storageclassname}"',
  );
  expect(lateValues[0].source).toMatchObject({
    kind: 'VirtualMachineImage',
    name: 'noble',
    path: 'status.storageClassName',
  });
});

test('is written to the output if the class of its image is set', () => {
  const { app } = programOf(
    (dc1) => ({
      disks: [
        Disk.image(
          VmImage.fromName(dc1, 'i', {
            name: 'noble',
            namespace: 'default',
            volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'i-class', { name: 'lh-1234' }),
          }),
          Size.gibibytes(40),
        ),
      ],
    }),
    '1.8.2',
  );
  app.synth();
  expect(Object.keys(filesIn(app.outdir))).toContain('dc1/50-virtualmachine.kubevirt.io.yaml');
});

test('waits for its namespace, network, volume and Secret, and for the import of its image', () => {
  const { app } = programOf((dc1) => {
    const namespace = new HarvesterNamespace(dc1, 'vms');
    return {
      namespace,
      disks: [
        Disk.image(VmImage.download(dc1, 'noble', { url: URL }), Size.gibibytes(40)),
        Disk.volume(new HarvesterVolume(dc1, 'data', { size: Size.gibibytes(1), namespace })),
        Disk.empty(Size.gibibytes(1), { storageClass: new HarvesterStorageClass(dc1, 'fast') }),
      ],
      nics: [
        Nic.network(
          new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 5 }),
        ),
      ],
      cloudInit: CloudInit.of(),
    };
  });
  app.synth();
  const { edges, groups } = assemblyOf(app);
  const mine = groups.find(({ id }: any) => id === 'dc1/web');
  expect(mine.objects).toHaveLength(2);
  const to = edges
    .filter(({ from }: any) => from === 'dc1/web')
    .map(({ to: end, type }: any) => `${type} ${end.replace(/^dc1\//, '')}`);
  expect(to.sort()).toEqual([
    'applied /Namespace//vms',
    'applied /PersistentVolumeClaim/vms/data',
    'applied k8s.cni.cncf.io/NetworkAttachmentDefinition/default/prod',
    'applied storage.k8s.io/StorageClass//fast',
    'ready harvesterhci.io/VirtualMachineImage/default/noble',
  ]);
  expect(edges).toContainEqual({
    from: 'dc1/kubevirt.io/VirtualMachine/vms/web',
    to: 'dc1//Secret/vms/web-cloudinit',
    type: 'applied',
  });
});

test('becomes a node of a custom cluster', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const harvester = new HarvesterImport(rancher, 'dc1', { harvester: dc1 });
  const namespace = new HarvesterNamespace(dc1, 'vms');
  const cluster = new CustomCluster(rancher, 'orders', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    registrationToken: TokenSource.rancherDefault(),
  });
  const roles = MachineRoles.ALL;
  new VirtualMachine(dc1, 'orders-0', {
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.image(VmImage.fromName(dc1, 'Noble', { name: 'noble' }), Size.gibibytes(40))],
    nics: [Nic.network(VmNetwork.fromName(dc1, 'Prod', { name: 'prod' }))],
    namespace,
    guestCluster: cluster,
    cloudInit: cluster.nodeRegistration(roles).cloudInit,
  });
  const machine: any = dc1.toJson().find(({ kind }) => kind === 'VirtualMachine');
  expect(machine.metadata.labels).toEqual(cluster.vmLabels);
  expect(machine.spec.template.metadata.labels).toEqual({
    ...cluster.vmLabels,
    'harvesterhci.io/vmName': 'orders-0',
  });
  expect(machine.spec.template.spec.networks).toEqual([
    { name: 'nic-0', multus: { networkName: 'default/prod' } },
  ]);
  expect(machine.spec.template.spec.affinity).toEqual({
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: {
            labelSelector: {
              matchExpressions: [{ key: 'harvesterhci.io/creator', operator: 'Exists' }],
            },
            topologyKey: 'kubernetes.io/hostname',
          },
        },
      ],
    },
  });
  app.synth();
  const { edges, lateValues } = assemblyOf(app);
  expect(edges).toContainEqual({
    from: 'dc1/orders-0',
    to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/orders',
    type: 'applied',
  });
  const data = lateValues.find(
    ({ construct }: any) => construct === 'dc1/orders-0/CloudInit/UserData',
  );
  expect(data.source.text).toContain('system-agent-install.sh');
});

test('lists the fields that others write, except those that the program sets', () => {
  const write = (props: Partial<VirtualMachineProps>): string[] => {
    const { app } = programOf(() => props);
    app.synth();
    return (
      assemblyOf(app).objects.find(({ kind }: any) => kind === 'VirtualMachine').othersWrite ?? []
    );
  };
  expect(
    kindOf<KindDescription>({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })!
      .writtenByOthers,
  ).toEqual(
    expect.arrayContaining([
      'spec.template.spec.domain.memory',
      'spec.template.spec.domain.resources.requests',
      'spec.template.spec.affinity',
      'spec.template.spec.terminationGracePeriodSeconds',
      'spec.template.spec.domain.machine',
    ]),
  );
  const own = write({ machineType: 'q35', terminationGracePeriod: Duration.seconds(5) });
  expect(own).not.toContain('spec.template.spec.terminationGracePeriodSeconds');
  expect(own).not.toContain('spec.template.spec.domain.machine');
});

describe('a NIC in an overlay network', () => {
  const cards = (version: string, managedTap?: boolean) => {
    const { app, rendered } = programOf(
      (dc1) => ({
        nics: [
          Nic.network(new OverlayNetwork(dc1, 'overlay'), { managedTap }),
          Nic.network(
            new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 7 }),
          ),
        ],
      }),
      version,
    );
    app.synth();
    const { othersWrite } = assemblyOf(app).objects.find(
      ({ kind }: any) => kind === 'VirtualMachine',
    );
    return {
      interfaces: rendered().spec.template.spec.domain.devices.interfaces,
      others: (othersWrite ?? []).filter((field: string) => /bridge|binding/.test(field)),
    };
  };

  test('is bound by managedtap if the program sets it', () => {
    const { interfaces, others } = cards('1.7.2', true);
    expect(interfaces[0]).toMatchObject({ name: 'nic-0', binding: { name: 'managedtap' } });
    expect(interfaces[0].bridge).toBeUndefined();
    expect(interfaces[1].bridge).toEqual({});
    expect(others).toEqual([]);
  });

  test.each([true, false])(
    'leaves the binding to Harvester 1.8 with managedTap %s',
    (managedTap) => {
      const { interfaces, others } = cards('1.9.0', managedTap);
      expect(interfaces[0]).toMatchObject(
        managedTap ? { binding: { name: 'managedtap' } } : { bridge: {} },
      );
      expect(others).toEqual([
        `spec.template.spec.domain.devices.interfaces[0].${managedTap ? 'binding' : 'bridge'}`,
      ]);
    },
  );

  test('cannot be bound by managedtap in a bridge, in the management network, or before Harvester 1.6', () => {
    const failing = (
      nic: (dc1: Parameters<Parameters<typeof programOf>[0]>[0]) => Nic,
      version?: string,
    ) => messageOf(() => programOf((dc1) => ({ nics: [nic(dc1)] }), version));
    expect(
      failing((dc1) =>
        Nic.network(
          new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 7 }),
          { managedTap: true },
        ),
      ),
    ).toBe(
      '[dc1/web] nics[0].managedTap: can be set for overlay networks only, got true: default/vlan is a bridge. Fix: remove managedTap, or pass an OverlayNetwork to Nic.network',
    );
    expect(failing(() => Nic.management({ managedTap: true }))).toContain(
      'nics[0].managedTap: cannot be set for a NIC in the management network, got true',
    );
    expect(
      failing(
        (dc1) =>
          Nic.network(VmNetwork.fromName(dc1, 'there', { name: 'there' }), { managedTap: true }),
        '1.5.2',
      ),
    ).toContain('Harvester 1.6.0 or later');
  });
});

test('leaves memory and sockets to the user if they can be added while it runs', () => {
  const others = (annotation?: string) => {
    const { app, machine } = programOf(() => ({}));
    const object = machine.node.defaultChild as ApiObject;
    object.addJsonPatch(
      JsonPatch.add('/spec/template/spec/domain/memory', { guest: '4Gi', maxGuest: '8Gi' }),
    );
    if (annotation !== undefined) {
      object.metadata.addAnnotation('harvesterhci.io/enableCPUAndMemoryHotplug', annotation);
    }
    app.synth();
    const { othersWrite } = assemblyOf(app).objects.find(
      ({ kind }: any) => kind === 'VirtualMachine',
    );
    return ['cpu.maxSockets', 'memory', 'resources.requests'].filter((field) =>
      (othersWrite ?? []).includes(`spec.template.spec.domain.${field}`),
    );
  };
  expect(others('true')).toEqual([]);
  expect([others(), others('false')]).toEqual([['memory'], ['memory']]);
});

describe('a node of a guest cluster', () => {
  const INSTANCE = 'spec.template.spec';
  const SHOP = GuestCluster.fromName(newRancher(newApp()), 'shop', {
    name: 'shop',
    kubernetesVersion: 'v1.33.6+rke2r1',
  });
  const node = (props: Partial<VirtualMachineProps>) => {
    const { app, rendered } = programOf((dc1) => ({
      nics: [
        Nic.network(
          new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 7 }),
        ),
      ],
      ...props,
    }));
    app.synth();
    return {
      manifest: rendered(),
      othersWrite: assemblyOf(app).objects.find(({ kind }: any) => kind === 'VirtualMachine')
        .othersWrite,
    };
  };

  test('leaves the list of its volumes to the CSI driver', () => {
    const lists = [`${INSTANCE}.volumes`, `${INSTANCE}.domain.devices.disks`];
    expect(node({ guestCluster: SHOP }).othersWrite).toEqual(expect.arrayContaining(lists));
    expect(node({}).othersWrite).not.toEqual(
      expect.arrayContaining([expect.stringContaining('volumes')]),
    );
  });

  test('keeps the volumes that the CSI driver added when it is applied again', () => {
    const { manifest, othersWrite } = node({ guestCluster: SHOP });
    const live = JSON.parse(JSON.stringify(manifest));
    const volume = {
      name: 'pvc-1',
      persistentVolumeClaim: { claimName: 'pvc-1', hotpluggable: true },
    };
    live.spec.template.spec.volumes.push(volume);
    live.spec.template.spec.domain.devices.disks.push({ name: 'pvc-1', disk: { bus: 'scsi' } });
    const cores = {
      'f:spec': { 'f:template': { 'f:spec': { 'f:domain': { 'f:cpu': { 'f:cores': {} } } } } },
    };
    live.metadata = {
      ...live.metadata,
      uid: 'u',
      resourceVersion: '1',
      managedFields: [
        { manager: 'cdk8s-harvester', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: cores },
      ],
    };
    const standing = (digest = '') =>
      standingOf(manifest, live, {
        fieldManager: 'cdk8s-harvester',
        othersWrite,
        written: { digest },
      });
    const paths = (digest?: string) =>
      standing(digest)
        .differences.map(({ path }) => path.join('.'))
        .filter((path) => /volumes|disks/.test(path));
    expect(paths(writtenDigest(manifest, othersWrite))).toEqual([]);
    expect(
      (standing(writtenDigest(manifest, othersWrite)).manifest as any).spec.template.spec.volumes,
    ).toContainEqual(volume);
    // changed by the program since it was written
    expect(paths('another')).toEqual([`${INSTANCE}.domain.devices.disks`, `${INSTANCE}.volumes`]);
  });
});
