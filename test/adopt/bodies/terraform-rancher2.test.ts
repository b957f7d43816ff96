import { Manifest } from '../../../src/core/manifest/manifest';
import { adopted, foundHarvester, foundRancher } from '../_found';

const V3 = 'management.cattle.io/v3';
const ID = 'c-m-abcd1234';

/** What Rancher's API adds to what it creates for someone. */
const NORMAN = { 'cattle.io/creator': 'norman' };
const CREATOR = { 'field.cattle.io/creatorId': 'user-adm1n' };
/** What the provider has for `labels` of a resource. */
const LABELS = { team: 'shop' };

function made(kind: string, metadata: object, fields: object): Manifest {
  const { labels, ...more } = metadata as { readonly labels?: object };
  return {
    apiVersion: V3,
    kind,
    metadata: { labels: { ...NORMAN, ...LABELS, ...labels }, annotations: CREATOR, ...more },
    ...fields,
  } as unknown as Manifest;
}

/** The Harvester whose projects the resources are in. */
const IMPORT: readonly Manifest[] = [
  {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'dc1',
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
    },
    spec: { agentEnvVars: [], localClusterAuthEndpoint: {} },
    status: { clusterName: ID },
  },
];

const PROJECT = made(
  'Project',
  { name: 'p-7bnx5', namespace: ID },
  {
    spec: {
      clusterName: ID,
      displayName: 'shop',
      description: '',
      containerDefaultResourceLimit: {
        limitsCpu: '20m',
        limitsMemory: '20Mi',
        requestsCpu: '1m',
        requestsMemory: '1Mi',
      },
      resourceQuota: {
        limit: { limitsCpu: '2000m', limitsMemory: '2000Mi', requestsStorage: '2Gi' },
        usedLimit: {},
      },
      namespaceDefaultResourceQuota: {
        limit: { limitsCpu: '2000m', limitsMemory: '500Mi', requestsStorage: '1Gi' },
      },
    },
    status: { backingNamespace: `${ID}-p-7bnx5` },
  },
);

/**
 * Resources of the provider that constructs can declare, as objects of Rancher.
 * @see rancher/terraform-provider-rancher2:rancher2 (structure_*.go, expand…)
 */
