import { readFileSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { HarvesterCloudProviderOptions } from '../../../src/guest/cloud-provider/bundled-provider';
import {
  CHART_FAULTS,
  curesOf,
  withoutKnownFault,
  GuestChartVersion,
} from '../../../src/guest/cloud-provider/chart-faults.data';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { GUEST_CLUSTER_RULES } from '../../../src/guest/cluster/cluster.rules';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { cloudConfig, credential, guest, machineConfig, pool, told } from '../../support/guest';
import { brief } from '../../support/judging';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';

const CHART = 'harvester-cloud-provider';
const KUBE_VIP = { 'kube-vip': { image: { tag: 'v0.9.2' } } };
const ONE_NODE = {
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
};

function clusterOf(
  kubernetes: Kubernetes,
  pools: Array<Partial<MachinePool>> = [{}],
  options?: HarvesterCloudProviderOptions,
) {
  const app = newApp();
  const rancher = newRancher(app, '2.12.3');
  const dc1 = newHarvester(app, '1.6.0');
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  new GuestCluster(rancher, 'shop', {
    harvesterImport: new HarvesterImport(rancher, 'import', { harvester: dc1 }),
    vmNamespace: new HarvesterNamespace(dc1, 'vms'),
    kubernetes,
    cloudProvider: CloudProvider.harvester(options),
    pools: pools.map((fields, index) => ({
      name: `p${index}`,
      quantity: 1,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(image, Size.gibibytes(40))],
      networks: [network],
      ...fields,
    })),
  });
  app.synth();
  const rke = (rendered(app)['rancher/Cluster/shop'] as any).spec.rkeConfig;
  return {
    app,
    rke,
    values: rke.chartValues?.[CHART],
    rules: app.findings
      .map(({ rule }) => rule)
      .filter((rule) => /chart-fault|additional-manifest/.test(rule)),
  };
}

describe('a guest cluster', () => {
  test('has a kube-vip that announces addresses, with the chart that lacks one', () => {
    const { values, rules } = clusterOf(Kubernetes.rke2('v1.33.5+rke2r1'));
    expect(values).toMatchObject(KUBE_VIP);
    expect(values.affinity).toBeUndefined();
    expect(rules).toEqual([]);
  });

  test('has no cure for a chart without the fault', () => {
    expect(clusterOf(Kubernetes.rke2('v1.33.6+rke2r1')).values).toEqual({
      cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
      global: { cattle: { clusterName: 'shop' } },
    });
  });

  test('keeps what the program sets', () => {
    expect(
      clusterOf(Kubernetes.rke2('v1.33.5+rke2r1'), [{}], {
        values: { 'kube-vip': { image: { tag: 'v0.9.0' } } },
      }).values['kube-vip'],
    ).toEqual({ image: { tag: 'v0.9.0' } });
    expect(
      clusterOf(Kubernetes.rke2('v1.33.5+rke2r1'), [{}], {
        kubeVip: { networkInterface: 'enp1s0' },
      }).values['kube-vip'],
    ).toEqual({ env: { vip_interface: 'enp1s0' }, image: { tag: 'v0.9.2' } });
  });

  test('of one machine lets the pods of an old chart replace each other', () => {
    const old = Kubernetes.rke2('v1.28.11+rke2r1');
    expect(clusterOf(old).values).toMatchObject(ONE_NODE);
    for (const pools of [[{ quantity: 3 }], [{}, { roles: MachineRoles.WORKER }]]) {
      expect(clusterOf(old, pools).values.affinity).toBeUndefined();
    }
    expect(clusterOf(Kubernetes.rke2('v1.28.14+rke2r1')).values.affinity).toBeUndefined();
  });

  test('with dedicated control plane machines runs kube-vip there', () => {
    const old = Kubernetes.rke2('v1.26.6+rke2r1');
    const { values, rules } = clusterOf(old, [
      { quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD },
      { roles: MachineRoles.WORKER },
    ]);
    expect(values['kube-vip'].tolerations.map(({ key }: { key: string }) => key)).toEqual([
      'node-role.kubernetes.io/control-plane',
      'node-role.kubernetes.io/etcd',
    ]);
    expect(rules).toEqual([]);
    expect(clusterOf(old, [{ quantity: 3 }]).values['kube-vip']).toBeUndefined();
  });

  test('on K3s gets a chart without the fault, or the cure for the chart that the program names', () => {
    const manifests = (options?: HarvesterCloudProviderOptions): string =>
      clusterOf(Kubernetes.k3s('v1.32.9+k3s1'), [{}], options).rke.additionalManifest;
    expect(manifests()).toContain('version: 0.2.11');
    expect(manifests()).not.toContain('v0.9.2');
    expect(manifests({ chartVersion: '107.0.1+up0.2.10' })).toContain('tag: v0.9.2');
  });
});

