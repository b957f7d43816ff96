export { CloudConfigCompat } from './cloud-config-compat';
export { CloudConfigOptions, CloudConfigSecret, CloudConfigSecretProps, ICloudConfigSecret } from './cloud-config-secret';
export { CloudProvider } from './cloud-provider';
export { CloudConfigDelivery, HarvesterCloudProviderOptions, KubeVipOptions } from './cloud-provider-options';
export { CsiDriver, CsiDriverOptions } from './csi-driver';
export { IGuestCluster } from './guest-cluster-ref';
export { Disk, DiskBus, DiskOptions } from './disk';
export { InterfaceModel, MachineInterface } from './machine-interface';
export { MachineAutoscaling, MachinePool, MachineRollingUpdate, MachineTaint, MachineTaintEffect } from './machine-pool';
export { MachineRoles, MachineRolesProps } from './machine-roles';
export { VGpu } from './vgpu';
export { SpreadOptions, VmAffinity, VmAffinityProps } from './vm-affinity';
export { NodeLabelOperator, NodeLabelRequirement, NodeTerm, PreferredNodeTerm, PreferredVmTerm, VmTerm } from './vm-affinity-terms';
export { VmSelector } from './vm-selector';
export { AuthEndpoint } from './auth-endpoint';
export { ClusterOperations, RestoreMode, RestoreSnapshot, RotateCertificates } from './cluster-operations';
export { CustomCluster } from './custom-cluster';
export { CustomClusterProps } from './custom-cluster-props';
export { DataDirectories } from './data-directories';
export { EtcdBackup, EtcdS3 } from './etcd-backup';
export { GuestCluster } from './guest-cluster';
export { GuestClusterProps } from './guest-cluster-props';
export { K3sFlannelBackend, K3sOptions } from './k3s-options';
export { Kubernetes } from './kubernetes';
export { KubernetesOptions } from './kubernetes-options';
export { MachineFile, MachineFileItem, MachineFileOptions, MachineFileSource, MachineFileSourceOptions } from './machine-file';
export { MachineLabelExpression, MachineLabels, MachineSelector } from './machine-selector';
export { NodeRegistration, NodeRegistrationOptions } from './node-registration';
export { ProvisionedClusterProps } from './provisioned-cluster-props';
export { Registries, RegistryConfig, RegistryMirror } from './registries';
export { RegistryAuth, RegistryAuthConfig } from './registry-auth';
export { RegistryTls } from './registry-tls';
export { Rke1CloudProvider } from './rke1-cloud-provider';
export { Rke1Cluster } from './rke1-cluster';
export { Rke1ClusterProps } from './rke1-cluster-props';
export {
  Rke1ApiServer, Rke1Docker, Rke1Drain, Rke1Etcd, Rke1EtcdBackup, Rke1Kubelet, Rke1Network, Rke1NetworkPlugin, Rke1Service, Rke1Services,
  Rke1UpgradeStrategy,
} from './rke1-options';
export { Rke2Cni, Rke2IngressController, Rke2Options } from './rke2-options';
export { StackPreference } from './stack-preference';
export { DrainOptions, UpgradeStrategy } from './upgrade-strategy';
export { GuestStorageClass, GuestStorageClassProps } from './guest-storage-class';
export { GuestVolumeSnapshotClass, GuestVolumeSnapshotClassProps } from './guest-volume-snapshot-class';
export { HelmChartAddon, HelmChartAddonProps } from './helm-chart-addon';
export { HelmChartConfig, HelmChartConfigProps } from './helm-chart-config';
export { HelmChartOptions, HelmChartValues, HelmFailurePolicy, HelmValuesSecret } from './helm-chart-props';
export { IGuestLoadBalancer } from './guest-load-balancer';
export {
  ExternalTrafficPolicy, HarvesterLoadBalancer, HarvesterLoadBalancerProps, IpFamily, IpFamilyPolicy, LoadBalancerPort, LoadBalancerProtocol,
} from './harvester-load-balancer';
export { IngressController, IngressLoadBalancer, IngressLoadBalancerProps } from './ingress-load-balancer';
export { DhcpIpamOptions, Ipam } from './ipam';
