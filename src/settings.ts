import './registry/register';
export { AdditionalCa } from './harvester/settings/additional-ca';
export { HarvesterSetting, HarvesterSettingProps } from './harvester/settings/harvester-setting';
export {
  BackupTarget,
  NfsBackupTargetProps,
  S3BackupTargetProps,
} from './harvester/settings/catalogue/backup-target.check';
export {
  CsiSnapshotClasses,
  InstanceManagerCpuProps,
} from './harvester/settings/catalogue/storage.check';
export {
  SslCertificatesProps,
  SslParametersProps,
  TlsVersion,
  TraefikTlsOptionsProps,
} from './harvester/settings/catalogue/certificates.check';
export {
  RwxNetwork,
  StorageNetworkProps,
  TrafficNetworkProps,
} from './harvester/settings/catalogue/network.check';
export { ClusterRegistrationProps } from './harvester/settings/catalogue/registration.check';
export {
  ContainerdRegistryConfig,
  ContainerdRegistryProps,
  ContainerdTls,
  HttpProxyProps,
} from './harvester/settings/catalogue/registry-and-proxy.check';
export {
  ImagePullPolicy,
  SupportBundleImageProps,
  AutoRotateRke2CertsProps,
  HarvesterLogLevel,
  PodSecurityStandardProps,
  UiSource,
} from './harvester/settings/catalogue/system.check';
export {
  ImagePreload,
  ManualUpgradeOptions,
  NodeUpgrade,
  ParallelPreloadOptions,
  UpgradeConfigProps,
} from './harvester/settings/catalogue/upgrade.check';
export {
  KubevirtMigrationProps,
  OvercommitProps,
  VmForceResetPolicyProps,
} from './harvester/settings/catalogue/virtual-machines.check';
export { RancherFeature, RancherFeatureProps } from './rancher/settings/rancher-feature';
export {
  AgentTlsModeOptions,
  RancherSetting,
  RancherSettingProps,
  TokenLifetime,
  TokenLifetimeProps,
} from './rancher/settings/rancher-setting';
export { AgentTlsMode } from './rancher/settings/rancher-setting.kind';
