import { Duration } from 'cdk8s';
import { ID, RKE1, VERSIONS, plain, rke1 } from './_rke1';
import { asRetained } from '../../../src/core/kind/retention';
import { TaintEffect } from '../../../src/core/manifest/taint';
import { SecretValue } from '../../../src/core/value/secret-value';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { Rke1Cluster } from '../../../src/guest/rke1/rke1-cluster';
import {
  DockerStorageDriver,
  Rke1CloudProvider,
  Rke1ClusterProps,
  Rke1NetworkPlugin,
  Rke1PodSecurity,
} from '../../../src/guest/rke1/rke1-cluster-props';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { assemblyOf as assembly, written } from '../../support/written';
import { platform, poolsOn } from '../cluster/_clusters';

const KUBECONFIG = [
  'apiVersion: v1',
  'kind: Config',
  'clusters:',
  '- name: default',
  '  cluster: {server: "https://10.10.0.10:6443"}',
  'contexts:',
  '- name: default',
  '  context: {cluster: default, user: default, namespace: vms}',
  'current-context: default',
  'users:',
  '- name: default',
  '  user: {token: "t0k3n"}',
  '',
].join('\n');

function configOf(props: Partial<Rke1ClusterProps> = {}): any {
  return plain(props)[`rancher/Cluster/${ID}`].spec.rancherKubernetesEngineConfig;
}

describe('the management Cluster', () => {
  test("has the defaults that Rancher's API would have filled in", () => {
    expect(plain()[`rancher/Cluster/${ID}`]).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Cluster',
      metadata: { name: ID, annotations: { 'field.cattle.io/no-creator-rbac': 'true' } },
      spec: {
        displayName: 'shop',
        dockerRootDir: '/var/lib/docker',
        enableNetworkPolicy: false,
        fleetWorkspaceName: 'fleet-default',
        rancherKubernetesEngineConfig: {
          authentication: { strategy: 'x509' },
          ignoreDockerVersion: true,
          ingress: { provider: 'nginx' },
          kubernetesVersion: RKE1,
          network: { plugin: 'canal' },
          services: {
            etcd: {
              backupConfig: { enabled: true, intervalHours: 12, retention: 6, timeout: 300 },
            },
          },
          upgradeStrategy: {
            drain: false,
            maxUnavailableControlplane: '1',
            maxUnavailableWorker: '10%',
          },
        },
      },
    });
  });

  test('has a namespace, which contains its node pools', () => {
    expect(plain()[`rancher/Namespace/${ID}`]).toEqual(
      asRetained({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ID } }),
    );
  });

  test('writes all props', () => {
    const config = configOf({
      network: {
        plugin: Rke1NetworkPlugin.CALICO,
        mtu: 1400,
        options: { calico_cloud_provider: 'none' },
        clusterCidr: '10.50.0.0/16',
        serviceCidr: '10.51.0.0/16',
        clusterDns: '10.51.0.10',
        clusterDomain: 'shop.local',
      },
      services: {
        apiServer: {
          extraArgs: { 'feature-gates': 'A=true' },
          serviceNodePortRange: '30000-31000',
          alwaysPullImages: true,
          secretsEncryption: true,
          auditLog: true,
          podSecurityConfiguration: Rke1PodSecurity.RESTRICTED,
        },
        controllerManager: { extraEnv: ['A=b'] },
        kubelet: {
          extraArgs: { 'max-pods': '200' },
          extraBinds: ['/data:/data'],
          failSwapOn: true,
          generateServingCertificate: true,
        },
        kubeProxy: { extraArgs: { 'proxy-mode': 'ipvs' } },
        scheduler: { extraArgs: { v: '4' } },
        etcd: {
          extraArgs: { 'quota-backend-bytes': '1' },
          backup: { interval: Duration.hours(6), retention: 4, timeout: Duration.minutes(10) },
        },
      },
      upgradeStrategy: {
        maxUnavailableControlPlane: '2',
        maxUnavailableWorker: '20%',
        drain: { gracePeriod: Duration.minutes(1), force: true },
      },
      ingress: false,
      additionalManifests: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b' } },
      ],
      additionalManifestUrls: ['https://example.com/a.yaml'],
      config: { addonJobTimeout: 60 },
    });
    expect(config).toEqual({
      addonJobTimeout: 60,
      addons:
        'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n',
      addonsInclude: ['https://example.com/a.yaml'],
      authentication: { strategy: 'x509' },
      ignoreDockerVersion: true,
      ingress: { provider: 'none' },
      kubernetesVersion: RKE1,
      network: { plugin: 'calico', mtu: 1400, options: { calico_cloud_provider: 'none' } },
      services: {
        etcd: {
          extraArgs: { 'quota-backend-bytes': '1' },
          backupConfig: { enabled: true, intervalHours: 6, retention: 4, timeout: 600 },
        },
        kubeApi: {
          extraArgs: { 'feature-gates': 'A=true' },
          alwaysPullImages: true,
          auditLog: { enabled: true },
          podSecurityConfiguration: 'restricted',
          secretsEncryptionConfig: { enabled: true },
          serviceClusterIpRange: '10.51.0.0/16',
          serviceNodePortRange: '30000-31000',
        },
        kubeController: {
          extraEnv: ['A=b'],
          clusterCidr: '10.50.0.0/16',
          serviceClusterIpRange: '10.51.0.0/16',
        },
        kubelet: {
          extraArgs: { 'max-pods': '200' },
          extraBinds: ['/data:/data'],
          clusterDnsServer: '10.51.0.10',
          clusterDomain: 'shop.local',
          failSwapOn: true,
          generateServingCertificate: true,
        },
        kubeproxy: { extraArgs: { 'proxy-mode': 'ipvs' } },
        scheduler: { extraArgs: { v: '4' } },
      },
      upgradeStrategy: {
        drain: true,
        maxUnavailableControlplane: '2',
        maxUnavailableWorker: '20%',
        nodeDrainInput: {
          deleteLocalData: false,
          force: true,
          gracePeriod: 60,
          ignoreDaemonSets: true,
          timeout: 120,
        },
      },
    });
  });

  test("takes metadata, endpoint and agents' environment", () => {
    const { metadata, spec } = plain(
      {
        name: 'store',
        clusterId: ClusterId.fixed('c-store'),
        fleetWorkspace: 'sales',
        description: 'The store',
        labels: { tier: 'gold' },
        annotations: { 'example.com/owner': 'ana' },
        authorizedEndpoint: { fqdn: 'store.example.com' },
        agentEnvVars: { HTTPS_PROXY: 'http://proxy.example.com:3128' },
        enableNetworkPolicy: true,
        docker: { rootDirectory: '/data/docker' },
      },
      {},
      'u-x7k2p',
    )['rancher/Cluster/c-store'];
    expect(metadata).toEqual({
      name: 'c-store',
      labels: { tier: 'gold' },
      annotations: { 'example.com/owner': 'ana', 'field.cattle.io/creatorId': 'u-x7k2p' },
    });
    expect(spec).toMatchObject({
      displayName: 'store',
      description: 'The store',
      fleetWorkspaceName: 'sales',
      localClusterAuthEndpoint: { enabled: true, fqdn: 'store.example.com' },
      agentEnvVars: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }],
      enableNetworkPolicy: true,
      dockerRootDir: '/data/docker',
    });
  });

  test('snapshots that are off have no schedule', () => {
    expect(configOf({ services: { etcd: { backup: { enabled: false } } } }).services.etcd).toEqual({
      backupConfig: { enabled: false },
    });
  });
});

