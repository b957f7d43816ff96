import { Size } from 'cdk8s';
import { applyAll, complaints, deleteAll } from './apply-all';
import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { lost } from './subset';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { Manifest } from '../../src/core/manifest/manifest';
import { TaintEffect } from '../../src/core/manifest/taint';
import { SecretValue } from '../../src/core/value/secret-value';
import { GuestCluster } from '../../src/guest/cluster/guest-cluster';
import {
  CertificateService,
  RestoreMode,
  StackPreference,
} from '../../src/guest/cluster/provisioned-cluster-props';
import { CustomCluster } from '../../src/guest/custom/custom-cluster';
import { ControlPlaneEndpoint } from '../../src/guest/endpoint/control-plane-endpoint';
import {
  K3sFlannelBackend,
  Kubernetes,
  Rke2Cni,
  Rke2Profile,
} from '../../src/guest/kubernetes/kubernetes';
import { MachineFileSource } from '../../src/guest/machine-file/machine-file';
import { FixedAddresses } from '../../src/guest/machine-pool/fixed-addresses';
import { MachineRoles } from '../../src/guest/machine-pool/machine-pool';
import { RegistryAuth, RegistryTls } from '../../src/guest/registries/registries';
import { LabelOperator } from '../../src/harvester/affinity/vm-affinity';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { VmImage } from '../../src/harvester/image/vm-image';
import { Disk } from '../../src/harvester/machine/disk';
import { VmNetwork } from '../../src/harvester/network/vm-network';
import { ClusterId } from '../../src/rancher/cluster/managed-cluster';
import { PreemptionPolicy } from '../../src/rancher/cluster/provisioning-cluster.check';
import { CloudCredential } from '../../src/rancher/credential/cloud-credential';
import { S3Credential } from '../../src/rancher/credential/s3-credential';
import { HarvesterImport } from '../../src/rancher/import/harvester-import';
import { TokenSource } from '../../src/rancher/import/registration-token';
import { CERTIFICATE, KEY } from '../core/go/_pem';
import { CA } from '../support/certificates';
import { newApp, newHarvester, newRancher } from '../support/programs';
import { written } from '../support/written';

const secret = (text: string) => SecretValue.unsafePlainText(text);

