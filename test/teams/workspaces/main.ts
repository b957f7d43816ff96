import { ApiObject } from 'cdk8s';
import {
  Delivery,
  GlobalPermission,
  GlobalRole,
  GlobalRoleBinding,
  GuestChart,
  HarvesterApp,
  ImportedCluster,
  Principal,
  ProjectMember,
  ProjectMemberRole,
  RancherChart,
  RoleTemplate,
  RoleTemplateContext,
  SecretDelivery,
  SecretValue,
  TenantProject,
} from 'cdk8s-harvester';
import { AuthAccess, GithubAuthConfig } from 'cdk8s-harvester/auth';

/** Each customer has a project on the shared cluster, and delivers to it from its own workspace. */
const CUSTOMERS = [
  { name: 'bakery', user: '4001', namespaces: ['shop', 'tills'] },
  { name: 'florist', user: '4002', namespaces: ['shop'] },
];

const app = new HarvesterApp({
  idSalt: 'salt-of-the-workspaces',
  delivery: Delivery.flux({ sourceName: 'platform' }),
  secrets: SecretDelivery.sops({
    recipients: ['age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg'],
  }),
});
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});
const shared = new GuestChart(app, 'shared', { version: 'v1.35.2+rke2r1', rancher });
const cluster = ImportedCluster.fromClusterId(rancher, 'shared-cluster', {
  clusterId: 'c-m-shared01',
  clusterTarget: shared,
});

new GithubAuthConfig(rancher, 'github', {
  clientId: 'Iv1.4711471147114711',
  clientSecret: SecretValue.fromEnv('GITHUB_SECRET'),
  access: AuthAccess.REQUIRED,
  allowedPrincipals: [Principal.githubOrganization(4711)],
});
const customerRole = new RoleTemplate(rancher, 'customer', {
  context: RoleTemplateContext.PROJECT,
  displayName: 'Customer',
  inherits: [RoleTemplate.fromName(rancher, 'read-only', { name: 'read-only' })],
  rules: [
    { apiGroups: [''], resources: ['persistentvolumeclaims', 'secrets'], verbs: ['*'] },
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['*'] },
  ],
});

for (const { name, user, namespaces } of CUSTOMERS) {
  const customer = Principal.user(`github_user://${user}`);
  const workspace = `fleet-${name}`;
  const allowed = namespaces.map((each) => `${name}-${each}`);
  new TenantProject(rancher, name, {
    cluster,
    tenantNamespaces: allowed.map((each) => ({ name: each })),
    members: [ProjectMember.of(customer, ProjectMemberRole.template(customerRole))],
  });
  new ApiObject(rancher, `${name}-workspace`, {
    apiVersion: 'management.cattle.io/v3',
    kind: 'FleetWorkspace',
    metadata: { name: workspace },
  });
  const fleetRole = new GlobalRole(rancher, `${name}-fleet`, {
    name: workspace,
    rules: [
      {
        apiGroups: ['management.cattle.io'],
        resources: ['fleetworkspaces'],
        resourceNames: [workspace],
        verbs: ['get'],
      },
    ],
    namespacedRules: {
      [workspace]: [
        { apiGroups: ['fleet.cattle.io'], resources: ['gitrepos', 'bundles'], verbs: ['*'] },
      ],
    },
  });
  new GlobalRoleBinding(rancher, `${name}-login`, {
    permission: GlobalPermission.USER_BASE,
    principal: customer,
  });
  new GlobalRoleBinding(rancher, `${name}-delivers`, {
    permission: GlobalPermission.role(fleetRole),
    principal: customer,
  });
  const restriction = {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'GitRepoRestriction',
    metadata: { name: 'namespaces', namespace: workspace },
    allowedTargetNamespaces: allowed,
  };
  new ApiObject(rancher, `${name}-restriction`, restriction);
  const mapping = {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'BundleNamespaceMapping',
    metadata: { name: 'shared', namespace: workspace },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'fleet-default' } },
    bundleSelector: { matchLabels: { customer: name } },
  };
  new ApiObject(rancher, `${name}-mapping`, mapping);
}

app.synth();