describe('a pool', () => {
  test('is a node template, with the machine next to its spec, and a node pool', () => {
    const objects = plain();
    expect(objects['rancher/NodeTemplate/nt-shop-all']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'NodeTemplate',
      metadata: { name: 'nt-shop-all', namespace: 'cattle-global-nt' },
      spec: {
        cloudCredentialName: 'cattle-global-data:cc-dc1',
        displayName: 'nt-shop-all',
        driver: 'harvester',
        useInternalIpAddress: true,
      },
      harvesterConfig: {
        vmNamespace: 'vms',
        cpuCount: '4',
        memorySize: '8',
        diskInfo: '{"disks":[{"imageName":"default/noble","bootOrder":1,"size":40}]}',
        networkInfo: '{"interfaces":[{"networkName":"default/prod","macAddress":""}]}',
        sshUser: 'ubuntu',
        userData:
          '#cloud-config\npackage_update: true\npackages:\n  - qemu-guest-agent\nruncmd:\n  - - systemctl\n    - enable\n    - --now\n    - qemu-guest-agent.service\n',
      },
    });
    expect(objects['rancher/NodePool/np-all']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'NodePool',
      metadata: { name: 'np-all', namespace: ID },
      spec: {
        clusterName: ID,
        controlPlane: true,
        deleteNotReadyAfterSecs: 0,
        displayName: 'all',
        drainBeforeDelete: true,
        etcd: true,
        hostnamePrefix: 'shop-all-',
        nodeTemplateName: 'cattle-global-nt:nt-shop-all',
        quantity: 3,
        worker: true,
      },
    });
  });

  test('has the machine that a cluster of RKE2 has', () => {
    const all = platform(VERSIONS);
    const pools = poolsOn(all.dc1, { sshUser: 'ubuntu', efi: true, vgpus: [] });
    const { harvester, namespace } = all;
    new GuestCluster(all.rancher, 'two', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      kubernetes: Kubernetes.rke2('v1.30.14+rke2r2'),
      pools,
    });
    new Rke1Cluster(all.rancher, 'one', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      kubernetesVersion: RKE1,
      pools,
      cloudProvider: Rke1CloudProvider.none(),
    });
    const objects = written(all.app);
    const { apiVersion, kind, metadata, ...fields } = objects['rancher/HarvesterConfig/nc-two-all'];
    expect(objects['rancher/NodeTemplate/nt-one-all'].harvesterConfig).toEqual(fields);
  });

  test('sets nodes, Docker and timeouts', () => {
    const docker = {
      installUrl: 'https://releases.rancher.com/install-docker/24.0.sh',
      options: { 'log-opt': 'max-size=10m' },
      insecureRegistries: ['registry.example.com'],
      registryMirrors: ['https://mirror.example.com'],
      storageDriver: DockerStorageDriver.OVERLAY2,
    };
    const objects = plain(
      { docker },
      {
        nodeLabels: { tier: 'gold' },
        taints: [{ key: 'gpu', effect: TaintEffect.NO_SCHEDULE }],
        unhealthyNodeTimeout: Duration.minutes(5),
        drainBeforeDelete: false,
        machineConfigName: 'mine',
      },
      'u-x7k2p',
    );
    const template = objects['rancher/NodeTemplate/mine'];
    expect(template.metadata.annotations).toEqual({ 'field.cattle.io/creatorId': 'u-x7k2p' });
    expect(template.spec).toMatchObject({
      engineInstallURL: 'https://releases.rancher.com/install-docker/24.0.sh',
      engineOpt: { 'log-opt': 'max-size=10m' },
      engineInsecureRegistry: ['registry.example.com'],
      engineRegistryMirror: ['https://mirror.example.com'],
      engineStorageDriver: 'overlay2',
    });
    expect(objects['rancher/NodePool/np-all'].spec).toMatchObject({
      nodeLabels: { tier: 'gold' },
      nodeTaints: [{ key: 'gpu', effect: 'NoSchedule' }],
      deleteNotReadyAfterSecs: 300,
      drainBeforeDelete: false,
      nodeTemplateName: 'cattle-global-nt:mine',
    });
  });

  test('keeps the exact texts of a live node template, and reports those that mean something else', () => {
    const { diskInfo, userData } = plain({}, {})['rancher/NodeTemplate/nt-shop-all']
      .harvesterConfig;
    const adopted = {
      diskInfo: ` ${diskInfo}`,
      userData: Buffer.from(userData).toString('base64'),
    };
    const { app } = rke1(
      { cloudProvider: Rke1CloudProvider.none() },
      { adopted: { ...adopted, networkInfo: '{}' } },
    );
    expect(written(app)['rancher/NodeTemplate/nt-shop-all'].harvesterConfig).toMatchObject(adopted);
    expect(
      app.findings.filter(({ rule }) => rule === 'object/outdated-text').map(({ path }) => path),
    ).toEqual(['networkInfo']);
  });

  test('shares a node template with another whose machines are equal, and with no other', () => {
    const all = platform(VERSIONS);
    const { harvester, namespace, rancher } = all;
    const pools = poolsOn(all.dc1, {
      name: 'a',
      sshUser: 'ubuntu',
      machineConfigName: 'nt',
    }).flatMap((pool) => [pool, { ...pool, name: 'b', roles: MachineRoles.WORKER }]);
    const make = (id: string, list: MachinePool[]) =>
      new Rke1Cluster(rancher, id, {
        harvesterImport: harvester,
        vmNamespace: namespace,
        kubernetesVersion: RKE1,
        pools: list,
        cloudProvider: Rke1CloudProvider.none(),
      });
    make('shop', pools);
    expect(() => make('other', [pools[0], { ...pools[1], cpus: 8 }])).toThrow(
      '[rancher/other] pools[b].machineConfigName: cannot be shared with another pool, whose machines differ in cpuCount, got "nt". Fix: make the machines equal, ' +
        'or use another machineConfigName for each pool',
    );
  });
});

