import { LATE_OPEN } from '../../../src/core/late/late-token';
import { Manifest } from '../../../src/core/manifest/manifest';
import { RKE1_RULES } from '../../../src/guest/rke1/rke1.rules';
import { DISKS, NETWORKS, secret } from '../../support/guest';
import { Judging, brief, cluster, judgeOn } from '../../support/judging';

const ID = 'c-shop1';
const OLD: Judging = { version: '2.10.3' };

function rke1(name = ID, config: unknown = { kubernetesVersion: 'v1.27.16-rancher1-1' }): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name },
    spec: { displayName: 'shop', rancherKubernetesEngineConfig: config },
  };
}

function template(fields: object = {}, spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodeTemplate',
    metadata: { name: 'nt-shop', namespace: 'cattle-global-nt', ...metadata },
    spec: { driver: 'harvester', cloudCredentialName: 'cattle-global-data:cc-dc1', ...spec },
    harvesterConfig: { cpuCount: '4', diskInfo: DISKS, networkInfo: NETWORKS },
    ...fields,
  };
}

function pool(spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodePool',
    metadata: { name: 'np-all', namespace: ID, ...metadata },
    spec: {
      clusterName: ID,
      nodeTemplateName: 'cattle-global-nt:nt-shop',
      hostnamePrefix: 'shop-all-',
      quantity: 3,
      etcd: true,
      controlPlane: true,
      worker: true,
      ...spec,
    },
  };
}

const found = (manifests: readonly Manifest[], judging: Judging = OLD) =>
  judgeOn(RKE1_RULES, manifests, judging);
const briefly = (manifests: readonly Manifest[], judging: Judging = OLD) =>
  brief(found(manifests, judging)).filter((text) => !text.includes('rke1-deprecated'));

test('a complete RKE1 cluster has one finding: support has ended', () => {
  const [only, ...others] = found([rke1(), template(), pool()]);
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    level: 'warning',
    rule: 'guest/rke1-deprecated',
    path: 'spec.rancherKubernetesEngineConfig',
    message:
      'should not be used: RKE1 reached its end of life on 2025-07-31, and neither Rancher 2.12 nor Harvester 1.6 supports it',
    fix: 'use GuestCluster, a provisioning Cluster with RKE2 or K3s, and move the workloads: there is no upgrade from RKE1',
  });
});

test('other clusters are left alone', () => {
  expect(
    found([cluster('shop', { rkeConfig: {} }), { ...rke1(), spec: { importedConfig: {} } }], {
      version: '2.13.8',
    }),
  ).toEqual([]);
  expect(found([rke1(ID, null)], { version: '2.13.8' })).toEqual([]);
});

describe('on Rancher 2.12 and later', () => {
  const NEW: Judging = { version: '2.12.0' };

  test("clusters and templates are errors, in Rancher's own words, and there is no other finding about them", () => {
    const findings = found(
      [
        rke1('c-m-abcdefgh'),
        template({ harvesterConfig: undefined }),
        pool({ hostnamePrefix: '' }),
        {
          apiVersion: 'management.cattle.io/v3',
          kind: 'ClusterTemplate',
          metadata: { name: 'ct-1', namespace: 'cattle-global-data' },
        },
      ],
      NEW,
    );
    expect(brief(findings)).toEqual([
      'error guest/rke1-removed spec.rancherKubernetesEngineConfig',
      'error guest/rke1-removed',
      'error guest/rke1-removed',
      'warning guest/rke1-removed',
    ]);
    expect(findings[0].message).toBe(
      'an RKE1 cluster needs Rancher before 2.12.0, got 2.12.0, and Rancher does not start while this Cluster exists ' +
        '(the server: "Rancher v2.12+ does not support RKE1")',
    );
    expect(findings[0].fix).toBe(
      'remove it and delete the live object; use GuestCluster, a provisioning Cluster with RKE2 or K3s',
    );
  });

  test('node pools do nothing there', () => {
    expect(found([pool()], NEW)).toEqual([
      expect.objectContaining({
        level: 'warning',
        rule: 'guest/rke1-removed',
        message: expect.stringMatching(
          /^has no effect: an RKE1 cluster needs Rancher before 2\.12\.0, got 2\.12\.0/,
        ),
      }),
    ]);
  });
});

