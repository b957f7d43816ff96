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
  ['rancher2_storage_class_v2', ['GuestStorageClass', 'HostStorageClass']],
  ['rancher2_user', ['User']],
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
  ['harvester_storageclass', ['HostStorageClass']],
  ['harvester_virtualmachine', ['VirtualMachine']],
  ['harvester_vlanconfig', ['VlanConfig']],
  ['harvester_volume', ['Volume']],
]);

type Advice = readonly [why: string, fix: string];

const DECLARE = 'declare the object as an ApiObject below the chart of its target';
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
  ['rancher2_cluster_sync', ['apply waits until a cluster is ready before it writes what depends on it', 'declare another wait with Edges and EdgeType.READY']],
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

/** What the names of both providers begin with. */
export const TERRAFORM_NAME = /^(?:rancher2|harvester)_[a-z0-9_]+$/;