/** A program with each kind of guest cluster: one with the fewest props, one with all. */
function program(): HarvesterApp {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const harvester = HarvesterImport.fromClusterId(rancher, 'dc1', {
    clusterId: 'c-m-harvdc01',
    harvester: dc1,
  });
  const namespace = HarvesterNamespace.fromName(dc1, 'vms', { name: 'guest-cluster-vms' });
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  const credential = CloudCredential.fromName(rancher, 'Credential', { name: 'cc-abcde' });
  const pool = {
    name: 'all',
    roles: MachineRoles.ALL,
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [network],
  };

  new GuestCluster(rancher, 'small', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    pools: [pool],
    endpoint: ControlPlaneEndpoint.address('10.9.0.30', { fqdn: 'small.example.com' }),
  });
  // values that cure known faults of the cloud provider's chart
  new GuestCluster(rancher, 'cured', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    kubernetes: Kubernetes.rke2('v1.33.5+rke2r1'),
    pools: [pool],
  });
  new GuestCluster(rancher, 'cured-dedicated', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    kubernetes: Kubernetes.rke2('v1.26.6+rke2r1'),
    pools: [
      { ...pool, roles: MachineRoles.CONTROL_PLANE_ETCD },
      { ...pool, name: 'workers', roles: MachineRoles.WORKER },
    ],
  });
  new GuestCluster(rancher, 'cured-one-node', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    kubernetes: Kubernetes.rke2('v1.28.11+rke2r1'),
    pools: [{ ...pool, quantity: 1 }],
  });
  new GuestCluster(rancher, 'lightweight', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    kubernetes: Kubernetes.k3s('v1.33.6+k3s1', { flannelBackend: K3sFlannelBackend.VXLAN }),
    pools: [
      {
        ...pool,
        fixedAddresses: FixedAddresses.of({
          addresses: ['10.0.0.11', '10.0.0.12', '10.0.0.13'],
          subnet: '10.0.0.0/24',
          nameservers: ['10.0.0.2'],
        }),
      },
    ],
  });
  new CustomCluster(rancher, 'full', {
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1', {
      cni: Rke2Cni.CILIUM,
      multus: true,
      profile: Rke2Profile.CIS,
      auditPolicy: {
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        rules: [{ level: 'Metadata' }],
      },
      tlsSans: ['api.example.com'],
      kubeletArgs: ['max-pods=200'],
      chartValues: { 'rke2-cilium': { k8sServiceHost: '127.0.0.1' } },
      config: { debug: true },
    }),
    clusterId: ClusterId.fixed('c-m-full0001'),
    registrationToken: TokenSource.value(secret('abcdefghijklmnopqrstuvwxyz0123456789')),
    description: 'With all props',
    labels: { tier: 'gold' },
    annotations: { 'example.com/owner': 'ana' },
    agentEnvVars: { HTTPS_PROXY: 'http://proxy.example.com:3128' },
    clusterAgent: {
      tolerations: [{ key: 'gpu', effect: TaintEffect.NO_SCHEDULE }],
      requests: { cpu: '100m' },
      scheduling: {
        priorityClass: { priority: 1000, preemptionPolicy: PreemptionPolicy.NEVER },
        minAvailable: '1',
      },
    },
    fleetAgent: { limits: { memory: '1Gi' } },
    registries: {
      mirrors: {
        'docker.io': {
          endpoints: ['https://mirror.example.com'],
          rewrites: { '^rancher/(.*)': 'mirror/rancher/$1' },
        },
      },
      configs: {
        'mirror.example.com:5000': {
          auth: RegistryAuth.basic('ana', secret('pa55')),
          tls: RegistryTls.of(CERTIFICATE, secret(KEY)),
          caCertificates: CA,
          insecureSkipTlsVerify: false,
        },
        'other.example.com': { auth: RegistryAuth.config({ identityToken: secret('t0ken') }) },
      },
    },
    etcd: {
      schedule: '0 3 * * *',
      retention: 3,
      s3: {
        credential: new S3Credential(rancher, 'Backup', {
          accessKey: secret('AK'),
          secretKey: secret('SK'),
        }),
        bucket: 'snapshots',
        folder: 'full',
        region: 'eu-1',
        endpoint: 'minio.example.com:9000',
        caCertificates: CA,
        insecureSkipTlsVerify: false,
      },
    },
    upgradeStrategy: {
      workerConcurrency: '25%',
      workerDrain: { preDrainHooks: ['example.com/before'], postDrainHooks: ['example.com/after'] },
    },
    stackPreference: StackPreference.DUAL,
    authorizedEndpoint: { fqdn: 'api.example.com', caCertificates: CA },
    dataDirectories: {
      k8sDistro: '/data/rke2',
      provisioning: '/data/capr',
      systemAgent: '/data/agent',
    },
    enableNetworkPolicy: true,
    additionalManifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shops' } }],
    machineSelectors: [
      {
        machines: { matchLabels: { 'rke.cattle.io/worker-role': 'true' } },
        config: { 'kubelet-arg': ['max-pods=50'] },
      },
    ],
    machineFiles: [
      {
        machines: {
          matchExpressions: [{ key: 'rke.cattle.io/etcd-role', operator: LabelOperator.EXISTS }],
        },
        sources: [
          MachineFileSource.text('/etc/motd', 'hello', { permissions: '0644', dynamic: true }),
          MachineFileSource.secret('/etc/key', secret('s3cret')),
          MachineFileSource.fromSecretName({
            name: 'theirs',
            items: [{ key: 'a', path: '/etc/a', hash: 'x=' }],
            defaultPermissions: '0600',
          }),
        ],
      },
    ],
    operations: {
      rotateCertificates: { generation: 1, services: [CertificateService.KUBELET] },
      rotateEncryptionKeys: 1,
      createSnapshot: 1,
      restoreSnapshot: { generation: 1, name: 'snapshot-1', mode: RestoreMode.ALL },
      provision: 1,
      redeploySystemAgent: 1,
    },
  });
  return app;
}

describeCluster('guest clusters', () => {
  const app = program();
  const objects: Manifest[] = Object.entries(written(app))
    .filter(([key]) => key.startsWith('rancher/'))
    .map(([, object]) => object);
  let client: Client;

  beforeAll(async () => {
    client = clientOf('rancher');
    const { applied } = await applyAll(client, objects, { createNamespaces: true });
    expect(applied.flatMap(complaints)).toEqual([]);
  });

  afterAll(async () =>
    deleteAll(
      client,
      objects.filter(({ kind }) => kind !== 'Namespace'),
    ),
  );

  test('there is something to apply', () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      expect.arrayContaining([
        'Cluster small',
        'Cluster lightweight',
        'Cluster full',
        'HarvesterConfig nc-small-all',
        'Secret cc-s3-backup',
        'Secret crt-token-gitops',
        'Secret registryconfig-auth-full-other-example-com',
        'ConfigMap full-file-etc-motd-a5017c',
      ]),
    );
  });

  test('the server takes them strictly and keeps every byte', async () => {
    for (const object of objects.filter(({ kind }) => kind === 'Cluster')) {
      const { body } = await client.read(object);
      expect(lost(object, body)).toEqual([]);
    }
  });

  test('what we leave out the definition does not fill in: the spec that is stored is the one that was sent', async () => {
    for (const object of objects.filter(({ kind }) => kind === 'Cluster')) {
      const { body } = await client.read(object);
      expect({ name: object.metadata.name, spec: body.spec }).toEqual({
        name: object.metadata.name,
        spec: object.spec,
      });
    }
  });
});
