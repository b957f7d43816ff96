import { FeatureGate, GateId } from '../../../src/core/version/feature-gate';
import { FeatureGates, allGates } from '../../../src/core/version/feature-gates';
import { ProductVersion } from '../../../src/core/version/product-version';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import { Rke2Gate } from '../../../src/guest/kubernetes/rke2.data';
import {
  GuestGate,
  KUBERNETES_PRODUCT,
  NODE_DRIVER_PRODUCT,
} from '../../../src/guest/version/guest-gates.data';
import {
  HarvesterGate,
  HARVESTER_PRODUCT,
  HarvesterVersion,
} from '../../../src/harvester/version/harvester-version';
import { SupportMatrix } from '../../../src/rancher/support-matrix/support-matrix.facts';
import {
  RancherGate,
  RANCHER_PRODUCT,
  RancherVersion,
} from '../../../src/rancher/version/rancher-version';
import { NodeDriverVersion } from '../../support/node-drivers';

const PARSE: Record<string, (text: string) => ProductVersion> = {
  [RANCHER_PRODUCT.id]: RancherVersion.parse,
  [HARVESTER_PRODUCT.id]: HarvesterVersion.parse,
  [NODE_DRIVER_PRODUCT.id]: NodeDriverVersion.parse,
  [KUBERNETES_PRODUCT.id]: KubernetesVersion.parse,
};

const IDS: readonly string[] = [RancherGate, HarvesterGate, GuestGate, Rke2Gate].flatMap((gates) =>
  Object.values(gates),
);

/**
 * The versions just before each first version: of the same line if there is one, else of the line
 * before.
 */
function justBefore(first: string): string | undefined {
  const [, major, minor, patch, build, release] = /^(\d+)\.(\d+)\.(\d+)(?:(\+rke2r)(\d+))?$/.exec(
    first,
  )!;
  if (build && Number(release) > 1) {
    return `${major}.${minor}.${patch}${build}${Number(release) - 1}`;
  }
  const suffix = build ? '+rke2r9' : '';
  if (Number(patch) > 0) {
    return `${major}.${minor}.${Number(patch) - 1}${suffix}`;
  }
  return `${major}.${minor}.0-rc1${build ? '+rke2r1' : ''}`;
}