test('a Rancher whose version is not known may be an old one', () => {
  expect(brief(found([rke1(), template(), pool()], {}))).toEqual([
    'warning guest/rke1-deprecated spec.rancherKubernetesEngineConfig',
  ]);
});

test.each(['c-m-abcdefgh', 'shop', 'c-shop12'])(
  'Rancher makes no provisioning Cluster of the id %s',
  (name) => {
    expect(briefly([rke1(name)])).toEqual(['warning guest/rke1-cluster-id metadata.name']);
  },
);

describe('a node template', () => {
  test('needs the fields of its machine next to its spec', () => {
    expect(briefly([template({ harvesterConfig: undefined })])).toEqual([
      'error guest/rke1-node-template harvesterConfig',
    ]);
    const [finding] = found([
      template({ harvesterConfig: undefined }, { harvesterConfig: { cpuCount: '4' } }),
    ]);
    expect(finding).toMatchObject({
      message:
        'must be at the top level: it is below spec (the server: "refreshNodeConfig: node config not specified")',
      fix: 'write the fields of the machine at the top level, next to spec',
    });
  });

  test('has machines that the node driver can make', () => {
    expect(
      briefly([
        template({
          harvesterConfig: {
            diskInfo: '{"disks":[]}',
            networkInfo: '{"interfaces":[{}]}',
            enableSecureBoot: true,
          },
        }),
      ]),
    ).toEqual([
      'error guest/rke1-node-template harvesterConfig.diskInfo',
      'error guest/rke1-node-template harvesterConfig.enableSecureBoot',
      'error guest/rke1-node-template harvesterConfig.networkInfo.interfaces[0].networkName',
    ]);
  });

  test.each([undefined, '', 'cc-dc1', 'cattle-global-data:cc:dc1', 7])(
    'cannot use the credential %p',
    (cloudCredentialName) => {
      expect(briefly([template({}, { cloudCredentialName })])).toEqual([
        'error guest/rke1-node-template spec.cloudCredentialName',
      ]);
    },
  );

  test('finds a credential in every form of its name, and needs none next to a kubeconfig', () => {
    expect(briefly([template({}, { cloudCredentialName: 'fleet-default:cc-dc1' })])).toEqual([
      'warning guest/rke1-node-template spec.cloudCredentialName',
    ]);
    const own = { diskInfo: DISKS, networkInfo: NETWORKS, kubeconfigContent: 'a: b' };
    expect(
      briefly([template({ harvesterConfig: own }, { cloudCredentialName: undefined })]),
    ).toEqual(['warning guest/rke1-plain-secret harvesterConfig.kubeconfigContent']);
  });

  test('is in the namespace in which Rancher keeps it', () => {
    expect(briefly([template({}, {}, { namespace: 'u-x7k2p' })])).toEqual([
      'warning guest/rke1-node-template metadata.namespace',
    ]);
    expect(found([template({}, {}, { namespace: 'u-x7k2p' })])).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('must be cattle-global-nt: ') }),
    );
  });

  test('of another driver is not judged', () => {
    expect(
      briefly([
        template({ harvesterConfig: undefined }, { driver: 'amazonec2', cloudCredentialName: '' }),
      ]),
    ).toEqual([]);
  });

  test('is not deleted under a node pool, nor its credential under it', () => {
    const credential = secret('cc-dc1', 'cattle-global-data', {});
    const gone = found([pool()], { ...OLD, before: [template(), pool()] });
    expect(gone).toEqual([
      expect.objectContaining({
        level: 'error',
        rule: 'guest/rke1-deleted-in-use',
        message: `must not be deleted while NodePool ${ID}/np-all uses it to create and delete machines`,
        fix: 'delete the management Cluster first, and wait until its namespace is gone',
      }),
    ]);
    expect(briefly([template()], { ...OLD, before: [credential, template()] })).toEqual([
      'error guest/rke1-deleted-in-use',
    ]);
    expect(briefly([], { ...OLD, before: [credential, template(), pool()] })).toEqual([]);
    expect(
      briefly([template()], {
        ...OLD,
        before: [secret('other', 'cattle-global-data', {}), template()],
      }),
    ).toEqual([]);
  });
});

