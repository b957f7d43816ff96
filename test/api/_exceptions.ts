/**
 * What the checks of names and shapes find and is right nevertheless, by check and path, with the
 * reason. `*` is any member.
 */
export const EXCEPTIONS: { readonly [check: string]: { readonly [path: string]: string } } = {
  'types of names': {
    'ArgoCdDeliveryProps.namespace': 'the namespace of the engine, which no construct declares',
    'ClusterRepoSecret.namespace': 'the Secret is one that no construct declares',
    'ClusterRepoServiceAccount.namespace': 'the ServiceAccount is one that no construct declares',
    'FluxDeliveryProps.namespace': 'the namespace of the engine, which no construct declares',
    'Finding.target': 'output: the name of the target',
    'FindingObject.namespace': 'output: where the object is',
    'Impact.target': 'output: the name of the target',
    'HarvesterSetting.backupTarget(target)': 'the value of the setting, a place for backups',
    'HarvesterValidationProps.target': 'manifests of another tool, which have no target',
    'IpPoolScopeFields.guestCluster': 'the fields of the object as they are, with wildcards',
    'IpPoolScopeFields.namespace': 'the fields of the object as they are, with wildcards',
    'LateLabeledObject.namespace': 'reads an object that no construct declares',
    'LateMatchedObject.namespace': 'reads an object that no construct declares',
    'LateObject.namespace': 'reads an object that no construct declares',
    'SharedImagesProps.namespace': 'the namespace that the construct creates',
  },
  'second names': {
    'ClusterMember.bindingName': 'a member is a user or group: the name is that of its binding',
    'MemberOptions.bindingName': 'a member is a user or group: the name is that of its binding',
    'ProjectMember.bindingName': 'a member is a user or group: the name is that of its binding',
  },
  'text instead of references': {
    'VmAccessCredential.sshKeys(users)': 'users of the system in the VM',
    'VmSpecProps.cloudInitSecretName': 'the name of the Secret that the construct creates',
    'HarvesterApp.acceptReplacement(machines)':
      'the ID of a cluster in a report, which may no longer be declared, or a pattern',
    'Impact.pool': 'output: the name of a machine pool',
    'CdiStorageProps.volumeSnapshotClassName':
      'a class of Harvester itself, which no construct declares',
    'CsiSnapshotClasses.volumeSnapshotClassName':
      'a class of Harvester itself, which no construct declares',
    'HarvesterSetting.volumeSnapshotClass(volumeSnapshotClassName)':
      'a class of Harvester itself, which no construct declares',
    'CloudConfigSecretProps.clusterName':
      'the cluster is created after its cloud config, and refers to it',
    'ArgoCdDeliveryProps.clusters': 'names of clusters in Argo CD, by target',
    'ArgoCdDeliveryProps.project': 'an AppProject of Argo CD',
    'FleetDeliveryProps.clusters': 'names of clusters in Fleet, by target',
    'IpPoolScopeFields.project': 'the fields of the object as they are, with wildcards',
    'HarvesterSetting.vipPools(pools)': 'ranges of addresses by namespace',
    'NodeRegistrationOptions.nodeName': 'the name that a machine takes when it registers',
    'NewDiskOptions.volumeName': 'the name of the volume that the disk creates',
    'ImportedClusterProps.targetName': 'the name of the target that the construct creates',
    'ProvisionedClusterProps.targetName': 'the name of the target that the construct creates',
    'Rke1ClusterProps.targetName': 'the name of the target that the construct creates',
    'TargetChartProps.targetName': 'the name of the target that the chart is',
  },
  'one base class': {
    AdditionalCa: 'collects certificates for a setting that it creates when there are any',
    LateValue: 'writes nothing',
  },
  'labels and annotations': {
    'HarvesterSetting.*': 'takes the value alone; the constructor and `metadata` take labels',
    'RancherSetting.*': 'takes the value alone; the constructor and `metadata` take labels',
  },
  'one name': {
    ...Object.fromEntries(
      ['IDeviceClaim', 'PciDeviceClaim', 'UsbDeviceClaim'].map((claim) => [
        `${claim}.resourceName`,
        'the resource of Kubernetes that the device is',
      ]),
    ),
    'IVmImage.storageClassName': 'the StorageClass that Harvester creates for the image',
    'ServiceAccountKubeconfig.tokenSecretName': 'the Secret next to the ServiceAccount',
    'VmImage.storageClassName': 'the StorageClass that Harvester creates for the image',
  },
  'references': {
    GlobalRoleBinding: 'gives a permission: no object refers to it',
    KubeconfigSecret: 'tools read it: no construct refers to it',
    ProjectCertificate: 'pods refer to its copies, not to it',
    ProjectRegistrySecret: 'pods refer to its copies, not to it',
    ProjectSecret: 'pods refer to its copies, not to it',
    HarvesterUiExtension: 'an extension of the UI: no object refers to it',
    ...Object.fromEntries(
      ['AzureAd', 'Github', 'Google', 'Ldap', 'Oidc', 'Saml'].map((family) => [
        `${family}AuthConfig`,
        'users log in with it: no object refers to it',
      ]),
    ),
    RancherFeature: 'a switch of Rancher: no object refers to it',
    RancherSetting: 'a setting: no object refers to it',
    ServiceAccountKubeconfig: 'others take its kubeconfig, not the account',
    VirtualMachineTemplateVersion: 'users of the UI begin with it: only its template refers to it',
    CloudInitTemplate: 'the UI copies its text: no object refers to it',
    HarvesterSetting: 'a setting: no object refers to it',
    HelmChartConfig: 'values for a chart: no object refers to it',
    OverlaySubnet: 'the addresses of a network: no object refers to it',
    NodeCloudInit: 'nodes run it: no object refers to it',
    NodeImages: 'nodes run it: no object refers to it',
    SnapshotQuota: 'the limits of a namespace: no object refers to it',
  },
  'options come last': {
    'Ipam.pool(pool)': 'the only parameter',
  },
  'closed sets': {
    'HarvesterValidationProps.target': 'text of cdk8s.yaml',
  },
};

/** The exception of a check that is for a path. */
export function exceptionFor(check: string, path: string): string | undefined {
  return [path, path.replace(/\.[^.]*$/, '.*')].find(
    (key) => EXCEPTIONS[check]?.[key] !== undefined,
  );
}