describe('the cloud provider', () => {
  test('of Harvester puts the kubeconfig of an account into the Cluster, which waits for it', () => {
    const { app } = rke1();
    const objects = written(app);
    expect(objects[`rancher/Cluster/${ID}`]).toBeUndefined();
    expect(objects['dc1/ServiceAccount/shop']).toMatchObject({
      metadata: { name: 'shop', namespace: 'vms' },
    });
    expect(objects['dc1/RoleBinding/vms-shop']).toMatchObject({
      roleRef: { name: 'harvesterhci.io:cloudprovider' },
    });
    const text = JSON.stringify(assembly(app));
    expect(text).toContain('"harvesterCloudProvider":{"cloudConfig":');
    expect(text).not.toContain('harvesterconfig-shop');
  });

  test('of Harvester takes a kubeconfig that is there', () => {
    expect(
      configOf({
        cloudProvider: Rke1CloudProvider.harvesterFromKubeconfig(
          SecretValue.unsafePlainText(KUBECONFIG),
        ),
      }).cloudProvider,
    ).toEqual({
      name: 'harvester',
      harvesterCloudProvider: { cloudConfig: KUBECONFIG },
    });
  });

  test('that is external writes the file by user data', () => {
    const { app } = rke1({
      cloudProvider: Rke1CloudProvider.external({ serviceAccountName: 'shop-ccm' }),
    });
    const objects = written(app);
    expect(
      objects[`rancher/Cluster/${ID}`].spec.rancherKubernetesEngineConfig.cloudProvider,
    ).toEqual({ name: 'external' });
    expect(objects['rancher/NodeTemplate/nt-shop-all']).toBeUndefined();
    expect(objects['dc1/ServiceAccount/shop-ccm'].metadata).toMatchObject({
      name: 'shop-ccm',
      namespace: 'vms',
    });
    expect(JSON.stringify(assembly(app))).toContain('path: /etc/kubernetes/cloud-config');
  });
});

