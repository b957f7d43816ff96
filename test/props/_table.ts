import { Duration, Size } from 'cdk8s';
import { Cpu, Deployment, ImagePullPolicy } from 'cdk8s-plus-28';
import { Hints, Make } from './_generator';
import { Place } from './_place';
import * as library from '../../src';
import { CERTIFICATE, KEY } from '../core/go/pem';
import { CA } from '../support/certificates';

const once = <T>(id: string, make: (place: Place, id: string) => T): Make => (place) => place.once(id, (name) => make(place, name));
const all = (...values: readonly unknown[]): readonly Make[] => values.map((value) => () => value);

const HARVESTER = (place: Place) => place.once('imported', (id) => new library.HarvesterImport(place.rancher, id, {
  harvester: place.dc1, managementClusterId: library.ManagementClusterId.late(),
}));
const OTHER_HARVESTER = (place: Place) => place.once('imported-2', (id) => new library.HarvesterImport(place.rancher, id, {
  harvester: place.dc2, managementClusterId: library.ManagementClusterId.late(),
}));

/** Values of types that cannot be generated. */
const TYPES: Hints['types'] = {
  Size: [() => Size.gibibytes(8), () => Size.gibibytes(16), () => Size.mebibytes(512), () => Size.gibibytes(1000)],
  Duration: [() => Duration.hours(2), () => Duration.seconds(20), () => Duration.minutes(1), () => Duration.days(40)],
  ImagePullPolicy: all(...Object.values(ImagePullPolicy)),
  Cpu: [() => Cpu.units(4), () => Cpu.units(2), () => Cpu.units(1000)],
  SecretValue: [() => library.SecretValue.unsafePlainText('generated-secret'), () => library.SecretValue.unsafePlainText('another-secret')],
  ITarget: [(place) => place.dc1, (place) => place.dc2],
  IHarvesterTarget: [(place) => place.dc1, (place) => place.dc2],
  IRancherTarget: [(place) => place.rancher],
  IHarvesterImport: [HARVESTER, OTHER_HARVESTER],
  IManagedCluster: [HARVESTER, OTHER_HARVESTER],
  IGuestCluster: [once('cluster', ({ rancher }, id) => new library.CustomCluster(rancher, id, { kubernetes: library.Kubernetes.rke2('v1.33.6+rke2r1') }))],
  INamespace: ['vms', 'more-vms'].map((name) => once(name, ({ dc1 }, id) => new library.HarvesterNamespace(dc1, id))),
  ITenantProject: ['p-abcde', 'p-fghij'].map((name) => once(`tenant-${name}`, (place, id) => (
    library.TenantProject.fromName(place.rancher, id, { cluster: HARVESTER(place), name })))),
  SharedImages: [once('images', (place, id) => new library.SharedImages(place.rancher, id, { cluster: HARVESTER(place) as library.IManagedCluster }))],
  IClusterNetwork: ['prod', 'storage'].map((name) => once(`cluster-${name}`, ({ dc1 }, id) => library.ClusterNetwork.fromName(dc1, id, { name }))),
  IHarvesterNode: ['node-1', 'node-2'].map((name) => once(name, ({ dc1 }, id) => library.HarvesterNode.fromName(dc1, id, { name }))),
  IVmNetwork: ['network', 'network-2'].map((name) => once(name, ({ dc1 }, id) => new library.VmNetwork(dc1, id, { clusterNetwork: library.ClusterNetwork.mgmt(dc1), vlan: 7 }))),
  IVmImage: ['image-abcde', 'image-fghij'].map((name) => once(name, ({ dc1 }, id) => library.VmImage.fromName(dc1, id, {
    name: id, namespace: 'default', volumeStorageClass: library.HostStorageClass.fromName(dc1, `${id}-class`, { name: `longhorn-${id}` }),
  }))),
  IHostStorageClass: ['ssd', 'hdd'].map((name) => once(name, ({ dc1 }, id) => library.HostStorageClass.fromName(dc1, id, { name: id }))),
  IVolume: ['data', 'more-data'].map((name) => once(`volume-${name}`, ({ dc1 }, id) => library.Volume.fromName(dc1, id, { name }))),
  IVolumeEncryption: [once('encryption', ({ dc1 }, id) => library.VolumeEncryption.fromName(dc1, id, { name: 'crypto', namespace: 'default' }))],
  FixedAddresses: ['10.0.0.0/24', '10.1.0.0/24'].map((subnet) => () => library.FixedAddresses.of({
    subnet, addresses: [subnet.replace(/0\/24/, '9')], nameservers: ['10.0.0.2'],
  })),
  ControlPlaneEndpoint: [
    () => library.ControlPlaneEndpoint.address('10.0.0.5'), () => library.ControlPlaneEndpoint.address('10.0.0.6', { fqdn: 'shop.example.com', port: 443, caCertificates: CA }),
  ],
  VmSelector: [() => library.VmSelector.labels({ app: 'web' }), () => library.VmSelector.labels({ app: 'db' })],
  IVirtualMachine: ['bastion', 'web'].map((name) => once(name, ({ dc1 }, id) => library.VirtualMachine.fromName(dc1, id, { name: id }))),
  IVirtualMachineTemplate: ['template', 'another-template'].map((name) => once(name, ({ dc1 }, id) => new library.VirtualMachineTemplate(dc1, id))),
  IDeviceClaim: ['node1-000008000', 'node1-000009000'].map((name) => once(name, ({ dc1 }, id) => library.PciDeviceClaim.fromName(dc1, id, { name, resourceName: 'intel.com/X710' }))),
  IOverlayVpc: ['team-a', 'team-b'].map((name) => once(`vpc-${name}`, ({ dc1 }, id) => library.OverlayVpc.fromName(dc1, id, { name }))),
  IKeyPair: [once('key', ({ dc1 }, id) => library.KeyPair.fromName(dc1, id, { name: 'ana' }))],
  ICloudInitSecret: [once('cloudinit', ({ dc1 }, id) => library.CloudInitSecret.fromName(dc1, id, { name: 'base' }))],
  IUser: [once('user', ({ rancher }, id) => library.User.fromName(rancher, id, { name: 'u-abcde' }))],
  IRoleTemplate: [once('role', ({ rancher }, id) => library.RoleTemplate.fromName(rancher, id, { name: 'rt-abcde' }))],
  IGlobalRole: [once('global-role', ({ rancher }, id) => library.GlobalRole.fromName(rancher, id, { name: 'gr-abcde' }))],
  IS3Credential: [once('s3', ({ rancher }, id) => library.S3Credential.fromName(rancher, id, { name: 'cc-s3' }))],
  ICloudCredential: [once('credential', ({ rancher }, id) => library.CloudCredential.fromName(rancher, id, { name: 'cc-there' }))],
  IGuestLoadBalancer: [once('balancer', ({ guest }, id) => new library.HarvesterLoadBalancer(guest, id, {
    ipam: library.Ipam.pool(), ports: [{ port: 443 }], selector: { app: 'web' },
  }))],
};

