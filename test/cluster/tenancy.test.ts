import * as path from 'node:path';
import { Size } from 'cdk8s';
import { applyAll, complaints, deleteAll } from './apply-all';
import { Client } from './client';
import { ClusterKind, clientOf, describeCluster } from './clusters';
import { newestDefinition } from './definitions';
import { readManifests } from './manifests';
import { untilServed } from './served';
import { isEmpty, lost } from './subset';
import { Manifest, groupOf, objectLabel } from '../../src/core/manifest/manifest';
import { SecretValue } from '../../src/core/value/secret-value';
import {
  AccountRole,
  ServiceAccountKubeconfig,
} from '../../src/harvester/account/service-account-kubeconfig';
import { SnapshotQuota } from '../../src/harvester/backup/backup';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { VirtualMachine } from '../../src/harvester/virtual-machine/virtual-machine';
import {
  ClusterMember,
  ClusterMembers,
  GlobalRoleBinding,
} from '../../src/rancher/members/members';
import { Principal } from '../../src/rancher/members/principal';
import { ProjectMember } from '../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../src/rancher/project/tenant-project';
import {
  ProjectCertificate,
  ProjectRegistryLogin,
  ProjectRegistrySecret,
  ProjectSecret,
} from '../../src/rancher/project-secret/project-secret';
import { Cpu } from '../../src/rancher/quota/cpu';
import { GlobalRole } from '../../src/rancher/role/global-role';
import { RoleTemplate, RoleTemplateContext } from '../../src/rancher/role/role-template';
import {
  ClusterMemberRole,
  ProjectMemberRole,
  GlobalPermission,
} from '../../src/rancher/role/roles';
import { SharedImages, TenantTeam } from '../../src/rancher/team/tenant-team';
import { HashedPassword, LocalUser } from '../../src/rancher/user/user';
import { CERTIFICATE, KEY } from '../core/go/_pem';
import { tenantWorld } from '../support/tenants';

const ZEROS = Buffer.alloc(32).toString('base64');
const START = {
  verbs: ['update'],
  apiGroups: ['subresources.kubevirt.io'],
  resources: ['virtualmachines/start', 'virtualmachines/stop'],
  resourceNames: ['web'],
};