const RANCHER: readonly (readonly [resource: string, objects: readonly Manifest[]])[] = [
  ['rancher2_project', [PROJECT]],
  [
    'rancher2_project_role_template_binding',
    [
      PROJECT,
      made(
        'ProjectRoleTemplateBinding',
        { name: 'prtb-k2x9d', namespace: `${ID}-p-7bnx5` },
        {
          projectName: `${ID}:p-7bnx5`,
          roleTemplateName: 'project-member',
          groupPrincipalName: 'okta_group://shop',
          groupName: '',
          userName: '',
          userPrincipalName: '',
        },
      ),
    ],
  ],
  [
    'rancher2_cluster_role_template_binding',
    [
      made(
        'ClusterRoleTemplateBinding',
        { name: 'crtb-9xk2d', namespace: ID },
        {
          clusterName: ID,
          roleTemplateName: 'cluster-member',
          userPrincipalName: 'okta_user://ana',
          userName: 'u-4kx2d',
          groupName: '',
          groupPrincipalName: '',
        },
      ),
    ],
  ],
  [
    'rancher2_user and rancher2_global_role_binding',
    [
      made(
        'User',
        { name: 'u-b2xk9' },
        {
          username: 'ben',
          displayName: 'Ben',
          enabled: true,
          mustChangePassword: false,
          principalIds: ['local://u-b2xk9'],
        },
      ),
      made(
        'GlobalRoleBinding',
        { name: 'grb-7xk2d' },
        { globalRoleName: 'user-base', userName: 'u-b2xk9', groupPrincipalName: '' },
      ),
    ],
  ],
  [
    'rancher2_global_role',
    [
      made(
        'GlobalRole',
        { name: 'gr-4xk2d' },
        {
          displayName: 'Readers',
          description: '',
          newUserDefault: false,
          rules: [{ apiGroups: ['*'], resources: ['secrets'], verbs: ['get'] }],
          inheritedClusterRoles: ['cluster-member'],
        },
      ),
    ],
  ],
  [
    'rancher2_role_template',
    [
      made(
        'RoleTemplate',
        { name: 'rt-4xk2d' },
        {
          displayName: 'Readers',
          context: 'cluster',
          administrative: false,
          builtin: false,
          clusterCreatorDefault: true,
          description: 'Terraform role template acceptance test',
          external: false,
          hidden: false,
          locked: false,
          projectCreatorDefault: false,
          rules: [{ apiGroups: ['*'], resources: ['secrets'], verbs: ['get'] }],
        },
      ),
    ],
  ],
  [
    'rancher2_setting',
    [
      made(
        'Setting',
        { name: 'kubeconfig-default-token-ttl-minutes' },
        { value: '720', default: '43200', customized: true, source: '' },
      ),
    ],
  ],
  [
    'rancher2_feature',
    [
      made(
        'Feature',
        { name: 'harvester-baremetal-container-workload' },
        { spec: { value: true }, status: { default: false, dynamic: true, lockedValue: null } },
      ),
    ],
  ],
  [
    'rancher2_catalog_v2',
    [
      {
        apiVersion: 'catalog.cattle.io/v1',
        kind: 'ClusterRepo',
        metadata: { name: 'shop-charts', labels: LABELS },
        spec: {
          enabled: true,
          url: 'https://charts.shop.example.com',
          exponentialBackOffValues: {},
          forceUpdate: null,
        },
      } as Manifest,
    ],
  ],
  [
    'rancher2_auth_config_okta',
    [
      {
        apiVersion: V3,
        kind: 'AuthConfig',
        metadata: { name: 'okta', labels: LABELS },
        type: 'oktaConfig',
        enabled: true,
        accessMode: 'unrestricted',
        displayNameField: 'displayName',
        groupsField: 'groups',
        uidField: 'userName',
        userNameField: 'userName',
        idpMetadataContent:
          '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="shop"><IDPSSODescriptor/></EntityDescriptor>',
        rancherApiHost: 'https://rancher.example.com',
        spCert: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
        spKey: 'cattle-global-data:oktaconfig-spkey',
      } as unknown as Manifest,
    ],
  ],
  [
    'rancher2_auth_config_github',
    [
      {
        apiVersion: V3,
        kind: 'AuthConfig',
        metadata: { name: 'github', labels: LABELS },
        type: 'githubConfig',
        enabled: true,
        accessMode: 'restricted',
        allowedPrincipalIds: ['github_org://4242'],
        clientId: 'Iv1.0123456789abcdef',
        clientSecret: 'cattle-global-data:githubconfig-clientsecret',
        hostname: 'github.com',
        tls: true,
      } as unknown as Manifest,
    ],
  ],
];

test.each(RANCHER)('adopts what %s makes without a patch', (_, objects) => {
  const { differences, errors, notes, clusters } = adopted([
    foundRancher('2.15.0', [...IMPORT, ...objects]),
    foundHarvester('dc1', '1.8.2', []),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  const [{ found, leftOut }] = clusters;
  expect(found - leftOut).toBe(IMPORT.length + objects.length);
});

test('adopts what rancher2_namespace makes of a Harvester without a patch', () => {
  const { differences, errors, notes, text } = adopted([
    foundRancher('2.15.0', [...IMPORT, PROJECT]),
    foundHarvester('dc1', '1.8.2', [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'shop-vms',
          labels: { ...LABELS, 'field.cattle.io/projectId': 'p-7bnx5' },
          annotations: {
            ...CREATOR,
            'field.cattle.io/description': 'Of the shop',
            'field.cattle.io/projectId': `${ID}:p-7bnx5`,
            'field.cattle.io/containerDefaultResourceLimit':
              '{"limitsCpu":"20m","limitsMemory":"20Mi","requestsCpu":"1m","requestsMemory":"1Mi"}',
            'field.cattle.io/resourceQuota':
              '{"limit":{"limitsCpu":"100m","limitsMemory":"100Mi","requestsStorage":"1Gi"}}',
          },
        },
      } as Manifest,
    ]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toMatch(/name: 'shop-vms',[^]*?quota: \{ limitsCpu: Cpu\.millis\(100\)/);
});