describe('the construct', () => {
  test('is a managed cluster and a target', () => {
    const { cluster, rancher } = rke1();
    expect([
      cluster.name,
      cluster.clusterId,
      cluster.fleetWorkspace,
      cluster.kubernetesVersion,
      cluster.rancher,
    ]).toEqual(['shop', ID, 'fleet-default', RKE1, rancher]);
    expect(cluster.chart).toMatchObject({
      targetName: 'shop',
      version: 'v1.27.16',
      provisioningCluster: `fleet-default/${ID}`,
    });
  });

  test.each([
    ['harvester', Rke1CloudProvider.harvester()],
    ['external', Rke1CloudProvider.external()],
  ])(
    'makes the account of cloud provider %s wait for the namespace of the machines, and the Cluster for both',
    (_, cloudProvider) => {
      const { app } = rke1({ cloudProvider });
      app.synth();
      const { edges, groups } = assembly(app);
      const waiting = edges
        .filter(({ to }: any) => to === 'dc1//Namespace//vms')
        .flatMap(({ from }: any) => groups.find(({ id }: any) => id === from)?.objects ?? [from]);
      expect(waiting).toEqual(
        expect.arrayContaining([
          'dc1//Secret/vms/shop-token',
          'dc1//ServiceAccount/vms/shop',
          'dc1/rbac.authorization.k8s.io/RoleBinding/vms/vms-shop',
          'dc1/rbac.authorization.k8s.io/RoleBinding/vms/rancher-node-driver',
          `rancher/management.cattle.io/Cluster//${ID}`,
        ]),
      );
      expect(edges).toContainEqual({
        from: `rancher/management.cattle.io/Cluster//${ID}`,
        to: 'dc1/CloudConfig-vms-shop',
        type: 'applied',
      });
    },
  );

  test('makes the pools wait for the Cluster and the node template, and that for the credential', () => {
    const all = rke1({ cloudProvider: Rke1CloudProvider.none() });
    all.app.synth();
    const { edges } = assembly(all.app);
    expect(edges).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          from: `rancher/management.cattle.io/NodePool/${ID}/np-all`,
          to: 'rancher/management.cattle.io/NodeTemplate/cattle-global-nt/nt-shop-all',
          type: 'applied',
        }),
        expect.objectContaining({
          from: `rancher/management.cattle.io/NodePool/${ID}/np-all`,
          to: `rancher/management.cattle.io/Cluster//${ID}`,
          type: 'applied',
        }),
        expect.objectContaining({
          from: 'rancher/management.cattle.io/NodeTemplate/cattle-global-nt/nt-shop-all',
          to: 'rancher//Secret/cattle-global-data/cc-dc1',
          type: 'applied',
        }),
      ]),
    );
  });
});
