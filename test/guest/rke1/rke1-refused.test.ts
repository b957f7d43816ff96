import { Duration, Size } from 'cdk8s';
import { RKE1, VERSIONS, refused, rke1 } from './_rke1';
import { SecretValue } from '../../../src/core/value/secret-value';
import { HarvesterLoadBalancer } from '../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { MachineOs } from '../../../src/guest/machine-pool/machine-pool';
import { Rke1Cluster } from '../../../src/guest/rke1/rke1-cluster';
import { Rke1CloudProvider } from '../../../src/guest/rke1/rke1-cluster-props';
import { VmAffinity } from '../../../src/harvester/affinity/vm-affinity';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { assemblyOf as assembly, written } from '../../support/written';
import { platform, poolsOn } from '../cluster/_clusters';

/** The paths that an error names. */
function paths(message: string): string[] {
  return message.split('\n').map((line) => /^\[[^\]]*\] ([^ ]*?):? /.exec(line)![1]);
}

describe('an RKE1 cluster', () => {
  test('is for old versions only, and names them', () => {
    expect(refused({}, {}, { rancher: '2.12.0', harvester: '1.6.0' }).split('\n')).toEqual([
      '[rancher/shop] an RKE1 cluster needs Rancher before 2.12.0, got 2.12.0. Fix: use GuestCluster with RKE2 or K3s',
      '[rancher/shop] harvesterImport: an RKE1 guest cluster needs Harvester before 1.6.0, got 1.6.0. Fix: use GuestCluster with RKE2 or K3s',
    ]);
  });

  test('refuses invalid names, versions and keys', () => {
    const message = refused({
      name: 'Shop',
      clusterId: ClusterId.fixed('c-m-abcdefgh'),
      kubernetesVersion: 'v1.27.16+rke2r1',
      fleetWorkspace: 'A',
      config: { network: {} },
      annotations: { 'field.cattle.io/creatorId': 'u-1' },
      labels: { 'provider.cattle.io': 'harvester' },
    });
    expect(paths(message)).toEqual([
      'kubernetesVersion',
      'name',
      'clusterId',
      'fleetWorkspace',
      'annotations[field.cattle.io/creatorId]',
      'labels[provider.cattle.io]',
      'config[network]',
    ]);
    expect(message).toContain('clusterId: must be c- and five of a-z and 0-9, got "c-m-abcdefgh"');
    expect(refused({ clusterId: ClusterId.late() })).toContain('clusterId: must be c- and five');
    expect(message).toContain(
      'kubernetesVersion: must be a release of RKE1, got "v1.27.16+rke2r1". Fix: use one that Rancher offers, e.g. v1.27.16-rancher1-1',
    );
  });

  test('refuses settings that RKE1 would stumble over', () => {
    expect(
      paths(
        refused({
          network: { mtu: -1, serviceCidr: '10.51.0.0/16' },
          services: {
            etcd: {
              backup: {
                interval: Duration.minutes(90),
                retention: 0,
                timeout: Duration.millis(1500),
              },
            },
          },
          upgradeStrategy: { maxUnavailableWorker: '0', drain: { timeout: Duration.seconds(0) } },
          additionalManifests: ['text'],
          authorizedEndpoint: { caCertificates: 'none' },
        }),
      ),
    ).toEqual([
      'network.mtu',
      'network.clusterDns',
      'services.etcd.backup.interval',
      'services.etcd.backup.retention',
      'services.etcd.backup.timeout',
      'upgradeStrategy.drain.timeout',
      'upgradeStrategy.maxUnavailableWorker',
      'additionalManifests[0]',
      'authorizedEndpoint.caCertificates',
      'authorizedEndpoint.fqdn',
    ]);
  });

  test('refuses what only Cluster API carries out', () => {
    const message = refused(
      {},
      {
        quantity: undefined,
        autoscaling: { min: 1, max: 3 },
        maxUnhealthy: '1',
        rollingUpdate: { maxSurge: '1' },
        hostnameLengthLimit: 40,
        sshUser: undefined,
        unhealthyNodeTimeout: Duration.days(366),
        machineOs: MachineOs.WINDOWS,
      },
    );
    expect(paths(message)).toEqual([
      'pools[all].autoscaling',
      'pools[all].maxUnhealthy',
      'pools[all].rollingUpdate',
      'pools[all].hostnameLengthLimit',
      'pools[all].machineOs',
      'pools[all].sshUser',
      'pools[all].unhealthyNodeTimeout',
    ]);
    expect(message).toContain(
      'pools[all].sshUser: must be set: Rancher installs Docker with SSH, and root cannot log in to most cloud images. Fix: ' +
        'use the user of the image, e.g. ubuntu',
    );
  });

  test('refuses affinity by pool, whose labels machines of RKE1 do not have', () => {
    expect(paths(refused({}, { affinity: VmAffinity.spreadOverZones() }))).toEqual([
      'pools[all].affinity',
    ]);
  });

  test('refuses what GuestCluster refuses of its pools', () => {
    expect(refused({}, { cpus: 0, memory: Size.gibibytes(8) })).toContain(
      '[rancher/shop] pools[all].cpus',
    );
    expect(refused({ pools: [] })).toContain('[rancher/shop] pools: must have at least one pool');
  });

  test('refuses credentials that it would not find', () => {
    const all = platform(VERSIONS);
    const { rancher, harvester, namespace, dc1 } = all;
    const credential = CloudCredential.fromName(rancher, 'bare', {
      name: 'cc-own',
      namespace: 'fleet-default',
    });
    expect(
      () =>
        new Rke1Cluster(rancher, 'shop', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          kubernetesVersion: RKE1,
          pools: poolsOn(dc1, { sshUser: 'ubuntu' }),
          credential,
        }),
    ).toThrow(
      '[rancher/shop] credential: must be a Secret in cattle-global-data, the only namespace that RKE1 reads, got "cc-own" (the server: "invalid credential id cc-own"). Fix: ' +
        'use a credential with the name cattle-global-data:<name>',
    );
  });

  test('refuses a Harvester or a credential of another Rancher', () => {
    const { app, rancher, harvester, namespace, pools } = rke1();
    const other = new RancherChart(app, 'other', {
      version: '2.10.3',
      serverUrl: 'https://other.example.com',
    });
    const credential = CloudCredential.fromName(other, 'cc', { name: 'cc-own' });
    expect(
      () =>
        new Rke1Cluster(other, 'shop', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          kubernetesVersion: RKE1,
          pools,
          credential,
        }),
    ).toThrow(
      '[other/shop] harvesterImport: must be imported into other, the Rancher of the cluster, got "rancher/import-dc1": it is imported into rancher. Fix: ' +
        'create the cluster in the chart of the Rancher that the Harvester cluster is imported into',
    );
    expect(
      () =>
        new Rke1Cluster(rancher, 'store', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          kubernetesVersion: RKE1,
          pools,
          credential,
        }),
    ).toThrow(
      '[rancher/store] credential: must be a credential of rancher, the Rancher of the cluster, got "other/cc": it is one of other. Fix: create it in the chart of the cluster\'s Rancher',
    );
  });

  test('reports what is wrong with a kubeconfig, without its text', () => {
    const message = refused({
      cloudProvider: Rke1CloudProvider.harvesterFromKubeconfig(
        SecretValue.unsafePlainText('t0ps3cret'),
      ),
    });
    expect(message).toMatch(/^\[rancher\/shop\] cloudProvider: /);
    expect(message).not.toContain('t0ps3cret');
  });
});

describe('objects in an RKE1 cluster', () => {
  test('may be a load balancer, whose pool is not judged by the id of the cluster', () => {
    const { app, cluster, dc1 } = rke1({ cloudProvider: Rke1CloudProvider.none() });
    new IpPool(dc1, 'lbs', {
      ranges: [{ subnet: '10.0.0.0/24' }],
      scopes: [IpPoolScope.guestCluster(cluster)],
    });
    new HarvesterLoadBalancer(cluster.chart, 'web', {
      ipam: Ipam.pool(),
      ports: [{ port: 443 }],
      selector: { app: 'web' },
    });
    expect(written(app)['shop/Service/web'].spec.type).toBe('LoadBalancer');
    const rules = assembly(app).findings.map(({ rule }: { rule: string }) => rule);
    expect(rules).toContain('guest/rke1-deprecated');
    expect(rules.filter((rule: string) => rule.startsWith('load-balancer/'))).toEqual([]);
  });
});
