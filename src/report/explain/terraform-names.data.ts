/**
 * The constructs for what Terraform's providers manage and read, by the names of resources and data sources. A data source has the name of a resource, except for
 * `rancher2_principal`: the constructs refer to what exists by `fromName`.
 *
 * @see rancher/terraform-provider-rancher2:docs; harvester/terraform-provider-harvester:docs
 */
export const TERRAFORM_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['rancher2_auth_config_activedirectory', ['LdapAuthConfig']],
  ['rancher2_auth_config_adfs', ['SamlAuthConfig']],
  ['rancher2_auth_config_azuread', ['AzureAdAuthConfig']],
  ['rancher2_auth_config_cognito', ['OidcAuthConfig']],
  ['rancher2_auth_config_freeipa', ['LdapAuthConfig']],
  ['rancher2_auth_config_generic_oidc', ['OidcAuthConfig']],
  ['rancher2_auth_config_github', ['GithubAuthConfig']],
  ['rancher2_auth_config_githubapp', ['GithubAuthConfig']],
  ['rancher2_auth_config_keycloak', ['SamlAuthConfig']],
  ['rancher2_auth_config_keycloak_oidc', ['OidcAuthConfig']],
  ['rancher2_auth_config_okta', ['SamlAuthConfig']],
  ['rancher2_auth_config_openldap', ['LdapAuthConfig']],
  ['rancher2_auth_config_ping', ['SamlAuthConfig']],
  ['rancher2_catalog_v2', ['ClusterRepo']],
  ['rancher2_certificate', ['ProjectCertificate']],
  ['rancher2_cloud_credential', ['CloudCredential', 'S3Credential']],
  ['rancher2_cluster', ['HarvesterImport', 'ImportedCluster', 'Rke1Cluster']],
  ['rancher2_cluster_role_template_binding', ['ClusterMembers']],
  ['rancher2_cluster_v2', ['GuestCluster', 'CustomCluster']],
  ['rancher2_etcd_backup', ['EtcdBackup']],
  ['rancher2_feature', ['RancherFeature']],
  ['rancher2_global_role', ['GlobalRole']],
  ['rancher2_global_role_binding', ['GlobalRoleBinding']],
  ['rancher2_machine_config_v2', ['MachinePool']],
  ['rancher2_namespace', ['TenantProject', 'RancherNamespace', 'GuestNamespace']],
  ['rancher2_node_pool', ['Rke1Cluster']],
  ['rancher2_node_template', ['Rke1Cluster']],
  ['rancher2_principal', ['Principal']],
  ['rancher2_project', ['TenantProject']],
  ['rancher2_project_role_template_binding', ['TenantProject']],
  ['rancher2_registry', ['ProjectRegistrySecret']],
  ['rancher2_role_template', ['RoleTemplate']],
  ['rancher2_secret', ['ProjectSecret']],
  ['rancher2_setting', ['RancherSetting']],
  ['rancher2_storage_class_v2', ['GuestStorageClass', 'HarvesterStorageClass']],
  ['rancher2_user', ['LocalUser']],
  ['harvester_cloudinit_secret', ['CloudInitSecret']],
  ['harvester_clusternetwork', ['ClusterNetwork']],
  ['harvester_image', ['VmImage']],
  ['harvester_ippool', ['IpPool']],
  ['harvester_loadbalancer', ['VmLoadBalancer']],
  ['harvester_network', ['VmNetwork']],
  ['harvester_pcidevice', ['PciDeviceClaim']],
  ['harvester_schedule_backup', ['ScheduleVmBackup']],
  ['harvester_setting', ['HarvesterSetting', 'AdditionalCa']],
  ['harvester_ssh_key', ['KeyPair']],
  ['harvester_storageclass', ['HarvesterStorageClass']],
  ['harvester_virtualmachine', ['VirtualMachine']],
  ['harvester_vlanconfig', ['VlanConfig']],
  ['harvester_volume', ['HarvesterVolume']],
]);

type Advice = readonly [why: string, fix: string];

const DECLARE = 'declare the object as a KubernetesObject in the chart of its target';
const READ = 'read a field of it with LateSource';
const FIRST_LOGIN: Advice = ['it is the first login to a new server, which is not an object', 'log in once, then use apply'];
const TOKEN: Advice = ['Rancher creates a token at the request of its user, not from a manifest', 'create it in Rancher; TokenLifetime limits how long it is valid'];
const RKE1: Advice = ['it is for RKE1, which Rancher 2.12 and later do not support', 'use GuestCluster or CustomCluster'];

