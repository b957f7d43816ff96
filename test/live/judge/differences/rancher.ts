import { Differences } from './differences';

/** Differences between lint and a Rancher, after what could be tried was tried. */
export const RANCHER: Differences = {
  lintAlone: [
    [/^machine-config\//, 'Rancher stores any HarvesterConfig, and no node driver was asked'],
    [
      /^cluster\/node-config-value /,
      'Rancher drops the value when a machine is configured: rancher/rancher:pkg/capr/planner/filter.go filterField (2.15.0)',
    ],
    [
      /^cluster\/pool-roles /,
      'Rancher waits for a node of each role: rancher/rancher:pkg/capr/planner/planner.go "waiting for at least one control plane, etcd, and worker node" (2.15.0)',
    ],
    [
      /^cluster\/(id-taken|cloud-cluster-name) /,
      'both Clusters have one management cluster, which the deletion of one deletes: tried on Rancher 2.15.0, and not in each run; rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster',
    ],
    [
      /^cluster\/(id-form|id-changed) /,
      'Rancher cannot create the management cluster, or keeps the one that it has: rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster (2.15.0)',
    ],
    [
      /^cluster\/rke-config-changed /,
      'Rancher deletes what it made of rkeConfig, machines included: rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/controller.go OnRancherClusterChange (2.15.0)',
    ],
    [
      /^cluster\/additional-manifest /,
      'Rancher writes the text into a file of the servers, which cannot read it: rancher/rancher:pkg/capr/planner/manifests.go (2.15.0)',
    ],
    [
      /^cluster\/(cloud-provider-keys|cloud-config-path) /,
      'the cloud provider does not start on the nodes, which no server here has: rancher/rancher:pkg/capr/planner/filter.go filterField (2.15.0), rancher/rke2:pkg/cli/cmds/root.go',
    ],
    [
      /^cluster\/(kubernetes-version|pod-security-template) /,
      'the webhook of Rancher refuses the object, which it does not compare in a dry run: seen on Rancher 2.15.0',
    ],
    [
      /^cluster\/pool-config /,
      'Rancher reports the pool in the condition RKECluster, unless another error comes first: rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go (2.15.0)',
    ],
    [
      /^cluster\/cloud-credential /,
      'the node driver gets no kubeconfig: rancher/rancher:pkg/controllers/capr/machineprovision/args.go (2.15.0)',
    ],
    [
      /^cluster\/(etcd-s3|node-config-format) /,
      'Rancher stores the value, and a node fails to start or to take a snapshot with it, which no server here has: rancher/rancher:pkg/capr/planner/s3args.go ToArgs (2.15.0), rancher/rke2:pkg/cli/cmds/server.go validateCNI',
    ],
    [/^cluster\/pool-fields /, 'the kubelet of a node refuses a taint without a key'],
    [
      /^cluster-repo\/source /,
      'Rancher reports the error when it reads the repository, after attempts that end later than a run waits: rancher/rancher:pkg/controllers/dashboard/helm/repo.go download (2.15.0)',
    ],
    [
      /^user\/password-field /,
      'Rancher reads passwords in Secrets: rancher/rancher:pkg/auth/providers/local/local_auth_provider.go (2.15.0)',
    ],
    [
      /^user-password\//,
      'Rancher accepts the Secret, and the user cannot log in with the password: rancher/rancher:pkg/auth/providers/local/pbkdf2/pbkdf2.go (2.15.0)',
    ],
    [
      /^registration-token\//,
      'Rancher empties the commands of the registration: rancher/rancher:pkg/api/norman/store/cluster/cluster_registration_store.go populateCommands (2.15.0)',
    ],
    [
      /^auth-config\//,
      'Rancher stores the provider, and only a login at the identity provider shows what it lacks, which no run has: rancher/rancher:pkg/auth/providers/oidc/oidc_provider.go (2.15.0)',
    ],
    [
      /^rancher-setting\//,
      'Rancher stores the value, and fails or uses its default where it reads it: it creates no token (rancher/rancher:pkg/auth/tokens/manager.go ParseTokenTTL), which a run tries on a Rancher that no one else uses only, or uses the default (pkg/settings/setting.go GetInt, 2.15.0)',
    ],
    [
      /^project\/name /,
      'Rancher cannot create the namespace of the Project, whose name it is: rancher/rancher:pkg/controllers/management/auth/project_cluster (2.15.0)',
    ],
    [
      /^((project|cluster|global-role)-binding)\//,
      'the webhook of Rancher does not compare userPrincipalName in an edit, and Rancher keeps the member that it knows: rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding/validator.go validateUpdateFields (0.11.0), rancher/rancher:pkg/rbac/common.go GetGRBSubject (2.15.0)',
    ],
  ],
  serverAlone: [
    [
      /^Cluster\/\S+ create: .*(metadata\.annotations( = (null|\{\}))?|no-creator-rbac.*)$/,
      'only a dry run is refused: the creator of an object that is not stored is not known',
    ],
  ],
};
