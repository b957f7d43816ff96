import './registry/register';
export { HarvesterApp, HarvesterAppProps } from './core/app/harvester-app';
export { KubernetesObject, KubernetesObjectProps } from './core/app/kubernetes-object';
export {
  DisplayNameOptions,
  ExistingNamespacedResourceOptions,
  ExistingResourceOptions,
  Resource,
  ResourceOptions,
  ResourceProps,
} from './core/app/resource';
export { Retention } from './core/program/retention';
export { Suppressions } from './core/program/suppressions';
export { TargetChart, TargetChartProps } from './core/app/target-chart';
export {
  IGuestTarget,
  IHarvesterTarget,
  INamespace,
  IResource,
  IRancherTarget,
  ITarget,
  TargetKind,
} from './core/construct/target';
export { OrderingType, Ordering } from './core/construct/edge';
export { LateType } from './core/late/late-text';
export {
  LateLabeledObject,
  LateMatchedObject,
  LateObject,
  LateSource,
  LateValue,
  LateValueProps,
} from './core/value/late-value';
export { SecretFileOptions, SecretValue } from './core/value/secret-value';
export { TaintEffect, Toleration, TolerationOperator } from './core/manifest/taint';
export { OutputLayout } from './core/output/assembly';
export { Finding, FindingLevel, FindingObject } from './core/rule/finding';
export { HarvesterValidation, HarvesterValidationProps } from './core/app/validation-plugin';
export { ArgoCdDecryption, ArgoCdPluginProps } from './delivery/engine/argo-cd-decryption';
export { ArgoCdDeliveryProps } from './delivery/engine/argo-cd-engine';
export { Delivery } from './delivery/delivery';
export { FleetDeliveryProps } from './delivery/engine/fleet-engine';
export { ExternalSecretsProps, SecretStoreKind } from './delivery/secret/external-hiding';
export { SealedSecretScope, SealedSecretsProps } from './delivery/secret/sealed-hiding';
export { SecretChoice, SecretDelivery } from './delivery/secret/secret-delivery';
export { SopsSecretsProps } from './delivery/secret/sops-hiding';
export {
  FluxDeletionPolicy,
  FluxDeliveryProps,
  FluxSourceKind,
} from './delivery/engine/flux-engine';
export {
  ExternalTrafficPolicy,
  HarvesterLoadBalancer,
  HarvesterLoadBalancerProps,
  IpFamily,
  IpFamilyPolicy,
  LoadBalancerPort,
  LoadBalancerProtocol,
} from './guest/balancer/harvester-load-balancer';
export {
  IngressController,
  IngressLoadBalancer,
  IngressLoadBalancerProps,
} from './guest/balancer/ingress-load-balancer';
export { DhcpIpamOptions, IGuestLoadBalancer, Ipam } from './guest/balancer/service-address';
export {
  ExistingHelmChartAddonOptions,
  HelmChartAddon,
  HelmChartAddonProps,
  HelmChartConfig,
  HelmChartConfigProps,
  HelmChartManifestOptions,
  HelmChartOptions,
  HelmChartValues,
  HelmFailurePolicy,
  HelmLoadBalancer,
  HelmValuesSecret,
  IHelmChartAddon,
} from './guest/chart/helm-chart';
export {
  CloudConfigOptions,
  CloudConfigSecret,
  CloudConfigSecretProps,
  ExistingCloudConfigSecretOptions,
  ICloudConfigSecret,
} from './guest/cloud-provider/cloud-config-secret';
export {
  CloudConfigDelivery,
  HarvesterCloudProviderOptions,
  KubeVipOptions,
} from './guest/cloud-provider/bundled-provider';
export { CloudProvider } from './guest/cloud-provider/cloud-provider';
export { ExistingGuestClusterOptions } from './guest/cluster/existing-guest-cluster';
export { IGuestCluster } from './guest/parts/guest-cluster-ref';
export { GuestCluster, GuestClusterProps } from './guest/cluster/guest-cluster';
export {
  CertificateService,
  ClusterOperations,
  DataDirectories,
  ProvisionedClusterProps,
  RestoreMode,
  RestoreSnapshot,
  RotateCertificates,
  StackPreference,
} from './guest/cluster/provisioned-cluster-props';
export { AuthorizedEndpoint } from './guest/endpoint/authorized-endpoint';
export { CsiDriver, CsiDriverOptions } from './guest/csi/csi-driver';
export {
  CustomCluster,
  CustomClusterProps,
  NodeRegistration,
  NodeRegistrationOptions,
} from './guest/custom/custom-cluster';
export {
  ControlPlaneEndpoint,
  ControlPlaneEndpointOptions,
  EndpointOptions,
  PooledEndpointOptions,
} from './guest/endpoint/control-plane-endpoint';
export { EtcdBackup, EtcdS3 } from './guest/etcd/etcd-backup';
export { GuestNamespace } from './guest/guest-namespace';
export {
  IGuestResource,
  INamespacedGuestResource,
  NamespacedGuestResourceProps,
} from './guest/guest-resource';
export { GuestChart, GuestChartProps } from './guest/guest-chart';
export { KubernetesOptions } from './guest/kubernetes/kubernetes-config';
export {
  K3sFlannelBackend,
  K3sOptions,
  Kubernetes,
  Rke2Cni,
  Rke2IngressController,
  Rke2Options,
  Rke2Profile,
} from './guest/kubernetes/kubernetes';
export {
  MachineFile,
  MachineFileItem,
  MachineFileOptions,
  MachineFileSource,
  MachineFileSourceOptions,
  MachineLabels,
  MachineSelector,
} from './guest/machine-file/machine-file';
export {
  FixedAddressOptions,
  FixedAddresses,
  FixedAddressesProps,
} from './guest/machine-pool/fixed-addresses';
export {
  MachineAutoscaler,
  MachineAutoscaling,
  MachineOs,
  MachinePool,
  MachineRoles,
  MachineRolesProps,
  MachineRollingUpdate,
  MachineTaint,
} from './guest/machine-pool/machine-pool';
export {
  Registries,
  RegistryAuth,
  RegistryConfig,
  RegistryTls,
} from './guest/registries/registries';
export { RegistryAuthConfig } from './guest/registries/registry-auth-config';
export { RegistryMirror } from './guest/registries/registry-mirror';
export {
  GuestStorageClass,
  GuestStorageClassProps,
  GuestVolumeSnapshotClass,
  GuestVolumeSnapshotClassProps,
  IGuestStorageClass,
  IGuestVolumeSnapshotClass,
} from './guest/storage/guest-storage-class';
export { DrainOptions, UpgradeStrategy } from './guest/upgrade/upgrade-strategy';
export {
  AccountRole,
  KubeconfigSecret,
  KubeconfigSecretProps,
  ServiceAccountKubeconfig,
  ServiceAccountKubeconfigProps,
} from './harvester/account/service-account-kubeconfig';
export {
  Addon,
  AddonProps,
  IAddon,
  BundledAddon,
  BundledAddonOptions,
  BundledAddonProps,
} from './harvester/addon/addon';
export {
  IScheduleVmBackup,
  ScheduleVmBackup,
  ScheduleVmBackupProps,
  VmBackupType,
  SnapshotQuota,
  SnapshotQuotaProps,
  VmSnapshotQuota,
} from './harvester/backup/backup';
export {
  CloudInitCommand,
  CloudInitFile,
  CloudInitFileOptions,
  CloudInitProps,
  CloudInitUser,
  GuestAgent,
  GuestAgentOptions,
} from './harvester/cloud-init/cloud-init-props';
export {
  CloudInitSecret,
  CloudInitSecretProps,
  ExistingCloudInitSecretOptions,
  ICloudInitSecret,
  CloudInitTemplate,
  CloudInitTemplateProps,
} from './harvester/cloud-init/cloud-init-secret';
export { CloudInit, CloudInitTextOptions } from './harvester/cloud-init/cloud-init';
export {
  NetworkData,
  NetworkDataV1Props,
  NetworkDataV2Props,
  NetworkDevice,
  NetworkRoute,
  PhysicalInterface,
  PhysicalSubnet,
} from './harvester/cloud-init/network-data';
export { IClusterNetwork } from './harvester/cluster-network/cluster-network-ref';
export { ClusterNetwork, ClusterNetworkProps } from './harvester/cluster-network/cluster-network';
export {
  HostAddresses,
  HostNetworkConfig,
  HostNetworkConfigProps,
  IHostNetworkConfig,
  NodeAddress,
} from './harvester/cluster-network/host-network-config';
export {
  BondMode,
  IVlanConfig,
  VlanConfig,
  VlanConfigProps,
} from './harvester/cluster-network/vlan-config';
export { IDeviceClaim } from './harvester/device/device-claim';
export { HarvesterChart, HarvesterChartProps } from './harvester/harvester-chart';
export {
  ClonedImageProps,
  DisplayedVmImageOptions,
  DownloadedImageProps,
  ExistingVmImageOptions,
  ExportedImageProps,
  IVmImage,
  ImageCryptoOperation,
  UploadedImageProps,
  VmImage,
  VmImageBackend,
  VmImageProps,
  VmImageType,
} from './harvester/image/vm-image';
export {
  GlobalIpPoolProps,
  IIpPool,
  IpPool,
  IpPoolOptions,
  IpPoolProps,
  IpPoolRange,
  IpPoolScope,
  IpPoolScopeFields,
  SingleAddressPoolProps,
} from './harvester/ip-pool/ip-pool';
export { IKeyPair, KeyPair, KeyPairProps } from './harvester/key-pair/key-pair';
export {
  IVmLoadBalancer,
  VmHealthCheck,
  VmListener,
  VmLoadBalancer,
  VmLoadBalancerProps,
} from './harvester/load-balancer/vm-load-balancer';
export { HarvesterNamespace, HarvesterNamespaceProps } from './harvester/harvester-namespace';
export {
  HarvesterResourceProps,
  NamespacedHarvesterResourceProps,
} from './harvester/harvester-resource';
export {
  IHarvesterResource,
  INamespacedHarvesterResource,
} from './harvester/harvester-resource-ref';
export {
  CdRomDriveOptions,
  ContainerDiskOptions,
  Disk,
  DiskBus,
  DiskCache,
  DiskOptions,
  DiskPullPolicy,
  EmptyDiskOptions,
  NewDiskOptions,
} from './harvester/machine/disk';
export { MachineProps } from './harvester/machine/machine-props';
export { InterfaceModel, Nic, NicOptions } from './harvester/machine/nic';
export { OsType } from './harvester/machine/os-type';
export { VGpu, VGpuOptions } from './harvester/machine/vgpu';
export {
  LabelOperator,
  LabelRequirement,
  NodeTerm,
  PreferredNodeTerm,
  PreferredVmTerm,
  SpreadOptions,
  VmAffinity,
  VmAffinityProps,
  VmSelector,
  VmTerm,
} from './harvester/affinity/vm-affinity';
export {
  AutoRouteOptions,
  IVmNetwork,
  OverlayNetwork,
  OverlayNetworkProps,
  VlanRange,
  VmNetwork,
  VmNetworkProps,
  VmNetworkRoute,
} from './harvester/network/vm-network';
export { OverlaySubnet, OverlaySubnetProps } from './harvester/overlay/overlay-subnet';
export {
  IOverlayVpc,
  OverlayRoute,
  OverlayVpc,
  OverlayVpcProps,
} from './harvester/overlay/overlay-vpc';
export { ImageArchive } from './harvester/node/node-image-cloud-init.data';
export { IHarvesterNode } from './harvester/node/node-ref';
export {
  HarvesterNode,
  HarvesterNodeProps,
  NodeCloudInit,
  NodeCloudInitProps,
  NodeImages,
  NodeImagesProps,
} from './harvester/node/node';
export {
  CdiStorageProps,
  CsiStorageOptions,
  DataLocality,
  HarvesterStorageClass,
  HarvesterStorageClassProps,
  IHarvesterStorageClass,
  LonghornEngine,
  LonghornStorageProps,
  LvmStorageProps,
  LvmType,
  StorageDriver,
  StorageTopology,
  ReclaimPolicy,
  VolumeBindingMode,
} from './harvester/storage/harvester-storage-class';
export {
  HarvesterVolumeSnapshotClass,
  HarvesterVolumeSnapshotClassProps,
  IHarvesterVolumeSnapshotClass,
} from './harvester/storage/harvester-volume-snapshot-class';
export {
  IVolumeEncryption,
  VolumeEncryption,
  VolumeEncryptionProps,
} from './harvester/storage/volume-encryption';
export {
  CdiCloneStrategy,
  EncryptionCipher,
  EncryptionHash,
  EncryptionKeyDerivation,
  VolumeAccessMode,
  VolumeMode,
} from './harvester/storage/storage.data';
export { IHarvesterVolume } from './harvester/volume/volume-ref';
export { HarvesterVolume, HarvesterVolumeProps } from './harvester/volume/volume';
export {
  IVirtualMachineTemplate,
  VirtualMachineTemplate,
  VirtualMachineTemplateProps,
  VirtualMachineTemplateVersion,
  VirtualMachineTemplateVersionProps,
} from './harvester/template/virtual-machine-template';
export {
  CloudInitDrive,
  InputBus,
  VirtualMachineProps,
  VmAccessCredential,
  VmEvictionStrategy,
  VmFilesystem,
  VmHostDevice,
  VmHotplug,
  VmInput,
  VmMaintenanceStrategy,
  VmResources,
  VmRunStrategy,
  VmSpecProps,
} from './harvester/virtual-machine/props/virtual-machine-props';
export { IVirtualMachine, VirtualMachine } from './harvester/virtual-machine/virtual-machine';
export {
  ClusterRepo,
  ClusterRepoBackOff,
  ClusterRepoOciOptions,
  ClusterRepoProps,
  ClusterRepoSecret,
  ClusterRepoServiceAccount,
  IClusterRepo,
} from './rancher/catalog/cluster-repo';
export {
  HarvesterUiExtension,
  HarvesterUiExtensionProps,
} from './rancher/catalog/harvester-ui-extension';
export {
  AgentDeployment,
  AgentScheduling,
  DeploymentCustomization,
  IManagedCluster,
  ManagedClusterProps,
  ClusterId,
  WebhookDeployment,
} from './rancher/cluster/managed-cluster';
export {
  DisplayedImportedClusterOptions,
  ExistingImportedClusterOptions,
  ImportedCluster,
  ImportedClusterProps,
  ImportedClusterRegistry,
  FeatureMode,
  ImportedClusterUpgrade,
} from './rancher/imported-cluster/imported-cluster';
export {
  AgentDisruptionBudget,
  AgentPriorityClass,
  PreemptionPolicy,
} from './rancher/cluster/provisioning-cluster.check';
export {
  CloudCredential,
  CloudCredentialOptions,
  ExistingCloudCredentialOptions,
  ExternalCredentialProps,
  ICloudCredential,
  ImportedCredentialProps,
  ServiceAccountCredentialProps,
} from './rancher/credential/cloud-credential';
export { IS3Credential, S3Credential, S3CredentialProps } from './rancher/credential/s3-credential';
export {
  DisplayedHarvesterImportOptions,
  ExistingHarvesterImportOptions,
  HarvesterImport,
  HarvesterImportProps,
  IHarvesterImport,
} from './rancher/import/harvester-import';
export {
  DeclaredTokenOptions,
  RegistrationToken,
  RegistrationTokenProps,
  TokenSecretOptions,
  TokenSource,
} from './rancher/import/registration-token';
export { MemberOptions } from './rancher/binding/binding';
export {
  ClusterMember,
  ClusterMembers,
  ClusterMembersProps,
  GlobalRoleBinding,
  GlobalRoleBindingProps,
} from './rancher/members/members';
export {
  AuthProvider,
  ILocalUser,
  Principal,
  PrincipalOptions,
  UserPrincipalOptions,
} from './rancher/members/principal';
export {
  ProjectCertificate,
  ProjectCertificateProps,
  ProjectRegistryLogin,
  ProjectRegistrySecret,
  ProjectRegistrySecretProps,
  ProjectSecret,
  ProjectSecretOptions,
  ProjectSecretProps,
} from './rancher/project-secret/project-secret';
export { Cpu } from './rancher/quota/cpu';
export { ContainerDefaults, Quota } from './rancher/quota/quota';
export {
  BuiltInTenantProjectOptions,
  DisplayedTenantProjectOptions,
  ExistingTenantProjectOptions,
} from './rancher/project/project';
export {
  ITenantProject,
  ProjectMember,
  TenantNamespaceOptions,
  TenantNamespaceProps,
} from './rancher/project/tenant-namespace';
export { TenantProject, TenantProjectProps } from './rancher/project/tenant-project';
export {
  MachinePoolQuotaOptions,
  VmQuota,
  VmQuotaItem,
  VmQuotaOptions,
} from './rancher/team/vm-quota';
export { RancherChart, RancherChartProps } from './rancher/rancher-chart';
export {
  IRancherNamespace,
  RancherNamespace,
  RancherNamespaceProps,
} from './rancher/rancher-namespace';
export { IRancherResource } from './rancher/rancher-resource';
export { FleetWorkspacePermissions, GlobalRole, GlobalRoleProps } from './rancher/role/global-role';
export {
  IRoleTemplate,
  PolicyRule,
  RoleTemplate,
  RoleTemplateContext,
  RoleTemplateProps,
  VmOperatorRoleTemplateOptions,
  VmRoleTemplateOptions,
} from './rancher/role/role-template';
export {
  ClusterMemberRole,
  GlobalPermission,
  IGlobalRole,
  ProjectMemberRole,
} from './rancher/role/roles';
export {
  SharedImages,
  SharedImagesProps,
  TeamNetwork,
  TeamRoles,
  TenantTeam,
  TenantTeamProps,
} from './rancher/team/tenant-team';
export {
  HashedPassword,
  NamedLocalUserOptions,
  LocalUser,
  LocalUserProps,
} from './rancher/user/user';
export { HarvesterTesting, Impact, ImpactCause, ImpactEffect } from './testing/testing';
export * as auth from './auth';
export * as devices from './devices';
export * as migration from './migration';
export * as rke1 from './rke1';
export * as settings from './settings';
