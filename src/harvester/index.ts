export { AdditionalCa } from './additional-ca';
export { HarvesterSetting, HarvesterSettingProps } from './harvester-setting';
export * from './harvester-namespace';
export * from './host-storage-class';
export * from './key-pair';
export * from './node-images';
export { BackupTarget, NfsBackupTargetProps, S3BackupTargetProps } from './settings/backup-target';
export {
  AutoRotateRke2CertsProps, ClusterRegistrationProps, HttpProxyProps, SslCertificatesProps, SslParametersProps, SslProtocol, TraefikTlsOptionsProps,
  TraefikTlsVersion,
} from './settings/connections';
export { RwxNetwork, StorageNetworkProps, TrafficNetworkProps } from './settings/network';
export { ContainerdAuth, ContainerdMirror, ContainerdRegistryConfig, ContainerdRegistryProps, ContainerdTls } from './settings/registry';
export {
  CsiSnapshotClasses, HarvesterLogLevel, InstanceManagerCpuProps, PodSecurityStandardProps, SupportBundleImageProps, UiSource,
} from './settings/system';
export { ImagePreload, NodeUpgrade, UpgradeConfigProps } from './settings/upgrade';
export { KubevirtMigrationProps, OvercommitProps, VmForceResetPolicyProps } from './settings/virtual-machines';
export * from './vm-image';
export * from './vm-network';