/** A program with every field that tenancy writes. */
function synthesize(): string {
  const { app, rancher, dc1, cluster } = tenantWorld();
  const ana = new LocalUser(rancher, 'u-ana', {
    username: 'ana',
    displayName: 'Ana',
    description: 'on call',
    enabled: true,
    password: HashedPassword.fromText(`pbkdf2sha3512:${ZEROS}:${ZEROS}`),
    permissions: [GlobalPermission.USER],
  });
  new LocalUser(rancher, 'u-ben', { mustChangePassword: true });
  const audit = Principal.group('okta_group://audit', { displayName: 'Audit' });
  const operator = new RoleTemplate(rancher, 'vm-operator', {
    context: RoleTemplateContext.PROJECT,
    displayName: 'Operator',
    description: 'starts and stops',
    rules: [START],
    inherits: [RoleTemplate.fromName(rancher, 'read-only', { name: 'read-only' })],
    locked: false,
    projectCreatorDefault: true,
  });
  new RoleTemplate(rancher, 'metrics', {
    context: RoleTemplateContext.CLUSTER,
    rules: [{ verbs: ['get'], nonResourceUrls: ['/metrics'] }],
    inherits: [operator],
    clusterCreatorDefault: false,
  });
  new RoleTemplate(rancher, 'of-a-chart', {
    context: RoleTemplateContext.CLUSTER,
    external: true,
    externalRules: [START],
  });
  const auditor = new GlobalRole(rancher, 'auditor', {
    description: 'sees all',
    rules: [{ verbs: ['get', 'list'], apiGroups: ['management.cattle.io'], resources: ['*'] }],
    namespacedRules: {
      'cattle-global-data': [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'] }],
    },
    inheritedClusterRoles: [ClusterMemberRole.VIEW_NODES],
    fleetWorkspacePermissions: {
      rules: [{ verbs: ['get'], apiGroups: ['fleet.cattle.io'], resources: ['gitrepos'] }],
      workspaceVerbs: ['get'],
    },
    newUserDefault: false,
  });
  new GlobalRoleBinding(rancher, 'auditors', {
    permission: GlobalPermission.role(auditor),
    principal: audit,
  });
  new GlobalRoleBinding(rancher, 'okta-user', {
    permission: GlobalPermission.USER_BASE,
    principal: Principal.user('okta_user://cleo'),
  });
  new ClusterMembers(rancher, 'members', {
    cluster,
    members: [ClusterMember.member(audit), ClusterMember.owner(Principal.localUser(ana))],
  });
  const payments = new TenantProject(rancher, 'payments', {
    cluster,
    displayName: 'Payments',
    description: 'cards',
    labels: { team: 'cards' },
    annotations: { 'example.com/cost-centre': '42' },
    members: [
      ProjectMember.owner(Principal.localUser(ana)),
      ProjectMember.readOnly(audit),
      ProjectMember.of(audit, ProjectMemberRole.template(operator)),
    ],
    tenantNamespaces: [{ name: 'payments-vms' }],
    quota: {
      limitsCpu: Cpu.units(32),
      limitsMemory: Size.gibibytes(128),
      requestsCpu: Cpu.units(32),
      requestsMemory: Size.gibibytes(128),
      requestsStorage: Size.tebibytes(2),
      pods: 100,
      services: 20,
      servicesLoadBalancers: 5,
      servicesNodePorts: 5,
      replicationControllers: 5,
      secrets: 100,
      configMaps: 100,
      persistentVolumeClaims: 50,
    },
    containerDefaults: {
      requestsCpu: Cpu.millis(100),
      requestsMemory: Size.mebibytes(128),
      limitsCpu: Cpu.millis(500),
      limitsMemory: Size.mebibytes(512),
    },
  });
  const web = VirtualMachine.fromName(dc1, 'web', { name: 'web', namespace: 'payments-vms' });
  new SnapshotQuota(dc1, 'snapshots', {
    namespace: payments.declaredNamespace('payments-vms'),
    total: Size.gibibytes(100),
    virtualMachines: [{ virtualMachine: web, total: Size.gibibytes(20) }],
  });
  const images = new SharedImages(rancher, 'shared-images', { cluster, users: [audit] });
  const byDefault = TenantProject.defaultOf(rancher, 'default', { cluster, name: 'p-x7k2p' });
  byDefault.grant(
    ProjectMember.of(
      audit,
      ProjectMemberRole.template(RoleTemplate.vmCreator(rancher, 'my-vm-creator')),
    ),
  );
  byDefault.addNamespace('default-vms');
  new ServiceAccountKubeconfig(dc1, 'ci', {
    namespace: payments.declaredNamespace('payments-vms'),
    roles: [AccountRole.vmCreator(), AccountRole.nodeDriver()],
  }).grant(
    AccountRole.imageUser(),
    HarvesterNamespace.fromName(dc1, 'public', { name: 'default' }),
  );
  const mirror: ProjectRegistryLogin = {
    registry: 'registry.example.com',
    username: 'ana',
    password: SecretValue.unsafePlainText('generated'),
  };
  new ProjectSecret(rancher, 'database', {
    project: payments,
    description: 'for all',
    data: { password: SecretValue.unsafePlainText('generated') },
  });
  new ProjectRegistrySecret(rancher, 'mirror', { project: payments, logins: [mirror] });
  new ProjectCertificate(rancher, 'wildcard', {
    project: payments,
    certificate: CERTIFICATE,
    privateKey: SecretValue.unsafePlainText(KEY),
  });
  new TenantTeam(rancher, 'shop', {
    cluster,
    creators: [audit],
    viewers: [Principal.group('okta_group://viewers')],
    machines: [{ cpus: 2, memory: Size.gibibytes(4) }],
    teamNetworks: [{ name: 'shop', clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 120 }],
    allowedCidrs: ['10.20.0.0/16', 'fd00::/64'],
    accountRole: AccountRole.vmOperator(),
    images,
  });
  const orders = new TenantProject(rancher, 'orders', {
    cluster,
    quota: { pods: 5, virtualMachines: 3 },
  });
  orders.addNamespace('orders-vms', {
    labels: { team: 'orders' },
    annotations: { note: 'x' },
    containerDefaults: { limitsCpu: Cpu.units(1) },
  });
  app.synth();
  return app.outdir;
}

/**
 * A program with the fields that came after the Rancher whose definitions the test's cluster has.
 */
function synthesizeLater(): Manifest[] {
  const { app, rancher, cluster } = tenantWorld('2.15.0');
  new GlobalRole(rancher, 'auditor', {
    inheritedNamespacedRules: {
      'kube-system': [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }],
    },
  });
  new TenantProject(rancher, 'vision', {
    cluster,
    quota: { pods: 5, virtualMachines: 4, extended: { 'requests.nvidia.com/gpu': '4' } },
    namespaceQuota: { pods: 2, virtualMachines: 2, extended: { 'requests.nvidia.com/gpu': '1' } },
  });
  app.synth();
  return readManifests(path.join(app.outdir, 'rancher')).filter(
    ({ kind }) => kind === 'GlobalRole' || kind === 'Project',
  );
}