/** Names of Terraform's providers without a construct: why, and what to do. */
export const WITHOUT_CONSTRUCT: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['rancher2_app_v2', ['Rancher installs a chart of a ClusterRepo only by an action of its API', 'use HelmChartAddon, or Addon for a chart on Harvester']],
  ['rancher2_bootstrap', FIRST_LOGIN],
  ['rancher2_cluster_driver', ['it is a driver of hosted clusters, and the constructs are for clusters on Harvester', `${DECLARE}, or ${READ}`]],
  ['rancher2_cluster_proxy_config_v2', ['no construct writes a ClusterProxyConfig', `${DECLARE}, or ${READ}`]],
  ['rancher2_cluster_sync', ['apply waits until a cluster is ready before it writes what depends on it', 'declare another wait with Ordering and OrderingType.READY']],
  ['rancher2_cluster_template', RKE1],
  ['rancher2_config_map_v2', ['a ConfigMap needs no construct of this package', `${DECLARE}, or use the ConfigMap of cdk8s-plus; ${READ}`]],
  ['rancher2_custom_user_token', TOKEN],
  ['rancher2_node_driver', ['Rancher creates the node driver of Harvester itself', `${DECLARE} for any other node driver`]],
  ['rancher2_oidc_client', ['no construct writes an OIDCClient', DECLARE]],
  ['rancher2_pod_security_admission_configuration_template', [
    'no construct writes a PodSecurityAdmissionConfigurationTemplate', `${DECLARE}; a GuestCluster or CustomCluster names it in podSecurityTemplate`,
  ]],
  ['rancher2_secret_v2', ['a Secret needs no construct of this package', `${DECLARE}, or use the Secret of cdk8s-plus, with SecretValue for its contents; ${READ}`]],
  ['rancher2_token', TOKEN],
  ['harvester_bootstrap', FIRST_LOGIN],
  ['harvester_sriov_network_device', ['no construct writes an SRIOVNetworkDevice', DECLARE]],
]);

/** Arguments that Terraform gives to every resource. @see https://developer.hashicorp.com/terraform/language/meta-arguments */
export const META_ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['count', 'A loop of the program.'],
  ['for_each', 'A loop of the program.'],
  ['depends_on', 'Follows from references between objects. Ordering declares others.'],
  ['provider', 'The chart that the construct is in: a HarvesterChart, a RancherChart, or the chart of a guest cluster.'],
  [
    'lifecycle', 'Objects that hold machines or data are kept without prevent_destroy. '
      + 'No other program writes a field that the program does not set, so ignore_changes is to leave out a prop.',
  ],
  ['timeouts', 'Out of scope: apply waits for what other objects need, for at most --timeout seconds.'],
  ['provisioner', 'Out of scope: cloudInit runs commands in a machine.'],
  ['connection', 'Out of scope: cloudInit runs commands in a machine.'],
]);

/** Resources of other providers in the same stacks, by their names. */
export const OTHER_PROVIDERS: readonly { readonly names: RegExp; readonly shown: string; readonly what: string; readonly fix: string }[] = [
  {
    names: /^kubernetes_namespace(?:_v1)?$/,
    shown: 'kubernetes_namespace',
    what: 'for a namespace',
    fix: 'use namespaces of a TenantProject, or HarvesterNamespace, RancherNamespace, GuestNamespace',
  },
  {
    names: /^kubernetes_secret(?:_v1)?$/,
    shown: 'kubernetes_secret',
    what: 'for a Secret',
    fix: 'use CloudInitSecret for user data, ProjectSecret for all namespaces of a project, else an ApiObject with SecretValue',
  },
  {
    names: /^(?:kubernetes|kubectl)_/,
    shown: 'kubernetes_manifest, kubectl_manifest',
    what: 'for any object',
    fix: 'use the construct for its kind, which explain prints for the name of the kind; without one, an ApiObject',
  },
  { names: /^helm_release$/, shown: 'helm_release', what: 'for a chart', fix: 'use HelmChartAddon in the chart of a guest cluster or of Rancher, and Addon on Harvester' },
  {
    names: /^http$|^(?:tls|random|cloudinit|template|external|local|null|time)_/,
    shown: 'tls_private_key, random_password, local_file, http, null_resource, time_sleep',
    what: 'for values and actions of the program that runs Terraform',
    fix: 'use code of the program, SecretValue.fromEnv or SecretValue.fromFile for secrets, and a late value for what a live object has',
  },
];

/** What the names of both providers begin with. */
export const TERRAFORM_NAME = /^(?:rancher2|harvester)_[a-z0-9_]+$/;