const KUBECONFIG = JSON.stringify({
  'apiVersion': 'v1',
  'kind': 'Config',
  'clusters': [{ name: 'a', cluster: { server: 'https://10.10.0.10:6443' } }],
  'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
  'users': [{ name: 'a', user: { token: 'generated' } }],
});
const SECRETS = [library.SecretValue.unsafePlainText('generated-secret'), library.SecretValue.unsafePlainText('another-secret')];
const MACHINE_FILES: Make = () => library.CloudConfigDelivery.MACHINE_FILES;
const FULL_QUOTA: library.Quota = {
  ...Object.fromEntries(['configMaps', 'persistentVolumeClaims', 'pods', 'replicationControllers', 'secrets', 'services', 'servicesLoadBalancers',
    'servicesNodePorts', 'virtualMachines'].map((name) => [name, 1000])),
  limitsCpu: Cpu.units(100),
  requestsCpu: Cpu.units(100),
  limitsMemory: Size.gibibytes(100),
  requestsMemory: Size.gibibytes(100),
  requestsStorage: Size.gibibytes(100),
  extended: { generated: '1000' },
};
const EXISTING_CLOUD_CONFIG = once('cloud-config', ({ rancher }, id) => library.CloudConfigSecret.fromName(rancher, id, { name: 'harvesterconfig-there' }));
const DISK: Make = (place) => library.Disk.image(TYPES.IVmImage[0](place) as library.IVmImage, Size.gibibytes(40));
const POOL: Make = (place): library.MachinePool => ({
  name: 'first',
  roles: library.MachineRoles.ALL,
  cpus: 4,
  memory: Size.gibibytes(8),
  disks: [DISK(place) as library.Disk],
  networks: [TYPES.IVmNetwork[0](place) as library.IVmNetwork],
  sshUser: 'ubuntu',
});
const NIC: Make = (place) => library.Nic.network(TYPES.IVmNetwork[0](place) as library.IVmNetwork);
const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana';
const POLICY_RULE: library.PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const NAMESPACE = TYPES.INamespace[0];