describe('a manifest of others', () => {
  const one = (kubernetesVersion: string, values: object = {}, pools = [pool()]) =>
    told([
      machineConfig(),
      cloudConfig(),
      credential(),
      guest(
        {
          chartValues: {
            [CHART]: {
              cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
              global: { cattle: { clusterName: 'shop' } },
              ...values,
            },
          },
          machinePools: pools,
        },
        { kubernetesVersion },
      ),
    ]).filter((finding) => finding.includes('chart-fault'));

  test('is reported with a fault that its values do not cure', () => {
    expect(one('v1.33.5+rke2r1')).toEqual([
      expect.stringContaining(
        'warning cluster/bundled-chart-fault spec.rkeConfig.chartValues.harvester-cloud-provider: must cure a known fault of chart ' +
          'harvester-cloud-provider 0.2.10: its kube-vip v0.8.7 does not announce addresses of load balancers reliably, which are then unreachable (harvester/docs#909)',
      ),
    ]);
    expect(one('v1.33.5+rke2r1', KUBE_VIP)).toEqual([]);
    expect(one('v1.33.5+rke2r1', { 'kube-vip': { enabled: false } })).toEqual([]);
    expect(one('v1.33.5+rke2r1', { 'kube-vip': { enabled: true } })).toHaveLength(1);
    expect(one('v1.33.6+rke2r1')).toEqual([]);
    expect(one('v1.99.0+rke2r1')).toEqual([]);
  });

  test('is reported only for the machines that are affected', () => {
    const oneNode = [expect.stringContaining('on one node, its upgrade stalls')];
    expect(one('v1.28.11+rke2r1', {}, [pool({ quantity: 1 })])).toEqual(oneNode);
    expect(one('v1.28.11+rke2r1', ONE_NODE, [pool({ quantity: 1 })])).toEqual([]);
    expect(one('v1.28.11+rke2r1')).toEqual([]);
    expect(one('v1.28.11+rke2r1', {}, [pool({ quantity: 1, autoscalingMaxSize: 3 })])).toEqual([]);
    expect(
      one('v1.26.6+rke2r1', {}, [
        pool({ workerRole: false }),
        pool({ name: 'w', etcdRole: false, controlPlaneRole: false }),
      ]),
    ).toEqual([expect.stringContaining('dedicated control plane')]);
    expect(one('v1.26.6+rke2r1')).toEqual([]);
  });

  test('for the guest itself is reported, as HelmChart and HelmChartConfig', () => {
    const values = JSON.stringify({
      cloudConfigPath: '/etc/kubernetes/cloud-config',
      global: { cattle: { clusterName: 'shop' } },
    });
    const chart = (version: string) => ({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: CHART, namespace: 'kube-system' },
      spec: { chart: CHART, version, valuesContent: values },
    });
    const config = (content: object, name = CHART) => ({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChartConfig',
      metadata: { name, namespace: 'kube-system' },
      spec: { valuesContent: JSON.stringify(content) },
    });
    const onGuest = (kubernetesVersion: string, manifest: Manifest) =>
      brief(
        judge(
          GUEST_CLUSTER_RULES,
          new World([{ manifest, target: { name: 'shop', kind: 'guest', kubernetesVersion } }]),
        ),
      );
    expect(onGuest('v1.33.6+k3s1', chart('0.2.10'))).toEqual([
      'warning helm-chart/harvester spec.valuesContent',
    ]);
    expect(onGuest('v1.33.6+k3s1', chart('0.2.11'))).toEqual([]);
    expect(onGuest('v1.33.5+rke2r1', config({}))).toEqual([
      'warning helm-chart-config/chart-fault spec.valuesContent',
    ]);
    for (const cured of [config(KUBE_VIP), config({}, 'rke2-canal')]) {
      expect(onGuest('v1.33.5+rke2r1', cured)).toEqual([]);
    }
    expect(onGuest('v1.33.6+rke2r1', config({}))).toEqual([]);
  });
});

describe('the table', () => {
  test('has ranges that rise, and ids that differ', () => {
    for (const { id, since, until } of CHART_FAULTS) {
      expect([id, GuestChartVersion.parse(until).isAtLeast(since), since === until]).toEqual([
        id,
        true,
        false,
      ]);
    }
    expect(new Set(CHART_FAULTS.map(({ id }) => id)).size).toBe(CHART_FAULTS.length);
  });

  test('cures each fault by a value that decides about it, in every version of the range and in no other', () => {
    const cures = (version: string) =>
      curesOf(GuestChartVersion.parse(version), { single: true, dedicated: true });
    expect(
      ['0.1.9', '0.1.10', '0.2.0', '0.2.2', '0.2.3', '0.2.6', '0.2.9', '0.2.10', '0.2.11'].map(
        (version) => cures(version).length,
      ),
    ).toEqual([0, 1, 1, 2, 1, 0, 0, 1, 0]);
  });

  test('is in the docs', () => {
    const page = readFileSync(join(__dirname, '../../../docs/versions/chart-faults.md'), 'utf8');
    for (const { id, since, until } of CHART_FAULTS) {
      expect(page).toMatch(new RegExp(`\\| \`${id}\` \\| ${since} \\| ${until} \\|`));
    }
  });

  test('names a version to install instead', () => {
    expect(['0.2.9', '0.2.10', '0.2.11'].map(withoutKnownFault)).toEqual([
      '0.2.9',
      '0.2.11',
      '0.2.11',
    ]);
  });
});