describe('the table', () => {
  test('every id has one row, and ids are in kebab case', () => {
    const ids = allGates().map((gate) => gate.id);
    expect([...ids].sort()).toEqual([...IDS].sort());
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test('every row has a description and a source', () => {
    for (const gate of allGates()) {
      expect(gate.source.length).toBeGreaterThan(8);
      expect(gate.what).toMatch(/^\S.*\S$/);
      expect(gate.what).not.toMatch(/\.$/);
    }
  });

  test.each(allGates().map(({ id }): [string, FeatureGate] => [id, FeatureGates.of(id)]))(
    '%s begins and ends with its versions',
    (_id, gate) => {
      const parse = PARSE[gate.product.id];
      for (const first of gate.since.versions) {
        expect([first, gate.supports(parse(first))]).toEqual([first, true]);
        const before = justBefore(first);
        expect([before, gate.supports(parse(before!))]).toEqual([before, false]);
      }
      for (const gone of gate.until?.versions ?? []) {
        expect([gone, gate.supports(parse(gone))]).toEqual([gone, false]);
        expect(gate.supports(parse(justBefore(gone)!))).toBe(true);
      }
    },
  );
});

describe('the facts', () => {
  test.each([
    [RancherGate.MANAGEMENT_CLUSTER_NAME, '2.7.18', '2.8.0'],
    [RancherGate.REGISTRATION_TOKEN_SECRET, '2.13.7', '2.13.8'],
    [RancherGate.REGISTRATION_TOKEN_SECRET, '2.14.3', '2.14.4'],
    [RancherGate.REGISTRATION_TOKEN_TTL, '2.12.12', '2.15.0'],
    [RancherGate.REGISTRATION_TOKEN_ROTATION, '2.14.4', '2.15.0'],
    [RancherGate.NO_CREATOR_RBAC, '2.9.12', '2.10.0'],
    [RancherGate.IMPORTED_SPEC_CREATE_ONLY, '2.10.12', '2.11.0'],
    [RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION, '2.7.4', '2.7.5'],
    [RancherGate.PROJECT_BACKING_NAMESPACE, '2.11.0', '2.10.5'],
    [RancherGate.PROJECT_BACKING_NAMESPACE, '2.9.8', '2.9.9'],
    [RancherGate.DRY_RUN_CLUSTER_CREATION, '2.15.0', '2.15.1'],
    [RancherGate.DRY_RUN_CLUSTER_CREATION, '2.13.9', '2.14.5'],
    [RancherGate.REGISTRATION_TOKEN_LIFETIME_CHECKED, '2.13.8', '2.13.9'],
    [RancherGate.REGISTRATION_TOKEN_LIFETIME_CHECKED, '2.12.13', '2.14.5'],
    [GuestGate.VM_EFI, '2.8.2', '2.7.11'],
    [GuestGate.VM_CPU_MODEL, '2.13.8', '2.14.0'],
    [GuestGate.RKE1, '2.12.0', '2.11.16'],
  ])('%s: not in Rancher %s, in %s', (id, without, having) => {
    expect(FeatureGates.of(id).supports(RancherVersion.parse(without))).toBe(false);
    expect(FeatureGates.of(id).supports(RancherVersion.parse(having))).toBe(true);
  });

  test.each([
    ['1.7.1', false],
    ['1.7.2', true],
    ['1.8.0-rc1', false],
    ['1.8.0', true],
  ])('JSON registration URL in Harvester %s: %s', (version, has) => {
    expect(
      FeatureGates.of(HarvesterGate.REGISTRATION_URL_JSON).supports(
        HarvesterVersion.parse(version),
      ),
    ).toBe(has);
  });

  test('rows of Kubernetes agree with the table of bundled charts', () => {
    const chartFrom =
      (kind: 'cloudProvider' | 'csi', least: number) => (version: KubernetesVersion) => {
        const chart = SupportMatrix.bundledCharts(version)?.[kind];
        return (
          chart !== undefined &&
          Number(chart.split('.')[1]) * 1e6 + Number(chart.split('.')[2]) >= least
        );
      };
    const checks: [GateId, (version: KubernetesVersion) => boolean][] = [
      [Rke2Gate.RKE2_BUNDLED_CHARTS, chartFrom('cloudProvider', 0)],
      [Rke2Gate.RKE2_CLOUD_PROVIDER_V0_2, chartFrom('cloudProvider', 2e6)],
      [Rke2Gate.RKE2_CLOUD_CONFIG_PATH, chartFrom('cloudProvider', 2e6 + 1000)],
      [Rke2Gate.RKE2_CLOUD_PROVIDER_DUAL_STACK, chartFrom('cloudProvider', 2e6 + 1200)],
      [Rke2Gate.RKE2_LOCAL_TRAFFIC_POLICY, chartFrom('cloudProvider', 2e6 + 1200)],
      [Rke2Gate.RKE2_LOAD_BALANCER_NETWORK, chartFrom('cloudProvider', 2e6 + 1400)],
      [Rke2Gate.RKE2_CSI_HOST_STORAGE_CLASS, chartFrom('csi', 1e6 + 2000)],
      [Rke2Gate.RKE2_CSI_ONLINE_RESIZE, chartFrom('csi', 1e6 + 2400)],
      [Rke2Gate.RKE2_CSI_SNAPSHOTS, chartFrom('csi', 1e6 + 2500)],
      [Rke2Gate.RKE2_CSI_BACKUPS, chartFrom('csi', 1e6 + 2800)],
    ];
    for (const [id, expected] of checks) {
      for (let minor = 21; minor <= 36; minor++) {
        for (let patch = 0; patch <= 18; patch++) {
          for (const release of [1, 2]) {
            const version = KubernetesVersion.parse(`v1.${minor}.${patch}+rke2r${release}`);
            // RKE2 before the first bundled release of a line has no charts in our table; 1.23 to
            // 1.36 begin with them.
            if (SupportMatrix.bundledCharts(version) || minor < 23) {
              expect([id, version.toString(), FeatureGates.of(id).supports(version)]).toEqual([
                id,
                version.toString(),
                expected(version),
              ]);
            }
          }
        }
      }
    }
  });

  test('knows that K3s lacks what RKE2 bundles', () => {
    expect(
      FeatureGates.of(Rke2Gate.RKE2_BUNDLED_CHARTS).supports(
        KubernetesVersion.parse('v1.34.4+k3s1'),
      ),
    ).toBe(false);
    expect(
      FeatureGates.of(Rke2Gate.RKE2_BUNDLED_CHARTS).supports(KubernetesVersion.parse('1.34.4')),
    ).toBe(false);
  });
});

describe('error texts', () => {
  const gate = FeatureGates.of(RancherGate.REGISTRATION_TOKEN_SECRET);

  test('name feature and versions', () => {
    expect(gate._lack(RancherVersion.parse('2.12.3'))).toBe(
      'a registration token in a Secret crt-token-<name> needs Rancher 2.13.8, 2.14.4, 2.15.0 or later, got 2.12.3',
    );
    expect(gate._lack(RancherVersion.parse('2.13.8'))).toBeUndefined();
  });

  test('of what is gone', () => {
    expect(FeatureGates.of(GuestGate.RKE1)._lack(RancherVersion.parse('2.13.8'))).toBe(
      'an RKE1 cluster needs Rancher before 2.12.0, got 2.13.8',
    );
  });

  test('in words', () => {
    expect(gate.toString()).toBe(
      'a registration token in a Secret crt-token-<name> (Rancher 2.13.8, 2.14.4, 2.15.0 or later)',
    );
  });

  test('a version of another product is refused', () => {
    expect(() => gate.supports(HarvesterVersion.parse('1.7.2'))).toThrow(
      new Error('registration-token-secret: must be a version of Rancher, got Harvester 1.7.2'),
    );
  });

  test('an unknown id is refused', () => {
    expect(() => FeatureGates.of('nonsense' as GateId)).toThrow(
      new Error(
        'feature gate: must be an ID of GateId, got "nonsense". Fix: use an ID such as management-cluster-name',
      ),
    );
  });
});
