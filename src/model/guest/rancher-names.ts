/**
 * Names and keys of guest clusters on the Rancher management cluster, each with its source.
 */

/** The API group of machine configurations. @see rancher/rancher:pkg/capr/common.go DefaultMachineConfigAPIVersion */
export const GROUP_MACHINE_CONFIG = 'rke-machine-config.cattle.io';

/** The kind of a machine configuration for the Harvester node driver. */
export const HARVESTER_CONFIG_KIND = 'HarvesterConfig';

/** How Rancher's messages name this kind. @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership */
export const HARVESTER_CONFIG_GVK = 'rke-machine-config.cattle.io/v1, Kind=HarvesterConfig';

/** Annotation on a cloud-config Secret: the Clusters that may use it, with commas. @see rancher/rancher:pkg/capr/planner/config.go clusterObjectAuthorized */
export const SECRET_AUTHORIZED = 'v2prov-secret-authorized-for-cluster';

/** Annotation on a cloud-config Secret: it goes with its Cluster. @see rancher/rancher:pkg/controllers/provisioningv2/secret */
export const SECRET_DELETES = 'v2prov-authorized-secret-deletes-on-cluster-removal';

/** Annotation on a Secret or ConfigMap for machineSelectorFiles. @see rancher/rancher:pkg/capr/common.go AuthorizedObjectAnnotation */
export const OBJECT_AUTHORIZED = 'rke.cattle.io/object-authorized-for-clusters';

/** The key of the kubeconfig in a cloud-config Secret. @see rancher/rancher:pkg/capr/planner/config.go retrieveClusterAuthorizedSecret */
export const CLOUD_CONFIG_KEY = 'credential';

/** How `cloud-provider-config` refers to a Secret: `secret://<namespace>:<name>`. @see rancher/rancher:pkg/capr/planner/config.go checkForSecretFormat */
export const SECRET_SCHEME = 'secret://';

/** Annotation on a cloud credential: the node driver. @see rancher/rancher:pkg/controllers/management/cloudcredential/controller.go */
export const CREDENTIAL_DRIVER = 'provisioning.cattle.io/driver';

/** The keys of a Harvester cloud credential begin so. @see rancher/rancher:pkg/data/management/machinedriver_data.go */
export const CREDENTIAL_PREFIX = 'harvestercredentialConfig-';

/** Annotation on a Cluster: a machine pool's `dynamicSchemaSpec` may be dropped. @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go */
export const ALLOW_SCHEMA_DROP = 'provisioning.cattle.io/allow-dynamic-schema-drop';

/** The charts for guest clusters; RKE2 bundles them under the same names. @see harvester/charts:charts */
export const PROVIDER_CHART = 'harvester-cloud-provider';
export const CSI_CHART = 'harvester-csi-driver';

/** The node driver and the cloud provider of Harvester. @see rancher/rancher:pkg/data/management/machinedriver_data.go; rancher/rke2:pkg/cli/cmds/root.go */
export const PROVIDER_NAME = 'harvester';

/** The provisioner of Harvester's CSI driver. @see harvester/harvester-csi-driver:pkg/csi/driver.go */
export const CSI_PROVISIONER = 'driver.harvesterhci.io';

/** The data directories where none is named. @see rancher/rancher:pkg/capr/common.go GetDistroDataDir */
export const DATA_DIRECTORY = { rke2: '/var/lib/rancher/rke2', k3s: '/var/lib/rancher/k3s' } as const;

/** Below the data directory: where Rancher writes the cloud config of a cluster to. @see rancher/rancher:pkg/capr/planner/config.go configFile */
export const CLOUD_CONFIG_FILE = '/etc/config-files/cloud-provider-config';

/** The node driver's defaults, which the API server fills in. Seen on Rancher 2.13.8. */
export const MACHINE_DEFAULTS: { readonly [field: string]: string } = {
  cpuCount: '2', memorySize: '4', diskSize: '0', sshPort: '22', reservedMemorySize: '-1', sshUser: 'root', vmNamespace: 'default',
};