describe('a node pool', () => {
  test('names its cluster, its template and its machines', () => {
    expect(
      briefly([
        template(),
        pool({
          clusterName: 'c-other',
          hostnamePrefix: undefined,
          nodeTemplateName: 'nt-shop',
          deleteNotReadyAfterSecs: -1,
        }),
      ]),
    ).toEqual([
      'error guest/rke1-node-pool spec.hostnamePrefix',
      'error guest/rke1-node-pool spec.nodeTemplateName',
      'warning guest/rke1-node-pool spec.clusterName',
      'warning guest/rke1-node-pool spec.deleteNotReadyAfterSecs',
    ]);
  });

  test('names a template that is known, where any is', () => {
    const other = pool({ nodeTemplateName: 'cattle-global-nt:nt-other' });
    expect(briefly([template(), other])).toEqual([
      'warning guest/rke1-node-pool spec.nodeTemplateName',
    ]);
    expect(briefly([other])).toEqual([]);
    expect(briefly([other], { ...OLD, live: [template({}, {}, { name: 'nt-other' })] })).toEqual(
      [],
    );
  });

  test('without a role is one of workers', () => {
    expect(briefly([pool({ etcd: false, controlPlane: null, worker: undefined })])).toEqual([
      'warning guest/rke1-node-pool spec',
    ]);
  });
});

describe('the pools of a cluster', () => {
  const roles = (etcd: boolean, controlPlane: boolean, worker: boolean, quantity = 1) => ({
    etcd,
    controlPlane,
    worker,
    quantity,
  });

  test('have all roles together', () => {
    const [finding] = found([
      rke1(),
      pool(roles(false, true, false)),
      pool(roles(false, false, true, 2), { name: 'np-b' }),
    ]).filter(({ rule }) => rule === 'guest/rke1-roles');
    expect(finding).toMatchObject({
      path: 'spec.rancherKubernetesEngineConfig',
      message:
        'must have a node pool with the role etcd: otherwise the cluster never becomes ready (the server: "waiting for etcd and controlplane nodes to be registered")',
    });
    expect(
      briefly([
        rke1(),
        pool(roles(true, true, false)),
        pool(roles(false, false, true), { name: 'np-b' }),
      ]),
    ).toEqual([]);
  });

  test('have an odd number of machines with etcd', () => {
    expect(briefly([rke1(), pool({ quantity: 2 })])).toEqual([
      'warning guest/rke1-roles spec.rancherKubernetesEngineConfig',
    ]);
  });

  test('of another cluster are ignored, and a cluster without any is accepted', () => {
    expect(
      briefly([rke1(), pool(roles(true, true, true, 2), { namespace: 'c-other' })]).filter((text) =>
        text.includes('rke1-roles'),
      ),
    ).toEqual([]);
    expect(briefly([rke1()])).toEqual([]);
  });
});

describe('what lets others in', () => {
  const config = {
    cloudProvider: {
      name: 'harvester',
      harvesterCloudProvider: { cloudConfig: 'token: t0ps3cret' },
    },
    privateRegistries: [{ url: 'a', password: 't0ps3cret' }, { url: 'b' }, null],
  };

  test('is reported in plain text, without its value', () => {
    const findings = found([
      rke1(ID, config),
      template({
        harvesterConfig: { diskInfo: DISKS, networkInfo: NETWORKS, sshPassword: 't0ps3cret' },
      }),
    ]);
    expect(brief(findings).filter((text) => text.includes('plain'))).toEqual([
      'warning guest/rke1-plain-secret spec.rancherKubernetesEngineConfig.cloudProvider.harvesterCloudProvider.cloudConfig',
      'warning guest/rke1-plain-secret spec.rancherKubernetesEngineConfig.privateRegistries[0].password',
      'warning guest/rke1-plain-secret harvesterConfig.sshPassword',
    ]);
    expect(JSON.stringify(findings)).not.toContain('t0ps3cret');
  });

  test('is not judged if it is a late value', () => {
    const late = { cloudProvider: { harvesterCloudProvider: { cloudConfig: `${LATE_OPEN}x` } } };
    expect(briefly([rke1(ID, late)])).toEqual([]);
  });
});