/**
 * The group under which the later definitions are served: under their own one the earlier ones are,
 * for all other tests.
 */
const LATER = 'later.example.com';

/** Serves the definition of a kind as the latest source has it. */
async function installLater(client: Client, kind: string): Promise<Manifest> {
  const { spec, ...definition } = newestDefinition(`management.cattle.io/v3/${kind}`);
  const later = {
    ...definition,
    metadata: { name: `${spec.names.plural}.${LATER}` },
    spec: { ...spec, group: LATER },
  };
  expect(complaints({ object: later, answer: await client.apply(later) })).toEqual([]);
  await untilServed(client, later);
  return later;
}

async function lostBy(client: Client, objects: readonly Manifest[]): Promise<string[]> {
  const kept = await Promise.all(
    objects.map(async (object) => {
      const { body } = await client.read(object);
      return lost(object, body, groupOf(object.apiVersion) === '' ? isEmpty : undefined).map(
        (problem) => `${objectLabel(object)}: ${problem}`,
      );
    }),
  );
  return kept.flat();
}

describeCluster('tenancy', () => {
  test.each([
    ['rancher', 'rancher'],
    ['harvester', 'dc1'],
  ] as [ClusterKind, string][])('the %s cluster takes all and keeps all', async (kind, folder) => {
    const client = clientOf(kind);
    const objects = readManifests(path.join(synthesize(), folder));
    const { applied } = await applyAll(client, objects, { createNamespaces: true });
    try {
      expect(applied.flatMap(complaints)).toEqual([]);
      expect(await lostBy(client, objects)).toEqual([]);
      expect(objects.length).toBeGreaterThan(kind === 'rancher' ? 15 : 2);
    } finally {
      await deleteAll(
        client,
        applied.filter(({ answer }) => answer.status === 201).map(({ object }) => object),
      );
    }
  });

  test('a later Rancher takes and keeps rules that are inherited in namespaces, and quotas of other resources', async () => {
    const client = clientOf('rancher');
    const objects = synthesizeLater().map((object) => ({
      ...object,
      apiVersion: object.apiVersion.replace('management.cattle.io', LATER),
    }));
    expect(objects.find(({ kind }) => kind === 'GlobalRole')).toHaveProperty(
      'inheritedNamespacedRules',
    );
    expect(objects.find(({ kind }) => kind === 'Project')).toMatchObject({
      spec: {
        resourceQuota: {
          limit: {
            extended: { 'count/virtualmachines.kubevirt.io': '4', 'requests.nvidia.com/gpu': '4' },
          },
        },
      },
    });
    const definitions = await Promise.all(
      ['GlobalRole', 'Project'].map(async (kind) => installLater(client, kind)),
    );
    try {
      const { applied } = await applyAll(client, objects, { createNamespaces: true });
      expect(applied.flatMap(complaints)).toEqual([]);
      expect(await lostBy(client, objects)).toEqual([]);
    } finally {
      await deleteAll(client, definitions);
    }
  });
});
