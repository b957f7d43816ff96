import { JsonPatch } from 'cdk8s';
import { adopted, foundHarvester, foundRancher } from './_found';
import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { importsNamed } from '../../src/adopt/read/imports';
import { TargetKind } from '../../src/core/construct/target';
import { Manifest } from '../../src/core/manifest/manifest';
import { collect } from '../../src/core/synthesis/collect';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { Principal } from '../../src/rancher/members/principal';
import { ProjectMember } from '../../src/rancher/project/tenant-namespace';
import { TenantTeam, TenantTeamProps } from '../../src/rancher/team/tenant-team';
import { tenantWorld } from '../support/tenants';

const V3 = 'management.cattle.io/v3';
const ID = 'c-m-abcd1234';

const project = (name: string, more: object = {}): Manifest => ({
  apiVersion: V3,
  kind: 'Project',
  metadata: { name, namespace: ID },
  spec: { clusterName: ID, displayName: name },
  ...more,
});

const member = (name: string, namespace: string, role: string, user: string): Manifest => ({
  apiVersion: V3,
  kind: 'ProjectRoleTemplateBinding',
  metadata: { name, namespace },
  projectName: `${ID}:p-shop1`,
  roleTemplateName: role,
  userPrincipalName: `local://${user}`,
});

/** What a team makes, as it is on the clusters. */
function teamFound(props: Partial<TenantTeamProps>, change: (team: TenantTeam) => void = () => {}) {
  const { app, rancher, dc1, cluster } = tenantWorld();
  change(
    new TenantTeam(rancher, 'payments', {
      cluster,
      owners: [Principal.user('local://u-ana')],
      teamNetworks: [{ name: 'payments', clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 110 }],
      ...props,
    }),
  );
  const { objects } = collect(app);
  const on = (kind: TargetKind): Manifest[] =>
    objects
      .filter(({ target }) => target.targetKind === kind)
      .map(({ manifest }) => JSON.parse(JSON.stringify(manifest)) as Manifest);
  return adopted([
    foundRancher('2.13.8', on(TargetKind.RANCHER)),
    foundHarvester('dc1', '1.7.2', on(TargetKind.HARVESTER)),
  ]);
}

describe('a project whose namespaces have the NetworkPolicies of a team', () => {
  test('comes back as a team, with its members by role and the networks that may connect', () => {
    const { text, differences, errors, notes } = teamFound({
      tenantNamespaces: [{ name: 'pay' }, { name: 'pay-test', labels: { stage: 'test' } }],
      creators: [Principal.user('local://u-ben')],
      viewers: [Principal.group('okta_group://audit')],
      allowedCidrs: ['10.20.0.0/16'],
    });
    expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
    expect(text).toContain('// tenants/payments.ts');
    expect(text).toContain("new TenantTeam(rancher, 'payments'");
    expect(text).toContain("allowedCidrs: ['10.20.0.0/16']");
    expect(text).toContain("owners: [Principal.user('local://u-ana')]");
    expect(text).toContain("creators: [Principal.user('local://u-ben')]");
    expect(text).not.toContain('new TenantProject(');
  });

  test('grants the roles that a team has no prop for, by its project', () => {
    const { text, differences, notes } = teamFound({}, ({ project: own }) =>
      own.grant(ProjectMember.readOnly(Principal.user('local://u-cy'))),
    );
    expect({ differences, notes }).toEqual({ differences: [], notes: [] });
    expect(text).toContain("const payments = new TenantTeam(rancher, 'payments'");
    expect(text).toContain(
      "payments.project.grant(ProjectMember.readOnly(Principal.user('local://u-cy')));",
    );
  });

  test('remains a project where it has what no prop of a team expresses', () => {
    const { text, differences } = teamFound({}, ({ project: own }) =>
      own.apiObject.addJsonPatch(JsonPatch.add('/spec/description', 'x')),
    );
    expect(differences).toEqual([]);
    expect(text).toContain("new TenantProject(rancher, 'payments'");
    expect(text).toContain("kind: 'NetworkPolicy'");
  });
});

describe('members of a project in a namespace of the form p-…', () => {
  test('are members of the project, which names that namespace', () => {
    const { text, notes } = adopted([
      foundRancher('2.13.8', [
        project('p-shop1'),
        member('prtb-1', 'p-shop1', 'project-owner', 'u-ana'),
      ]),
    ]);
    expect(notes).toEqual([]);
    expect(text).toContain("adopted: { backingNamespace: 'p-shop1'");
    expect(text).toContain("bindingName: 'prtb-1'");
  });

  test('are declared as they are, with the reason, where Rancher keeps the others elsewhere', () => {
    const { text, notes } = adopted([
      foundRancher('2.13.8', [
        project('p-shop1', { status: { backingNamespace: `${ID}-p-shop1` } }),
        member('prtb-1', `${ID}-p-shop1`, 'project-owner', 'u-ana'),
        member('prtb-2', 'p-shop1', 'project-member', 'u-ben'),
        member('prtb-3', `${ID}-p-shop1`, 'project-owner', 'u-ana'),
      ]),
    ]);
    expect(text).toContain("bindingName: 'prtb-1'");
    expect(notes.map(({ object, message }) => `${object} ${message}`)).toEqual([
      'ProjectRoleTemplateBinding p-shop1/prtb-2 is declared as an ApiObject: ' +
        `is in namespace p-shop1, and other members of its project are in ${ID}-p-shop1, where the program writes them`,
      `ProjectRoleTemplateBinding ${ID}-p-shop1/prtb-3 is declared as an ApiObject: ` +
        'gives the same role to the same member as prtb-1',
    ]);
  });

  test('are calls on a reference where the project was not read', () => {
    const { text, notes, leftOut } = adopted([
      foundRancher('2.13.8', [member('prtb-1', 'p-shop1', 'project-owner', 'u-ana')]),
    ]);
    expect({ notes, leftOut }).toEqual({ notes: [], leftOut: [] });
    expect(text).toContain('TenantProject.fromName(');
    expect(text).toContain("bindingName: 'prtb-1'");
  });
});

describe('the import of a Harvester', () => {
  const shown = (name: string, displayName: string): Manifest => ({
    apiVersion: V3,
    kind: 'Cluster',
    metadata: { name },
    spec: { displayName },
  });
  const imported: Manifest = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'prod',
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
    },
    spec: {},
    status: { clusterName: ID },
  };

  test.each([
    ['its name', 'prod', [ID]],
    ['its ID', ID, [ID]],
    ['its display name', 'Data center 1', [ID]],
    ['a display name that two clusters have', 'Twin', ['c-aaaaa', 'c-bbbbb']],
    ['a name of nothing', 'none', []],
  ])('is found by %s', (_, name, ids) => {
    const clusters = [
      foundRancher('2.13.8', [
        imported,
        shown(ID, 'Data center 1'),
        shown('c-aaaaa', 'Twin'),
        shown('c-bbbbb', 'Twin'),
      ]),
    ];
    expect(importsNamed(clusters, name)).toEqual(ids);
  });

  test('by its display name makes its projects tenants of that Harvester', () => {
    const dc9 = { ...foundHarvester('dc9', '1.7.2', []), importedAs: 'Data center 1' };
    const { files } = adoptPlatform({
      clusters: [
        foundRancher('2.13.8', [imported, shown(ID, 'Data center 1'), project('p-shop1')]),
        dc9,
      ],
    });
    expect([...files.values()].join('\n')).toMatch(/harvester: dc9\b/);
  });
});
