import { API_VERSIONS } from '../../core/manifest/names';

/** How the ID of a resource names its object. */
export type IdForm =
  /** `<name>` */
  | 'name'
  /** `<namespace>/<name>` */
  | 'namespace/name'
  /** `<namespace>:<name>`, as Rancher's API names objects */
  | 'namespace:name'
  /** `<cluster>.<name>` */
  | 'cluster.name'
  /** `<cluster>.<namespace>/<name>` */
  | 'cluster.namespace/name'
  /** `<cluster>/<name>`: the namespace has the name of the cluster */
  | 'cluster/name'
  /** `<namespace>/<virtual machine>/<name>` */
  | 'namespace/vm/name'
  /** `<name>` of an object on the cluster of attribute `project_id` */
  | 'name in project'
  /** `<namespace>:<name>`, with attribute `namespace_id` on the cluster of attribute `project_id`, otherwise on Rancher */
  | 'secret in project';

/** The object of a type of resources. */
export interface OwnedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly id: IdForm;
}

const management = (kind: string, id: IdForm = 'name'): OwnedKind => ({ apiVersion: API_VERSIONS.MANAGEMENT, kind, id });
const core = (kind: string, id: IdForm): OwnedKind => ({ apiVersion: API_VERSIONS.CORE, kind, id });
const harvester = (kind: string, id: IdForm = 'namespace/name'): OwnedKind => ({ apiVersion: API_VERSIONS.HARVESTER, kind, id });
const of = (apiVersion: string, kind: string, id: IdForm): OwnedKind => ({ apiVersion, kind, id });

const AUTH_CONFIGS = [
  'activedirectory', 'adfs', 'azuread', 'cognito', 'freeipa', 'generic_oidc', 'github', 'githubapp', 'keycloak', 'keycloak_oidc', 'okta', 'openldap', 'ping',
];

/**
 * The objects of the resources of both providers.
 *
 * @see rancher/terraform-provider-rancher2:rancher2/provider.go ResourcesMap, and SetId of each resource_*.go
 * @see harvester/terraform-provider-harvester:internal/provider/provider.go ResourcesMap, pkg/helper BuildID
 */
export const OWNED_KINDS: Readonly<Record<string, OwnedKind>> = {
  rancher2_app_v2: of('catalog.cattle.io/v1', 'App', 'cluster.namespace/name'),
  ...Object.fromEntries(AUTH_CONFIGS.map((name) => [`rancher2_auth_config_${name}`, management('AuthConfig')])),
  rancher2_catalog_v2: of('catalog.cattle.io/v1', 'ClusterRepo', 'cluster.name'),
  rancher2_certificate: core('Secret', 'secret in project'),
  rancher2_cloud_credential: core('Secret', 'namespace:name'),
  rancher2_cluster: management('Cluster'),
  rancher2_cluster_driver: management('KontainerDriver'),
  rancher2_cluster_proxy_config_v2: management('ClusterProxyConfig', 'cluster/name'),
  rancher2_cluster_role_template_binding: management('ClusterRoleTemplateBinding', 'namespace:name'),
  rancher2_cluster_v2: of(API_VERSIONS.PROVISIONING, 'Cluster', 'namespace/name'),
  rancher2_config_map_v2: core('ConfigMap', 'cluster.namespace/name'),
  rancher2_custom_user_token: management('Token'),
  rancher2_feature: management('Feature'),
  rancher2_global_role: management('GlobalRole'),
  rancher2_global_role_binding: management('GlobalRoleBinding'),
  rancher2_machine_config_v2: of('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'namespace/name'),
  rancher2_namespace: core('Namespace', 'name in project'),
  rancher2_node_driver: management('NodeDriver'),
  rancher2_node_pool: management('NodePool', 'namespace:name'),
  rancher2_node_template: management('NodeTemplate', 'namespace:name'),
  rancher2_oidc_client: management('OIDCClient'),
  rancher2_pod_security_admission_configuration_template: management('PodSecurityAdmissionConfigurationTemplate'),
  rancher2_project: management('Project', 'namespace:name'),
  rancher2_project_role_template_binding: management('ProjectRoleTemplateBinding', 'namespace:name'),
  rancher2_registry: core('Secret', 'secret in project'),
  rancher2_role_template: management('RoleTemplate'),
  rancher2_secret: core('Secret', 'secret in project'),
  rancher2_secret_v2: core('Secret', 'cluster.namespace/name'),
  rancher2_setting: management('Setting'),
  rancher2_storage_class_v2: of('storage.k8s.io/v1', 'StorageClass', 'cluster.name'),
  rancher2_token: management('Token'),
  rancher2_user: management('User'),

  harvester_cloudinit_secret: core('Secret', 'namespace/name'),
  harvester_clusternetwork: of('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'name'),
  harvester_image: harvester('VirtualMachineImage'),
  harvester_ippool: of('loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'name'),
  harvester_loadbalancer: of('loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', 'namespace/name'),
  harvester_network: of('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'namespace/name'),
  // its claim has the name of the device. @see internal/provider/pcidevice/resource_pcidevice_constructor.go claimPCIDevice
  harvester_pcidevice: of('devices.harvesterhci.io/v1beta1', 'PCIDeviceClaim', 'name'),
  harvester_schedule_backup: harvester('ScheduleVMBackup', 'namespace/vm/name'),
  harvester_setting: harvester('Setting', 'name'),
  harvester_sriov_network_device: of('devices.harvesterhci.io/v1beta1', 'SRIOVNetworkDevice', 'name'),
  harvester_ssh_key: harvester('KeyPair'),
  harvester_storageclass: of('storage.k8s.io/v1', 'StorageClass', 'name'),
  harvester_virtualmachine: of('kubevirt.io/v1', 'VirtualMachine', 'namespace/name'),
  harvester_vlanconfig: of('network.harvesterhci.io/v1beta1', 'VlanConfig', 'name'),
  harvester_volume: core('PersistentVolumeClaim', 'namespace/name'),
};

/** Resources without an object: an action, or a login. */
export const RESOURCES_WITHOUT_OBJECT: Readonly<Record<string, string>> = {
  rancher2_bootstrap: 'is the first login of a Rancher server',
  rancher2_cluster_sync: 'waits for a cluster',
  harvester_bootstrap: 'is the first login of a Harvester',
};
