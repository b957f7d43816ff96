/**
 * Field managers of programs of the platform, as `metadata.managedFields` shows them: where a client names none, the server takes its user agent up to the first
 * slash, which begins with the name of the program. @see kubernetes/apiserver:pkg/endpoints/handlers/create.go managerOrUserAgent;
 * kubernetes/client-go:rest/config.go DefaultKubernetesUserAgent
 */

/** Programs that carry out no request of a user: what only they wrote is theirs. */
export const CONTROLLER_MANAGERS: readonly RegExp[] = [
  // Kubernetes
  /^(kube-(apiserver|controller-manager|scheduler|proxy)|kubelet|cloud-controller-manager)$/,
  // k3s and RKE2, also for the manifests in their folders. @see k3s-io/k3s:pkg/deploy/controller.go, pkg/server/server.go
  /^(deploy|k3s|rke2|k3s-supervisor|rke2-supervisor)(@.+)?$/,
  /^(k3s|rke2)-cloud-controller-manager$/,
  /^helm-controller(@.+)?$/,
  // Rancher's controllers with a name of their own: `rancher-<version>-<controller>`. @see rancher/rancher:pkg/types/config/context.go WithAgent; seen on 2.15.0
  /^rancher-(v\d|dev|head)?[^/]*-(controller|handler-base|migrator|rbac|auth)\S*$/,
  // its agent and its webhook: the names of their programs. @see rancher/rancher:package/Dockerfile.agent; rancher/webhook:package/Dockerfile
  /^(agent|webhook|rancher-webhook|rwebhook|system-agent|system-upgrade-controller)$/,
  // Fleet. @see rancher/fleet:package
  /^(fleet|fleetcontroller|fleetagent|gitjob)$/,
  // operators of hosted clusters, and Cluster API, whose programs have the name of Kubebuilder's template. @see kubernetes-sigs/cluster-api:Dockerfile
  /^(aks|eks|gke|ali)-operator$/,
  /^(manager|capi-.+|rancher-turtles.*)$/,
  // Harvester's parts. @see harvester/harvester:package/Dockerfile.webhook; the Dockerfiles of its network and load balancer controllers
  /^harvester-(webhook|network-.+|load-balancer.*|node-.+|csi-.+|cloud-provider|vm-.+|seeder.*)$/,
  /^(node-disk-manager|node-manager|pcidevices.*|vm-dhcp-.+)$/,
  // KubeVirt, CDI, Longhorn, networks, and CSI
  /^(virt-(api|controller|handler|operator)|cdi-.+|longhorn-.+|multus.*|whereabouts.*|kube-ovn-.+)$/,
  /^(csi-(attacher|provisioner|resizer|snapshotter)|snapshot-controller)$/,
];

/** Programs that write as controllers, and also what users do in their UIs: what only they wrote may be of either. @see rancher/steve:pkg/client/factory.go */
export const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['rancher', 'Rancher'],
  ['harvester', 'Harvester'],
]);

/** Kinds of the products, as `group/Kind`, of which they create objects at their start. @see rancher/rancher:pkg/data/management, pkg/controllers/dashboard/fleetcharts */
export const MADE_BY_PRODUCTS: ReadonlySet<string> = new Set([
  'management.cattle.io/NodeDriver',
  'management.cattle.io/ProxyEndpoint',
  'management.cattle.io/ManagedChart',
  'management.cattle.io/FleetWorkspace',
  'fleet.cattle.io/Bundle',
  'fleet.cattle.io/ClusterGroup',
]);
