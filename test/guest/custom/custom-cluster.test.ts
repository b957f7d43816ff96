import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import {
  CertificateService,
  RestoreMode,
  StackPreference,
} from '../../../src/guest/cluster/provisioned-cluster-props';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { GuestChart } from '../../../src/guest/guest-chart';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { CA } from '../../support/certificates';
import { configMap, newApp, newHarvester, newRancher } from '../../support/programs';
import { assemblyOf as assembly, written } from '../../support/written';
import { K3S, RKE2, customCluster, platform, refusal, specOf } from '../cluster/_clusters';

const CLUSTER = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';

describe('the Cluster', () => {
  test('is the only object, with a fixed ID and without a binding for the current user', () => {
    const { app, cluster } = customCluster();
    const objects = written(app);
    expect(Object.keys(objects)).toEqual(['rancher/Cluster/shop']);
    expect(objects['rancher/Cluster/shop'].metadata).toEqual({
      name: 'shop',
      namespace: 'fleet-default',
      annotations: {
        'field.cattle.io/no-creator-rbac': 'true',
        'provisioning.cattle.io/management-cluster-name': cluster.clusterId,
      },
    });
    expect(objects['rancher/Cluster/shop'].spec.rkeConfig).not.toHaveProperty('machinePools');
    expect(cluster.clusterId).toMatch(/^c-m-[a-z2-7]{8}$/);
    expect(cluster.kubernetesVersion).toBe(RKE2);
    expect(app.findings).toEqual([]);
  });

  test('leaves out what the server fills in by itself', () => {
    const { rkeConfig, ...spec } = specOf();
    expect(Object.keys(spec)).toEqual(['kubernetesVersion']);
    expect(Object.keys(rkeConfig).sort()).toEqual([
      'etcd',
      'machineGlobalConfig',
      'machineSelectorConfig',
      'upgradeStrategy',
    ]);
  });

  test('writes all props', () => {
    const { app } = customCluster({
      name: 'shop',
      fleetWorkspace: 'fleet-shops',
      clusterId: ClusterId.fixed('c-m-shop0001'),
      description: 'The shop',
      labels: { tier: 'gold' },
      annotations: { 'example.com/owner': 'ana' },
      adopted: { creatorRbac: true },
      agentEnvVars: { NO_PROXY: 'localhost,.svc', HTTPS_PROXY: 'http://proxy.example.com:3128' },
      clusterAgent: { requests: { cpu: '100m' } },
      stackPreference: StackPreference.DUAL,
      authorizedEndpoint: { fqdn: 'api.example.com', caCertificates: CA },
      dataDirectories: {
        k8sDistro: '/data/rke2',
        provisioning: '/data/capr',
        systemAgent: '/data/agent',
      },
      podSecurityTemplate: 'rancher-privileged',
      enableNetworkPolicy: true,
      additionalManifests: [configMapOf('a'), configMapOf('b')],
      operations: {
        rotateCertificates: { generation: 1, services: [CertificateService.KUBELET] },
        rotateEncryptionKeys: 2,
        createSnapshot: 3,
        restoreSnapshot: { generation: 4, name: 'snapshot-1', mode: RestoreMode.ALL },
        provision: 5,
        redeploySystemAgent: 6,
      },
    });
    const {
      metadata,
      spec: { rkeConfig, ...spec },
    } = written(app)['rancher/Cluster/shop'];
    expect(metadata).toEqual({
      name: 'shop',
      namespace: 'fleet-shops',
      labels: { tier: 'gold' },
      annotations: {
        'example.com/owner': 'ana',
        'field.cattle.io/description': 'The shop',
        'provisioning.cattle.io/management-cluster-name': 'c-m-shop0001',
      },
    });
    expect(spec).toEqual({
      agentEnvVars: [
        { name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' },
        { name: 'NO_PROXY', value: 'localhost,.svc' },
      ],
      clusterAgentDeploymentCustomization: {
        overrideResourceRequirements: { requests: { cpu: '100m' } },
      },
      defaultPodSecurityAdmissionConfigurationTemplateName: 'rancher-privileged',
      enableNetworkPolicy: true,
      kubernetesVersion: RKE2,
      localClusterAuthEndpoint: { enabled: true, fqdn: 'api.example.com', caCerts: CA },
      redeploySystemAgentGeneration: 6,
    });
    expect(rkeConfig).toMatchObject({
      additionalManifest:
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n',
      dataDirectories: {
        k8sDistro: '/data/rke2',
        provisioning: '/data/capr',
        systemAgent: '/data/agent',
      },
      etcdSnapshotCreate: { generation: 3 },
      etcdSnapshotRestore: { generation: 4, name: 'snapshot-1', restoreRKEConfig: 'all' },
      networking: { stackPreference: 'dual' },
      provisionGeneration: 5,
      rotateCertificates: { generation: 1, services: ['kubelet'] },
      rotateEncryptionKeys: { generation: 2 },
    });
  });

  test('restores only the data by default', () => {
    expect(
      specOf({ operations: { restoreSnapshot: { generation: 1, name: 'a' } } }).rkeConfig
        .etcdSnapshotRestore,
    ).toEqual({ generation: 1, name: 'a', restoreRKEConfig: 'none' });
  });

  test('an id that Rancher makes is a late value', () => {
    const { app, cluster } = customCluster({ clusterId: ClusterId.late() }, '2.7.5');
    expect(written(app)['rancher/Cluster/shop'].metadata).not.toHaveProperty('annotations');
    expect(cluster.clusterId).toBe('${late:rancher.shop.clusterid}');
    expect(assembly(app).lateValues).toMatchObject([
      { id: 'rancher.shop.clusterid', source: { path: 'status.clusterName' } },
    ]);
  });

  test('apply and people know what its deletion takes along, and who else writes what', () => {
    const { app } = customCluster({ podSecurityTemplate: 'rancher-restricted' });
    app.synth();
    const { deletion, othersWrite } = assembly(app).objects.find(
      ({ id }: { id: string }) => id === CLUSTER,
    );
    expect(deletion).toEqual({
      policy: 'delete',
      reason:
        'Rancher deletes the machines that it created, with their disks; delete its credential, its cloud-config Secret and its namespace on ' +
        'Harvester only after the Cluster is gone, since its deletion needs them',
    });
    expect(othersWrite).toBeUndefined();
    expect(
      kindOf<KindDescription>({ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' })!
        .writtenByOthers,
    ).toEqual(
      expect.arrayContaining([
        'metadata.annotations[provisioning.cattle.io/management-cluster-display-name]',
        'metadata.annotations[field.cattle.io/creatorId]',
        'spec.localClusterAuthEndpoint',
        'spec.rkeConfig.chartValues',
        'spec.rkeConfig.dataDirectories',
        'spec.rkeConfig.machinePoolDefaults',
        'spec.rkeConfig.machineGlobalConfig',
        'spec.rkeConfig.machineSelectorFiles',
      ]),
    );
  });
});

describe('its chart', () => {
  test("is a target of the cluster's name, whose objects wait until the cluster is ready", () => {
    const { app, cluster } = customCluster();
    configMap(cluster.chart, 'settings');
    expect(Object.keys(written(app))).toEqual(expect.arrayContaining(['shop/ConfigMap/settings']));
    expect(assembly(app).targets).toContainEqual(
      expect.objectContaining({
        name: 'shop',
        kind: 'guest',
        version: RKE2,
        properties: { provisioningCluster: 'fleet-default/shop', rancher: 'rancher' },
      }),
    );
    expect(assembly(app).edges).toEqual([
      { from: 'rancher/shop/Chart', to: CLUSTER, type: 'ready' },
    ]);
    expect(assembly(app).groups).toEqual([
      { id: 'rancher/shop/Chart', objects: ['shop//ConfigMap/default/settings'] },
    ]);
    expect(cluster.chart).toBeInstanceOf(GuestChart);
  });

  test('may have another name, for clusters of one name in two workspaces', () => {
    const { app, cluster } = customCluster({ targetName: 'shop-eu' });
    configMap(cluster.chart, 'settings');
    expect(Object.keys(written(app))).toContain('shop-eu/ConfigMap/settings');
  });
});

describe('arguments', () => {
  test('are judged all at once, each with the path of the construct', () => {
    expect(
      refusal({
        name: 'Shop',
        clusterId: ClusterId.fixed('c-abcde'),
        annotations: { 'field.cattle.io/description': 'x' },
        labels: { 'provider.cattle.io': 'harvester' },
        authorizedEndpoint: { caCertificates: CA },
        dataDirectories: { k8sDistro: 'data' },
        additionalManifests: ['kind: ConfigMap', { kind: 'ConfigMap' }],
        operations: { provision: 0, rotateEncryptionKeys: 1.5 },
      }).split('\n'),
    ).toEqual([
      '[rancher/shop] name: must be an RFC 1123 label, other than "local" and IDs of management clusters, got "Shop". Fix: ' +
        'use 2 to 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends, not "local" and not c- with five characters',
      '[rancher/shop] clusterId: cannot have the legacy form, got "c-abcde": Rancher would create a second provisioning Cluster c-abcde from it. Fix: ' +
        'use c-m- and eight characters of a-z and 0-9, e.g. c-m-harvdc01, or another name of at most 63 characters of a-z, 0-9 and hyphens',
      '[rancher/shop] annotations[field.cattle.io/description]: cannot be set, got "x": this construct writes it. Fix: use description',
      '[rancher/shop] labels[provider.cattle.io]: cannot be set, got "harvester": Rancher would treat the guest cluster as a Harvester cluster. Fix: leave it out',
      '[rancher/shop] authorizedEndpoint.fqdn: must be set together with caCertificates (the server: "CACerts defined but FQDN is not defined"). Fix: set fqdn, or remove caCertificates',
      '[rancher/shop] dataDirectories.k8sDistro: must be an absolute path, got "data" (the server: "Distro data directory must be an absolute path"). Fix: ' +
        'use an absolute path without "..", variables and shell characters, outside of the other data directories',
      '[rancher/shop] additionalManifests[0]: must be a Kubernetes object. Fix: pass an object with apiVersion, kind and metadata, not its text',
      '[rancher/shop] additionalManifests[1]: must be a Kubernetes object. Fix: pass an object with apiVersion, kind and metadata, not its text',
      '[rancher/shop] operations.rotateEncryptionKeys: must be a whole number of 1 or more, got 1.5. Fix: use another number for each operation',
      '[rancher/shop] operations.provision: must be a whole number of 1 or more, got 0. Fix: use another number for each operation',
    ]);
  });

  test.each(['local', 'c-abcde', 'a', '-shop', 'a'.repeat(64)])('refuses the name %s', (name) => {
    expect(refusal({ name })).toMatch(
      /^\[rancher\/shop\] name: must be an RFC 1123 label, other than "local" and IDs of management clusters, got /,
    );
  });

  test('a Rancher that lacks a field is named with the one that has it', () => {
    const message = refusal(
      {
        clusterId: ClusterId.late(),
        dataDirectories: { k8sDistro: '/data' },
        stackPreference: StackPreference.IPV4,
        authorizedEndpoint: {},
        podSecurityTemplate: 'rancher-restricted',
        operations: { rotateCertificates: { generation: 1 }, rotateEncryptionKeys: 1 },
        clusterAgent: {},
      },
      '2.6.2',
    );
    expect(
      message
        .split('\n')
        .map((line) =>
          /^\[rancher\/shop\] (\S+): .* needs Rancher ([\d.]+) or later/.exec(line)?.slice(1),
        ),
    ).toEqual([
      ['clusterAgent', '2.7.5'],
      ['dataDirectories', '2.9.0'],
      ['stackPreference', '2.8.0'],
      ['authorizedEndpoint', '2.6.3'],
      ['podSecurityTemplate', '2.7.2'],
      ['operations.rotateCertificates', '2.6.4'],
      ['operations.rotateEncryptionKeys', '2.6.4'],
    ]);
  });

  test("the Harvester must be the same Rancher's, a target of this app, and the namespace on it", () => {
    const { app, rancher, harvester } = platform();
    const other = newHarvester(app, '1.7.2', 'dc2');
    const foreign = platform();
    const kubernetes = Kubernetes.rke2(RKE2);
    expect(
      () =>
        new CustomCluster(rancher, 'a1', {
          kubernetes,
          harvesterImport: foreign.harvester,
          vmNamespace: foreign.namespace,
        }),
    ).toThrow(
      /^\[rancher\/a1\] harvesterImport: must be imported into rancher, the Rancher of the cluster, got "rancher\/import-dc1": it is imported into rancher\. Fix: .*\n\[rancher\/a1\] harvesterImport: must belong to the same app, got "dc1"\. Fix: create both charts in one app$/,
    );
    expect(
      () =>
        new CustomCluster(rancher, 'b1', {
          kubernetes,
          harvesterImport: harvester,
          vmNamespace: { name: 'vms', target: other, node: other.node } as never,
        }),
    ).toThrow(
      '[rancher/b1] vmNamespace: must be a namespace of dc1, where the machines run, got "vms": it is one of dc2. Fix: use a namespace of the same Harvester cluster',
    );
  });

  test('must be literal where names are made from them', () => {
    expect(refusal({ name: '${late:x}' })).toContain(
      '[rancher/shop] name: must be a literal string',
    );
    expect(() => new CustomCluster(newApp(), 'x', { kubernetes: Kubernetes.rke2(RKE2) })).toThrow(
      'CustomCluster must be in a rancher target',
    );
  });
});

test('on a Harvester the cluster waits for its import and namespace, and has its cloud provider by default', () => {
  const { app, rancher, harvester, namespace } = platform();
  const credential = CloudCredential.fromName(rancher, 'Credential', { name: 'cc-abcde' });
  new CustomCluster(rancher, 'shop', {
    kubernetes: Kubernetes.rke2(RKE2),
    harvesterImport: harvester,
    vmNamespace: namespace,
    credential,
    cloudProvider: CloudProvider.none(),
  });
  expect(written(app)['rancher/Cluster/shop'].spec.cloudCredentialSecretName).toBe(
    'cattle-global-data:cc-abcde',
  );
  expect(assembly(app).edges).toEqual(
    expect.arrayContaining([
      {
        from: CLUSTER,
        to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
        type: 'applied',
      },
      { from: CLUSTER, to: 'dc1//Namespace//vms', type: 'applied' },
    ]),
  );
});

test('a list for some machines does not take from them what the cloud provider needs', () => {
  const { rancher, harvester, namespace } = platform();
  const shop = (list: string[]) =>
    new CustomCluster(rancher, `shop-${list.length}`, {
      kubernetes: Kubernetes.k3s(K3S),
      harvesterImport: harvester,
      vmNamespace: namespace,
      machineSelectors: [{ config: { 'kubelet-arg': list } }],
    });
  expect(() => shop(['max-pods=50'])).toThrow(
    '[rancher/shop-1] machineSelectors[0].config[kubelet-arg]: must contain cloud-provider=external, ' +
      'which the cloud provider needs, since it replaces the list for all machines, got ["max-pods=50"]. Fix: add cloud-provider=external to it',
  );
  expect(shop(['max-pods=50', 'cloud-provider=external']).name).toBe('shop-2');
});

test('two clusters of one Rancher have ids of their own', () => {
  const rancher = newRancher(newApp());
  const [a, b] = ['a1', 'b1'].map(
    (name) => new CustomCluster(rancher, name, { kubernetes: Kubernetes.rke2(RKE2) }).clusterId,
  );
  expect(a).not.toBe(b);
});

function configMapOf(name: string): {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
} {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}
