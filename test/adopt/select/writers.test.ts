import { clusterOf, expectReasons, live } from './_live';
import { adoptPlatform } from '../../../src/adopt/project/run-adopt';
import { TargetKind } from '../../../src/core/construct/target';

const by = (...managers: readonly string[]) => ({
  managedFields: managers.map((text) => {
    const [manager, subresource] = text.split('/');
    return { manager, operation: 'Update', ...(subresource ? { subresource } : {}) };
  }),
});

test('leaves out what only controllers wrote', () => {
  expectReasons(TargetKind.RANCHER, [
    [
      live('v1', 'ConfigMap', 'default/state', by('kube-controller-manager')),
      'is written only by kube-controller-manager',
    ],
    [
      live('v1', 'ConfigMap', 'default/roles', by('rancher-v2.15.0-mgmt-auth-gr-controller')),
      'is written only by rancher-v2.15.0-mgmt-auth-gr-controller',
    ],
    [live('v1', 'ConfigMap', 'default/own', by('kubectl-create', 'kube-controller-manager'))],
    [live('v1', 'ConfigMap', 'default/terraform', by('HashiCorp'))],
    // a status is that of controllers on every object
    [live('v1', 'ConfigMap', 'default/judged', by('kubectl', 'rancher/status'))],
  ]);
});

describe('roles and bindings of Kubernetes that Rancher makes', () => {
  const RBAC = 'rbac.authorization.k8s.io/v1';
  const MADE = 'Rancher creates it from its roles and bindings';
  const marked = (key: string, value: string) => ({ labels: { [key]: value } });

  test('are left out by their labels, also where a program applied them', () => {
    expectReasons(TargetKind.RANCHER, [
      [live(RBAC, 'Role', 'p-1/admin', marked('cattle.io/creator', 'norman')), MADE],
      [
        live(RBAC, 'RoleBinding', 'c-1/rb-1', marked('c-1-p-1_prtb-1', 'membership-binding-owner')),
        MADE,
      ],
      [
        live(
          RBAC,
          'RoleBinding',
          'c-1/rb-2',
          marked('authz.cluster.cattle.io/rtb-owner-updated', 'x'),
        ),
        MADE,
      ],
      [
        live(RBAC, 'RoleBinding', 'c-1/rb-3', {
          ...marked('c-1_crtb-1', 'crtb-in-project-binding-owner'),
          managedFields: [{ manager: 'cdk8s-harvester', operation: 'Apply' }],
        }),
        MADE,
      ],
      [live(RBAC, 'RoleBinding', 'default/own', { labels: { team: 'web' } })],
    ]);
  });
});

describe('an object that only a product wrote', () => {
  const role = live('rbac.authorization.k8s.io/v1', 'Role', 'default/viewer', by('rancher'));
  const project = live('fleet.cattle.io/v1alpha1', 'GitRepo', 'fleet-default/web', {
    ...by('rancher'),
    spec: { repo: 'https://git.example.com/web.git' },
  });
  const cluster = {
    ...clusterOf(TargetKind.RANCHER, [role, project]),
    version: '2.15.0',
    serverUrl: 'https://rancher.example.com',
  };
  const id = 'rancher/rbac.authorization.k8s.io/Role/default/viewer';

  test('is listed by its ID where the product creates such objects too', () => {
    const { unclear, clusters } = adoptPlatform({ clusters: [cluster] });
    expect(unclear).toEqual([
      {
        target: 'rancher',
        reason: 'Rancher wrote it, for itself or for someone in its UI',
        objects: [id],
      },
    ]);
    expect(clusters).toMatchObject([{ apiObjects: 1, leftOut: 1 }]);
  });

  test('is adopted where `include` names it', () => {
    const { unclear, clusters } = adoptPlatform({ clusters: [cluster], include: [id] });
    expect(unclear).toEqual([]);
    expect(clusters).toMatchObject([{ apiObjects: 2, leftOut: 0 }]);
  });

  test('refuses an ID that is not unclear', () => {
    expect(() =>
      adoptPlatform({ clusters: [cluster], include: ['rancher/fleet.cattle.io/GitRepo/a/b'] }),
    ).toThrow('--include rancher/fleet.cattle.io/GitRepo/a/b: is not the ID of an object');
  });
});
