/**
 * The constructs for what Terraform's providers manage, by the names of resources and data sources.
 *
 * @see rancher/terraform-provider-rancher2:docs/resources; harvester/terraform-provider-harvester:docs/resources
 */
export const TERRAFORM_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['rancher2_certificate', ['ProjectCertificate']],
  ['rancher2_cloud_credential', ['CloudCredential', 'S3Credential']],
  ['rancher2_cluster', ['HarvesterImport', 'Rke1Cluster']],
  ['rancher2_cluster_role_template_binding', ['ClusterMembers']],
  ['rancher2_cluster_v2', ['GuestCluster', 'CustomCluster']],
  ['rancher2_etcd_backup', ['EtcdBackup']],
  ['rancher2_global_role', ['GlobalRole']],
  ['rancher2_global_role_binding', ['GlobalRoleBinding']],
  ['rancher2_machine_config_v2', ['MachinePool']],
  ['rancher2_namespace', ['TenantProject']],
  ['rancher2_principal', ['Principal']],
  ['rancher2_project', ['TenantProject']],
  ['rancher2_project_role_template_binding', ['TenantProject']],
  ['rancher2_registry', ['ProjectRegistrySecret']],
  ['rancher2_role_template', ['RoleTemplate']],
  ['rancher2_secret', ['ProjectSecret']],
  ['rancher2_setting', ['RancherSetting']],
  ['rancher2_storage_class_v2', ['GuestStorageClass']],
  ['rancher2_user', ['User']],
  ['harvester_addon', ['BundledAddon', 'Addon']],
  ['harvester_cloudinit_secret', ['CloudInitSecret']],
  ['harvester_clusternetwork', ['ClusterNetwork']],
  ['harvester_image', ['VmImage']],
  ['harvester_ippool', ['IpPool']],
  ['harvester_loadbalancer', ['VmLoadBalancer']],
  ['harvester_network', ['VmNetwork']],
  ['harvester_schedule_backup', ['ScheduleVmBackup']],
  ['harvester_setting', ['HarvesterSetting']],
  ['harvester_ssh_key', ['KeyPair']],
  ['harvester_storageclass', ['HostStorageClass']],
  ['harvester_virtualmachine', ['VirtualMachine']],
  ['harvester_vlanconfig', ['VlanConfig']],
  ['harvester_volume', ['Volume']],
]);

/** What the names of both providers begin with. */
export const TERRAFORM_NAME = /^(?:rancher2|harvester)_[a-z0-9_]+$/;
