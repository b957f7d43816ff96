import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { SERVER_URL, VIP } from './platform';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { note } from '../../../src/core/construct/object-notes';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { Delivery } from '../../../src/delivery/delivery';
import { GuestChart } from '../../../src/guest/guest-chart';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { RancherChart } from '../../../src/rancher/rancher-chart';

/** What tests vary in a program. */
export interface ProgramOptions {
  /** Machines of the guest cluster. @default 1 */
  readonly machines?: number;
  /** Whether there are a key pair and a second NTP server. @default true */
  readonly extras?: boolean;
  /** A registration token of the program's own. @default - the late one of Rancher's */
  readonly token?: string;
  /** A password in a Secret on the Harvester. @default 'hunter2-hunter2' */
  readonly password?: string;
  /** More of that Secret, in plain text, by key. @default - no other keys */
  readonly login?: { readonly [key: string]: string };
  /** Names the objects, so that several programs fit on one platform. @default 'shop' */
  readonly name?: string;
  /** Whether Harvester registers. @default true */
  readonly register?: boolean;
  /** Whether there are Settings of Harvester in addition to the registration. @default true */
  readonly settings?: boolean;
}

/**
 * Synthesizes a platform into a folder: an imported Harvester, a tenant, a guest cluster with a
 * credential that only the Harvester can give, and a Service in the guest. What has no construct
 * here is a plain object, as people write it.
 */
