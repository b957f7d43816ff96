import { explain } from '../../../src/report/explain/explain';
import { ConstructBook, TypeDocs } from '../../../src/report/explain/explain-construct';
import {
  TERRAFORM_NAME,
  TERRAFORM_NAMES,
  WITHOUT_CONSTRUCT,
} from '../../../src/report/explain/terraform-names.data';
import { PUBLIC_NAMES } from '../../support/public-names';

const type = (name: string): TypeDocs['types'][string] => ({
  name,
  fqn: `p.${name}`,
  kind: 'class',
  docs: { summary: `It is ${name}.` },
});
const DOCS: TypeDocs = {
  types: { 'p.GuestCluster': type('GuestCluster'), 'p.CustomCluster': type('CustomCluster') },
  pages: {
    GuestCluster: 'docs/reference/guest-cluster.md',
    CustomCluster: 'docs/reference/custom-cluster.md',
  },
};

test.each(['rancher2_cluster_v2', 'Rancher2_Cluster_V2', 'data.rancher2_cluster_v2'])(
  'explains the constructs for %s of Terraform',
  (topic) => {
    expect(explain(topic, new ConstructBook(DOCS)).map(({ name }) => name)).toEqual([
      'GuestCluster',
      'CustomCluster',
    ]);
  },
);

test.each([
  [
    'rancher2_oidc_client',
    'no construct writes an OIDCClient. Fix: declare the object as a KubernetesObject',
  ],
  [
    'data.rancher2_cluster_proxy_config_v2',
    'no construct writes a ClusterProxyConfig. Fix: declare .*, or read a field of it with LateSource',
  ],
  [
    'Rancher2_Nothing',
    'no construct of this package has this name in Terraform. Fix: use a construct that API.md lists',
  ],
])('reports why no construct is for %s', (topic, message) => {
  expect(() => explain(topic, new ConstructBook(DOCS))).toThrow(
    new RegExp(`^${topic}: ${message}`),
  );
});

/**
 * Resources and data sources.
 * @see rancher/terraform-provider-rancher2:rancher2/provider.go, v15.0.0-rc.16
 */
const RANCHER2 = [
  'app_v2',
  'auth_config_activedirectory',
  'auth_config_adfs',
  'auth_config_azuread',
  'auth_config_cognito',
  'auth_config_freeipa',
  'auth_config_generic_oidc',
  'auth_config_github',
  'auth_config_githubapp',
  'auth_config_keycloak',
  'auth_config_keycloak_oidc',
  'auth_config_okta',
  'auth_config_openldap',
  'auth_config_ping',
  'bootstrap',
  'catalog_v2',
  'certificate',
  'cloud_credential',
  'cluster',
  'cluster_driver',
  'cluster_proxy_config_v2',
  'cluster_role_template_binding',
  'cluster_sync',
  'cluster_v2',
  'config_map_v2',
  'custom_user_token',
  'feature',
  'global_role',
  'global_role_binding',
  'machine_config_v2',
  'namespace',
  'node_driver',
  'oidc_client',
  'pod_security_admission_configuration_template',
  'principal',
  'project',
  'project_role_template_binding',
  'registry',
  'role_template',
  'secret',
  'secret_v2',
  'setting',
  'storage_class_v2',
  'token',
  'user',
];

/**
 * Resources and data sources.
 * @see harvester/terraform-provider-harvester:internal/provider/provider.go, v1.9.0-rc3
 */
const HARVESTER = [
  'bootstrap',
  'cloudinit_secret',
  'clusternetwork',
  'image',
  'ippool',
  'loadbalancer',
  'network',
  'pcidevice',
  'schedule_backup',
  'setting',
  'sriov_network_device',
  'ssh_key',
  'storageclass',
  'virtualmachine',
  'vlanconfig',
  'volume',
];

test('knows every resource and data source of both providers', () => {
  const names = [
    ...RANCHER2.map((name) => `rancher2_${name}`),
    ...HARVESTER.map((name) => `harvester_${name}`),
  ];
  expect(names.filter((name) => TERRAFORM_NAMES.has(name) === WITHOUT_CONSTRUCT.has(name))).toEqual(
    [],
  );
  expect(
    [...WITHOUT_CONSTRUCT.keys()].filter(
      (name) => !names.includes(name) && name !== 'rancher2_cluster_template',
    ),
  ).toEqual([]);
});

test('leads to constructs of the library only', () => {
  const constructs = [...TERRAFORM_NAMES.values()].flat();
  expect(constructs.length).toBeGreaterThan(20);
  expect(constructs.filter((name) => !(name in PUBLIC_NAMES))).toEqual([]);
  expect([...TERRAFORM_NAMES.keys()].filter((name) => !TERRAFORM_NAME.test(name))).toEqual([]);
});