const ALWAYS: Hints['always'] = {
  HarvesterLoadBalancerProps: { selector: () => ({ app: 'web' }) },
  HelmChartOptions: { chart: () => 'generated', repository: () => 'https://charts.example.com' },
  ClusterRepoProps: { url: () => 'https://charts.example.com' },
  GlobalRoleProps: { rules: () => [POLICY_RULE] },
  RoleTemplateProps: { rules: () => [POLICY_RULE] },
  FleetWorkspacePermissions: { workspaceVerbs: () => ['get'] },
  TenantProjectProps: { quota: () => FULL_QUOTA, namespaceQuota: () => FULL_QUOTA },
  TenantTeamProps: {
    quota: () => FULL_QUOTA,
    namespaceQuota: () => FULL_QUOTA,
    machines: () => undefined,
    ...Object.fromEntries(['creators', 'operators', 'viewers'].map((name) => [name, () => [library.Principal.group(`okta_group://${name}`)]])),
  },
  // both quotas of a project name the same resources
  Quota: Object.fromEntries(Object.entries(FULL_QUOTA).map(([name, amount]) => [name, () => amount as unknown])),
  RegistryConfig: { insecureSkipTlsVerify: () => true },
  RegistryAuthConfig: { username: () => 'ana', password: () => SECRETS[0] },
  EtcdS3: { bucket: () => 'generated' },
  SnapshotQuotaProps: { total: () => Size.gibibytes(8) },
  VmHostDevice: { name: () => 'node1-00000a000', deviceName: () => 'nvidia.com/GP104' },
  VGpuOptions: { device: () => 'node1-1' },
  NodeCloudInitProps: { stages: () => ({ boot: [{ commands: ['generated'] }] }) },
  NodeImagesProps: { directory: () => '/generated' },
  MachineRolesProps: { etcd: () => true, controlPlane: () => true, worker: () => true },
  MachinePool: { networks: (place) => [TYPES.IVmNetwork[0](place)], sshUser: () => 'ubuntu' },
  CloudInitSecretProps: { cloudInit: () => library.CloudInit.of({ packages: ['generated'] }) },
  PolicyRule: { apiGroups: () => [''], resources: () => ['pods'] },
  MachineLabelExpression: { values: () => ['generated'] },
  ClonedImageProps: { storageClass: TYPES.IHostStorageClass[0] },
  PhysicalSubnet: { address: () => '10.0.0.5/24', gateway: () => '10.0.0.1' },
  NetworkDataV1Config: { nameservers: () => ['10.0.0.1'] },
  // what a health check may ask
  VmLoadBalancerProps: { listeners: () => [{ port: 80, backendPort: 600 }, { port: 443, backendPort: 1500 }] },
  VmHealthCheck: { port: () => 600 },
};