export function writeProgram(folder: string, options: ProgramOptions = {}): string {
  const { machines = 1, extras = true, name = 'shop', password = 'hunter2-hunter2' } = options;
  const outdir = path.join(folder, `dist-${name}`);
  const app = new HarvesterApp({ outdir, printWarnings: false });
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: SERVER_URL });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: VIP });
  const imported = new HarvesterImport(rancher, `import-${name}`, {
    harvester: dc1,
    name: `dc1-${name}`,
    register: options.register ?? true,
    registrationToken:
      options.token === undefined
        ? TokenSource.declared()
        : TokenSource.value(SecretValue.unsafePlainText(options.token)),
  });
  const id = imported.clusterId;

  const project = new ApiObject(rancher, 'payments', {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name, namespace: id, annotations: { 'field.cattle.io/no-creator-rbac': 'true' } },
    spec: {
      clusterName: id,
      displayName: name,
      resourceQuota: { limit: { limitsCpu: '32' } },
      namespaceDefaultResourceQuota: { limit: { limitsCpu: '32' } },
    },
  });
  Ordering.of(project).after(imported, OrderingType.APPLIED);
  const member = new ApiObject(rancher, 'member', {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ProjectRoleTemplateBinding',
    metadata: { name: `prtb-${name}`, namespace: `${id}-${name}` },
    ...{
      projectName: `${id}:${name}`,
      roleTemplateName: 'project-owner',
      userPrincipalName: 'local://u-ana',
    },
  });
  Ordering.of(member).after(project, OrderingType.APPLIED);

  const namespace = new ApiObject(dc1, 'namespace', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: `${name}-vms`,
      annotations: { 'field.cattle.io/projectId': `${id}:${name}` },
    },
  });
  Ordering.of(namespace).after(project, OrderingType.APPLIED);
  const image = new ApiObject(dc1, 'ubuntu', {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name: `ubuntu-${name}`, namespace: 'default' },
    spec: {
      displayName: `ubuntu-${name}`,
      sourceType: 'download',
      url: 'https://cloud-images.example.com/noble.img',
    },
  });
  const network = new ApiObject(dc1, 'prod', {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name: `prod-${name}`,
      namespace: 'default',
      labels: {
        'network.harvesterhci.io/clusternetwork': 'mgmt',
        'network.harvesterhci.io/type': 'L2VlanNetwork',
        'network.harvesterhci.io/vlan-id': '100',
      },
    },
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        name: `prod-${name}`,
        type: 'bridge',
        bridge: 'mgmt-br',
        promiscMode: true,
        vlan: 100,
        ipam: {},
      }),
    },
  });
  if (extras) {
    new ApiObject(dc1, 'key', {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'KeyPair',
      metadata: { name: `key-${name}`, namespace: 'default' },
      spec: { publicKey: KEY },
    });
  }
  if (options.settings !== false) {
    HarvesterSetting.ntpServers(
      dc1,
      'ntp',
      extras ? ['0.pool.ntp.org', '1.pool.ntp.org'] : ['0.pool.ntp.org'],
    );
  }
  new ApiObject(dc1, 'login', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: `${name}-vms` },
    ...{
      data: Object.fromEntries(
        Object.entries({ password, ...options.login }).map(([key, value]) => [
          key,
          Buffer.from(value).toString('base64'),
        ]),
      ),
    },
  });

  const account = new ApiObject(dc1, 'account', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'driver', namespace: `${name}-vms` },
  });
  const accountToken = new ApiObject(dc1, 'account-token', {
    apiVersion: 'v1',
    kind: 'Secret',
    ...{ type: 'kubernetes.io/service-account-token' },
    metadata: {
      name: 'driver-token',
      namespace: `${name}-vms`,
      annotations: { 'kubernetes.io/service-account.name': 'driver' },
    },
  });
  note(accountToken, {
    othersWrite: ['data', 'metadata.annotations[kubernetes.io/service-account.uid]'],
  });
  Ordering.of(accountToken).after(account, OrderingType.APPLIED);
  const secret = {
    target: dc1,
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: `${name}-vms`,
    name: 'driver-token',
  };
  const [token, ca] = [
    ['token', true],
    ['ca.crt', false],
  ].map(
    ([key, sensitive]) =>
      new LateValue(dc1, `late-${key as string}`, {
        source: LateSource.secretKey(key as string, secret),
        description: `${key as string} of the driver`,
        sensitive: sensitive as boolean,
      }),
  );
  [token, ca].forEach((late) => Ordering.of(late).after(accountToken, OrderingType.APPLIED));
  const kubeconfig = new LateValue(dc1, 'late-kubeconfig', {
    source: LateSource.text(`kind: Config\nca: ${ca.base64}\ntoken: ${token.token}\n`),
    description: 'kubeconfig of the driver',
    sensitive: true,
  });
  const credential = new ApiObject(rancher, 'credential', {
    apiVersion: 'v1',
    kind: 'Secret',
    ...{
      type: 'Opaque',
      data: { 'harvestercredentialConfig-kubeconfigContent': kubeconfig.base64 },
    },
    metadata: {
      name: `cc-${name}`,
      namespace: 'cattle-global-data',
      annotations: {
        'field.cattle.io/name': name,
        'provisioning.cattle.io/driver': 'harvester',
        'field.cattle.io/creatorId': 'u-ana',
      },
    },
  });
  const config = new ApiObject(rancher, 'config', {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata: { name: `nc-${name}`, namespace: 'fleet-default' },
    ...{
      cpuCount: '4',
      memorySize: '8',
      vmNamespace: `${name}-vms`,
      userData: '#cloud-config\n',
      diskInfo: JSON.stringify({
        disks: [{ imageName: `default/ubuntu-${name}`, bootOrder: 1, size: 40 }],
      }),
      networkInfo: JSON.stringify({
        interfaces: [{ networkName: `default/prod-${name}`, macAddress: '' }],
      }),
    },
  });
  Ordering.of(config).after(image, OrderingType.READY);
  Ordering.of(config).after(network, OrderingType.APPLIED);
  const guest = new ApiObject(rancher, 'guest', {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name,
      namespace: 'fleet-default',
      annotations: {
        'provisioning.cattle.io/management-cluster-name': `c-m-${name}-guest`,
        'field.cattle.io/no-creator-rbac': 'true',
      },
    },
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      cloudCredentialSecretName: `cattle-global-data:cc-${name}`,
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity: machines,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: `nc-${name}` },
          },
        ],
      },
    },
  });
  for (const needed of [credential, config, namespace]) {
    Ordering.of(guest).after(needed, OrderingType.APPLIED);
  }
  const shop = new GuestChart(app, name, {
    version: 'v1.33.6+rke2r1',
    rancher,
    provisioningCluster: `fleet-default/${name}`,
  });
  const service = new ApiObject(shop, 'web', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `web-${name}`, namespace: 'default' },
    spec: {
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: [{ port: 443, protocol: 'TCP', targetPort: 443 }],
    },
  });
  Ordering.of(service).after(guest, OrderingType.READY);
  app.synth();
  return outdir;
}

/** What tests vary with objects of their own. */
export interface ObjectsOptions {
  /** The version of Harvester. @default 1.7.2 */
  readonly harvester?: string;
  /** How the output reaches the clusters. @default - by apply */
  readonly delivery?: Delivery;
}

/**
 * Synthesizes objects of a test's own: the callback declares them below a Rancher and a Harvester.
 *
 * @param name of the output folder
 */
export function writeObjects(
  folder: string,
  name: string,
  declare: (dc1: HarvesterChart, rancher: RancherChart) => void,
  { harvester = '1.7.2', delivery }: ObjectsOptions = {},
): string {
  const outdir = path.join(folder, `dist-${name}`);
  const app = new HarvesterApp({ outdir, printWarnings: false, delivery });
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: SERVER_URL });
  const dc1 = new HarvesterChart(app, 'dc1', { version: harvester, vip: VIP });
  declare(dc1, rancher);
  app.synth();
  return outdir;
}

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com';