const MEMBERS: Hints['members'] = {
  // versions
  'ProvisionedClusterProps.kubernetes': {
    values: [
      ({ versions }) => (versions.kubernetes === 'rke2' ? library.Kubernetes.rke2('v1.33.13+rke2r2') : library.Kubernetes.k3s('v1.33.6+k3s1')),
      () => library.Kubernetes.rke2('v1.30.2+rke2r1'),
    ],
  },
  'Kubernetes.rke2.version': { values: all('v1.33.13+rke2r2') },
  'Kubernetes.k3s.version': { values: all('v1.33.6+k3s1') },
  'HarvesterChartProps.version': { values: all('1.7.2', '1.9.0') },
  'RancherChartProps.version': { values: all('2.13.8', '2.15.0') },
  'GuestChartProps.version': { values: all('v1.33.6+rke2r1', 'v1.34.1+rke2r1') },
  'ExistingGuestClusterOptions.kubernetesVersion': { values: all('v1.33.6+rke2r1', 'v1.34.1+rke2r1') },
  'Rke1ClusterProps.kubernetesVersion': { values: all('v1.27.16-rancher1-1', 'v1.26.15-rancher1-1') },
  'CloudConfigSecretProps.csiChartVersion': { values: all('0.1.28') },
  // texts of a form
  '*.caCertificates': { values: all(CA) },
  '*.serverUrl': { values: all('https://rancher.example.com', 'https://another.example.com') },
  '*.preemptionPolicy': { values: all('Never') },
  '*.publicKey': {
    values: all(
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa a',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa b',
    ),
  },
  '*.range': { values: all('10.30.0.0/24', '10.40.0.0/24') },
  '*.endpoints': { values: [() => ['https://mirror.example.com'], () => ['https://another.example.com']] },
  'BundledAddonProps.name': { values: all('vm-import-controller', 'pcidevices-controller') },
  'ScheduleVmBackupProps.schedule': { values: all('0 2 * * *', '0 3 * * *') },
  'EtcdBackup.schedule': { values: all('0 2 * * *') },
  'ClusterRegistrationProps.url': {
    values: all(
      'https://rancher.example.com/v3/import/generated_c-m-abcdefgh.yaml', 'https://another.example.com/v3/import/generated_c-m-abcdefgh.yaml',
    ),
  },
  'ProjectCertificateProps.certificate': { values: all(CERTIFICATE, CERTIFICATE + CERTIFICATE) },
  'ProjectCertificateProps.privateKey': { values: [KEY, `${KEY}\n`].map((text) => () => library.SecretValue.unsafePlainText(text)) },
  'SslCertificatesProps.publicCertificate': { values: all(CERTIFICATE, CERTIFICATE + CERTIFICATE) },
  'IpPoolRange.subnet': { values: all('10.0.0.0/24', '10.0.1.0/24') },
  'MachineLabelExpression.operator': { values: all(library.MachineLabelOperator.IN, library.MachineLabelOperator.NOT_IN) },
  'MachineLabelExpression.values': { values: [() => ['another']] },
  'MachineFileItem.path': { values: all('/etc/generated', '/etc/another') },
  'MachineSelector.config': { values: [() => ({ generated: 'value' }), () => ({ another: 'value' })] },
  'MachineFileSource.text.path': { values: all('/etc/generated') },
  'MachineFileSource.secret.path': { values: all('/etc/generated') },
  'ImageArchive.url': { values: all('http://files.example.com/a.tar.zst', 'http://files.example.com/b.tar.zst') },
  'ProvisionedClusterProps.additionalManifests': { values: [() => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'generated' } }]] },
  'OvercommitProps.cpuPercent': { values: all(1600, 200) },
  'OvercommitProps.memoryPercent': { values: all(150, 200) },
  'OvercommitProps.storagePercent': { values: all(200, 300) },
  'VolumeEncryptionProps.cipher': { values: all('aes-cbc-plain') },
  'VolumeEncryptionProps.hash': { values: all('sha512') },
  'VolumeEncryptionProps.keySize': { values: all('512') },
  'VolumeEncryptionProps.pbkdf': { values: all('pbkdf2') },
  'CdiStorageProps.cloneStrategy': { values: all('copy') },
  'CdiStorageProps.accessModes': { values: [() => ({ Block: ['ReadWriteMany'] })] },
  'RancherSettingProps.force': { values: all(true), beside: { name: () => 'agent-tls-mode', value: () => 'strict' } },
  'BackupTarget.nfs.endpoint': { values: all('nfs://10.0.0.9:/backups') },
  'Principal.user.id': { values: all('okta_user://ana') },
  'Principal.group.id': { values: all('okta_group://audit') },
  'HashedPassword.fromText.text': { values: all(`pbkdf2sha3512:${Buffer.alloc(32, 1).toString('base64')}:${Buffer.alloc(32, 2).toString('base64')}`) },
  'ImportedCredentialProps.kubeconfig': { values: all(...[KUBECONFIG, `${KUBECONFIG}\n`].map((text) => library.SecretValue.unsafePlainText(text))) },
  'ExternalCredentialProps.kubeconfig': { values: all(...[KUBECONFIG, `${KUBECONFIG}\n`].map((text) => library.SecretValue.unsafePlainText(text))) },
  'NodeAddress.address': { values: all('10.0.0.5/24', '10.0.0.6/24') },
  'PhysicalInterface.subnets': { values: [() => [{ address: '10.0.0.5/24', gateway: '10.0.0.1' }]] },
  'PhysicalSubnet.address': { values: all('10.0.0.6/24') },
  'PhysicalSubnet.gateway': { values: all('10.0.0.2') },
  'CloudInitFile.text.path': { values: all('/etc/generated') },
  'CloudInitFile.secret.path': { values: all('/etc/generated') },
  'CloudInitFile.base64.path': { values: all('/etc/generated') },
  'CloudInitFileOptions.permissions': { values: all('0640') },
  'CloudInit.fromYaml.text': { values: all('#cloud-config\npackages: [generated]\n') },
  'CloudInitProps.caCertificates': { values: [() => [CA]] },
  'CloudInitProps.defaultUser': { values: all(true, false), beside: { users: () => [{ name: 'ana' }] } },
  '*.sshAuthorizedKeys': { values: [() => [SSH_KEY]] },
  'CloudInitUser.name': { values: all('ana', 'bob') },
  'CloudInitUser.passwordHash': { values: all(library.SecretValue.unsafePlainText('$6$salt$hash')) },
  'VmHostDevice.deviceName': { values: all('nvidia.com/GP104', 'nvidia.com/GP105') },
  'OverlaySubnetProps.cidr': { values: all('10.20.0.0/24', '10.21.0.0/16,fd00:10::/64') },
  'OverlaySubnetProps.gateway': { values: all('10.20.0.254'), beside: { cidr: () => '10.20.0.0/24' } },
  'OverlaySubnetProps.excludedAddresses': { values: [() => ['10.20.0.1..10.20.0.9']] },
  'OverlaySubnetProps.allowedSubnets': { values: [() => ['10.30.0.0/24']], beside: { private: () => true } },
  'OverlaySubnetProps.dnsServers': { values: [() => ['10.0.0.2', 'fd00::2']] },
  'OverlayRoute.cidr': { values: all('10.30.0.0/16', '10.31.0.0/16') },
  'OverlayRoute.nextHop': { values: all('10.20.0.254', '10.20.0.253') },
  'PciDeviceClaimProps.address': { values: all('0000:04:01.0', '0000:05:00.1') },
  'PciDeviceClaimProps.resourceName': { values: all('nvidia.com/GP104', 'nvidia.com/GP105') },
  'ExistingPciDeviceClaimOptions.resourceName': { values: all('nvidia.com/GP104') },
  '*.deviceUid': { values: all('11111111-2222-3333-4444-555555555555') },
  '*.macAddress': { values: all('52:54:00:12:34:56') },
  'VmSnapshotQuota.virtualMachine': {
    values: ['web', 'db'].map((name) => once(`${name}-in-vms`, ({ dc1 }, id) => library.VirtualMachine.fromName(dc1, id, { name, namespace: 'vms' }))),
  },
  'MachinePool.hostnameLengthLimit': { values: all(30) },
  'MachinePool.maxUnhealthy': { values: all('1', '25%') },
  'MachinePool.unhealthyRange': { values: all('[1-3]') },
  'Rke1ClusterProps.additionalManifests': { values: [() => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'generated' } }]] },
  'Rke1ClusterProps.managementClusterId': { values: [() => library.ManagementClusterId.fixed('c-shop1')] },
  'Rke1Network.serviceCidr': { values: all('10.44.0.0/16'), beside: { clusterDns: () => '10.44.0.10' } },
  'Rke1UpgradeStrategy.maxUnavailableControlPlane': { values: all('2') },
  'NodeCloudInitProps.contents': { values: all('stages: {boot: []} # generated\n'), insteadOf: ['stages', 'title'] },
  'Nic.network.network': { values: [once('there', ({ dc1 }, id) => library.VmNetwork.fromName(dc1, id, { name: id }))] },
  // members that need each other
  'GuestClusterProps.pools': { values: [], first: POOL },
  'Rke1ClusterProps.pools': { values: [], first: POOL },
  'MachineProps.disks': { values: [() => [], () => [library.Disk.empty(Size.gibibytes(10))]], first: DISK },
  'MachineProps.nics': {
    values: [(place) => [library.Nic.network(TYPES.IVmNetwork[0](place) as library.IVmNetwork, { model: library.InterfaceModel.E1000 })]], insteadOf: ['networks'],
  },
  'MachineProps.vgpus': { values: [() => [library.VGpu.nvidia('A2', { device: 'node1-1' })]] },
  'VGpu.of.resourceName': { values: all('nvidia.com/A2', 'nvidia.com/A3') },
  'VGpuOptions.device': { values: all('node1-1', 'node1-2') },
  'VmAffinityProps.spread': { values: all(false), beside: { requiredNear: () => [{ vms: library.VmSelector.labels({ app: 'web' }) }] } },
  'NodeRegistrationOptions.caChecksum': { values: all('a'.repeat(64)) },
  'MachineProps.isolateEmulatorThread': { values: all(true), beside: { cpuPinning: () => true } },
  'MachineProps.secureBoot': { values: all(true), beside: { efi: () => true } },
  'VmSpecProps.cloudInitSecretName': { values: all('generated', 'another'), beside: { cloudInit: () => library.CloudInit.of() } },
  'VmSpecProps.cloudInitInline': { values: all(true), beside: { cloudInit: () => library.CloudInit.of() } },
  'VmSpecProps.tpmPersistent': { values: all(true), beside: { tpm: () => true } },
  'VmSpecProps.efiPersistent': { values: all(true), beside: { efi: () => true } },
  'VmSpecProps.networkDataSecret': { values: TYPES.ICloudInitSecret },
  'VmSpecProps.cloudInitDrive': { values: all(library.CloudInitDrive.CONFIG_DRIVE), beside: { cloudInit: () => library.CloudInit.of() } },
  'VmSpecProps.cloudInitDiskName': { values: all('generated', 'another'), beside: { cloudInit: () => library.CloudInit.of() } },
  '*.staticAddress': { values: all('10.20.0.12') },
  'VmSpecProps.hotplug': { values: [() => ({ maxCpus: 8, maxMemory: Size.gibibytes(32) })] },
  'VmSpecProps.cpuSockets': { values: all(2), beside: { cpus: () => 4 } },
  'VmSpecProps.cpuThreads': { values: all(2), beside: { cpus: () => 4 } },
  'StorageTopology.key': { values: all('topology.kubernetes.io/zone', 'rack') },
  'VmHotplug.maxCpus': { values: all(8, 16) },
  'VmHotplug.maxMemory': { values: [() => Size.gibibytes(32), () => Size.gibibytes(64)] },
  'VirtualMachineProps.guestCluster': { values: TYPES.IGuestCluster, beside: { nics: (place) => [NIC(place)] } },
  'CustomClusterProps.harvesterImport': { values: [HARVESTER], beside: { vmNamespace: NAMESPACE } },
  'CustomClusterProps.vmNamespace': { values: [NAMESPACE], beside: { harvesterImport: HARVESTER } },
  'CustomClusterProps.cloudProvider': {
    values: [() => library.CloudProvider.harvester(), () => library.CloudProvider.none()],
    beside: { harvesterImport: HARVESTER, vmNamespace: NAMESPACE },
  },
  'AuthEndpoint.caCertificates': { values: all(CA), beside: { fqdn: () => 'shop.example.com' } },
  'ClusterMembersProps.cluster': {
    values: TYPES.IManagedCluster, beside: { members: () => [library.ClusterMember.owner(library.Principal.user('okta_user://ana'))] },
  },
  'HarvesterCloudProviderOptions.existingCloudConfig': { values: [EXISTING_CLOUD_CONFIG], beside: { delivery: MACHINE_FILES } },
  'HarvesterCloudProviderOptions.extraArgs': { values: [() => ['--v=4']] },
  'HarvesterCloudProviderOptions.chartVersion': { values: all('0.2.15') },
  'CsiDriverOptions.chartVersion': { values: all('0.1.23') },
  'CsiDriverOptions.snapshotDefinitions': { values: all(true, false) },
  'NamespacedGuestResourceProps.namespace': { values: [once('shopping', ({ guest }, id) => new library.GuestNamespace(guest, id))] },
  'HarvesterLoadBalancerProps.workload': {
    values: [once('workload', ({ guest }, id) => new Deployment(guest, id, { containers: [{ image: 'nginx' }] }))], insteadOf: ['selector'],
  },
  'HarvesterLoadBalancerProps.sourceRanges': { values: [() => ['10.0.0.0/8']] },
  'ClusterRepoProps.gitRepo': { values: all('https://git.example.com/charts'), insteadOf: ['url'] },
  'ClusterRepoProps.gitBranch': { values: all('main'), beside: { gitRepo: () => 'https://git.example.com/charts', url: () => undefined } },
  'ClusterRepoProps.forceUpdate': { values: all('2026-01-31T09:30:00Z') },
  'ClusterRepoProps.caCertificate': { values: all(CA) },
  'ClusterRepoProps.insecurePlainHttp': { values: all(true), beside: { url: () => 'oci://registry.example.com' } },
  'ClusterRepoProps.oci': { beside: { url: () => 'oci://registry.example.com' } },
  'ClusterRepoBackOff.minWait': { values: [() => Duration.seconds(2)], beside: { maxWait: () => Duration.minutes(10) } },
  'ClusterRepoBackOff.maxWait': { values: [() => Duration.minutes(30)] },
  'HarvesterUiExtensionProps.version': { values: all('1.7.2', '1.6.1') },
  'HarvesterUiExtensionProps.endpoint': { values: all('https://mirror.example.com/ui') },
  'HarvesterUiExtensionProps.compressedEndpoint': { values: all('https://mirror.example.com/ui.tgz') },
  'HelmChartOptions.chartContent': { values: all('Z2VuZXJhdGVk'), insteadOf: ['chart', 'repository'] },
  'ImageArchive.sha256': { values: all('a'.repeat(64)) },
  'IpPoolRange.start': { values: all('10.0.0.10') },
  'IpPoolRange.end': { values: all('10.0.0.200') },
  'IpPoolRange.gateway': { values: all('10.0.0.1') },
  'MachineFileItem.permissions': { values: all('0600') },
  'MachineFileOptions.permissions': { values: all('0600') },
  '*.defaultPermissions': { values: all('0600') },
  'NodeImagesProps.directory': { values: all('/another') },
  'Principal.userOf.provider': { values: all(library.AuthProvider.OKTA) },
  'Principal.groupOf.provider': { values: all(library.AuthProvider.OKTA) },
  'TenantTeamProps.machines': {
    values: [() => [{ cpus: 2, memory: Size.gibibytes(4) }]], beside: { quota: () => undefined, namespaceQuota: () => undefined },
  },
  'TenantTeamProps.server': { values: all('https://harvester.example.com:6443'), beside: { accountRole: () => library.AccountRole.vmViewer() } },
  'VmHealthCheck.port': { values: all(600, 1500) },
  'Quota.extended': { values: all({ generated: '10' }, { generated: '2000' }) },
  'ServiceAccountCredentialProps.harvesterImport': { values: TYPES.IHarvesterImport, beside: { namespaces: () => [] } },
  'SingleAddressPoolProps.address': { values: all('10.0.0.5', '10.0.0.6') },
  'SslCertificatesProps.privateKey': { values: [KEY, `${KEY}\n`].map((text) => () => library.SecretValue.unsafePlainText(text)) },
  'TrafficNetworkProps.exclude': { values: [() => ['10.30.0.0/28']] },
  '*.controlPlaneConcurrency': { values: all('2') },
  '*.workerConcurrency': { values: all('2') },
  'RoleTemplateProps.externalRules': { values: [() => [POLICY_RULE]], beside: { external: () => true, rules: () => undefined } },
  'RoleTemplateProps.external': { values: all(true), beside: { inherits: (place) => [TYPES.IRoleTemplate[0](place)], rules: () => undefined } },
  'PolicyRule.nonResourceUrls': { values: [() => ['/generated']], insteadOf: ['apiGroups', 'resources'] },
  'ClonedImageProps.operation': { values: all('encrypt', 'decrypt') },
  'TokenLifetimeProps.maxTtl': { values: [() => Duration.days(90)], beside: { kubeconfigTtl: () => Duration.days(30) } },
};

/** Values that the declarations do not define. */
export const HINTS: Hints = { types: TYPES, members: MEMBERS, always: ALWAYS };

/** Props that the test cannot exercise, and why. */
export const UNEXERCISED: { readonly [prop: string]: string } = {
  'VmHostDevice.claim': 'replaces name and deviceName, of which one is needed without it: tested with the constructs of claims',
  ...Object.fromEntries(['AzureAd', 'Github', 'Google', 'Ldap', 'Oidc', 'Saml'].flatMap((family) => (
    ['user', 'group', 'userOf', 'groupOf', 'githubOrganization', 'githubTeam'].map((method) => (
      [`${family}AuthConfig: allowedPrincipals[].${method}().displayName`, 'is that of bindings: an AuthConfig lists IDs']))))),
  'GithubAuthConfig: installationId': 'is refused: an OAuth app has none',
  'GithubAuthConfig: privateKey': 'is refused: an OAuth app has none',
  'LdapAuthConfig: defaultLoginDomain': 'is refused: only Active Directory has one',
  'ClusterMembers: labels': 'are those of bindings: see the tests of ClusterMembers',
  'ClusterMembers: annotations': 'are those of bindings: see the tests of ClusterMembers',
  'RegistrationToken: labels': 'are those of a token that the program declares: see the tests of RegistrationToken',
  'RegistrationToken: annotations': 'are those of a token that the program declares: see the tests of RegistrationToken',
  'SharedImages: namespace.quota*': 'is refused: the project of shared images has no quota',
  'TenantProjectProps.backingNamespace': 'is where the bindings of members are, if there are any',
  'ExistingTenantProjectOptions.backingNamespace': 'is read by the program alone',
  'VmImageProps.volumeStorageClass': 'is for disks and volumes that begin as the image',
  'ExistingCloudInitSecretOptions.hasNetworkData': 'is for VMs with the Secret',
  'ExistingVmImageOptions.volumeStorageClass': 'is for disks and volumes that begin as the image',
  'DisplayedVmImageOptions.volumeStorageClass': 'is for disks and volumes that begin as the image',
  'GuestVolumeSnapshotClassProps.harvester': 'is for a check of its version only',
  'VmLoadBalancer: ipam.dhcp().requestedIp': 'is refused: only Services of a guest cluster ask DHCP for an address',
  'VmLoadBalancer: ipam.dhcp().macAddress': 'is refused: only Services of a guest cluster ask DHCP for an address',
  'GuestCluster: pools[].cloudInit.of().hostname': 'is refused: every machine of the pool would have it',
  ...Object.fromEntries([
    'autoscaling*', 'cpuModel', 'displayName', 'drainBeforeDeleteTimeout', 'hostnameLengthLimit', 'machineConfigLabels*', 'machineConfigAnnotations*', 'machineDeployment*', 'machineOs', 'maxUnhealthy', 'nodeStartupTimeout', 'paused',
    'reservedMemory', 'rollingUpdate*', 'fixedAddresses', 'unhealthyRange', 'affinity.spread*', 'cloudInit.of().hostname',
  ].map((path) => [`Rke1Cluster: pools[].${path}`, 'is refused: RKE1, and the last Rancher that has it, lack it'])),
  'GlobalRole: namespacedRules.*.[].nonResourceUrls': 'is refused: rules in namespaces name resources',
  'GlobalRole: inheritedNamespacedRules.*.[].nonResourceUrls': 'is refused: rules in namespaces name resources',
  'TenantTeam: accountRole.ofRules().[].nonResourceUrls': 'is refused: rules in namespaces name resources',
  'ServiceAccountKubeconfig: roles[].ofRules().[].nonResourceUrls': 'is refused: rules in namespaces name resources',
  'GuestClusterProps.harvesterImport': 'needs vmNamespace, images and networks, which are exercised',
  'Rke1ClusterProps.harvesterImport': 'needs vmNamespace, images and networks, which are exercised',
  ...Object.fromEntries(['VirtualMachine', 'VirtualMachineTemplateVersion'].flatMap((machine) => [
    ['nics[].management().managedTap', 'is refused: the management network is none of Kube-OVN'],
    ['nics[].management().staticAddress', 'is refused: the management network is none of Kube-OVN'],
    ['nics[].network().bridged', 'is refused: it is for the management network'],
    ['disks[].container().hotPluggable', 'is refused: a container image is not a volume'],
    ['disks[].containerCdRom().hotPluggable', 'is refused: a container image is not a volume'],
    ['disks[].container().shareable', 'is refused: a container image is not a volume'],
    ['disks[].containerCdRom().shareable', 'is refused: a container image is not a volume'],
    ['affinity.spreadOverZones().required', 'is refused: a single machine is in no pool'],
    ['affinity.spreadOverHosts().required', 'is refused: a single machine is in no pool'],
  ].map(([path, why]) => [`${machine}: ${path}`, why]))),
  ...Object.fromEntries(['GuestCluster', 'Rke1Cluster'].flatMap((cluster) => [
    ...['volume*', 'container*', 'emptyCdRom*', ...['image', 'empty', 'cdRom'].flatMap((disk) => (
      ['name', 'cache', 'shareable', 'volumeName', 'accessMode', 'volumeMode', 'deleteWithMachine'].map((option) => `${disk}().${option}`)))].map((path) => `disks[].${path}`),
    ...['management*', ...['name', 'bootOrder', 'managedTap', 'staticAddress', 'bridged'].map((option) => `network().${option}`)].map((path) => `nics[].${path}`),
    'vgpus*',
  ].map((path) => [`${cluster}: pools[].${path}`, 'is refused, or fixed: the node driver decides']))),
  ...Object.fromEntries(['GuestCluster', 'Rke1Cluster'].map((cluster) => (
    [`${cluster}: pools[].writtenAs*`, 'has an effect where it means the same as the other props: see the tests of machine texts']))),
};

/** Interfaces that are not for props, and why. */
export const NO_PROPS: { readonly [name: string]: string } = {
  ControlPlaneEndpointOptions: 'needs a cluster whose other props it excludes: see the tests of ControlPlaneEndpoint',
  EndpointOptions: 'needs a cluster whose other props it excludes: see the tests of ControlPlaneEndpoint',
  PooledEndpointOptions: 'needs a cluster whose other props it excludes: see the tests of ControlPlaneEndpoint',
  HelmChartManifestOptions: 'is what HelmChartAddon.manifest writes, outside of any construct',
  FixedAddressOptions: 'its values depend on each other: see the tests of FixedAddresses',
  FixedAddressesProps: 'its values depend on each other: see the tests of FixedAddresses',
  HarvesterAppProps: 'sets where and how the output is written, not its content',
  SecretFileOptions: 'sets how a file is read: see the tests of SecretValue',
  VmQuotaOptions: 'is what a Quota is computed from, outside of any construct',
  MachinePoolQuotaOptions: 'is what a Quota is computed from, outside of any construct',
  HarvesterValidationProps: 'sets what the validation plugin checks, which writes nothing',
  Finding: 'is a result',
  FindingObject: 'is a result',
};
