export { AdditionalCa } from './additional-ca';
export { Addon, AddonProps } from './addon';
export { BundledAddon, BundledAddonOptions, BundledAddonProps } from './bundled-addon';
export * from './cloud-init';
export { CloudInitSecret, CloudInitSecretProps, ICloudInitSecret } from './cloud-init-secret';
export { CloudInitTemplate, CloudInitTemplateProps } from './cloud-init-template';
export { ClusterNetwork, ClusterNetworkProps, IClusterNetwork } from './cluster-network';
export { HarvesterSetting, HarvesterSettingProps } from './harvester-setting';
export * from './harvester-namespace';
export { HostAddresses, HostNetworkConfig, HostNetworkConfigProps } from './host-network-config';
export * from './host-storage-class';
export { GlobalIpPoolProps, IIpPool, IpPool, IpPoolOptions, IpPoolProps, IpPoolRange, SingleAddressPoolProps } from './ip-pool';
export { IpPoolScope, IpPoolScopeFields } from './ip-pool-scope';
export * from './key-pair';
export { NodeCloudInit, NodeCloudInitProps } from './node-cloud-init';
export * from './node-images';
export { OverlayNetwork, OverlayNetworkProps } from './overlay-network';
export { ScheduleVmBackup, ScheduleVmBackupProps, VmBackupType } from './schedule-vm-backup';
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
export { SnapshotQuota, SnapshotQuotaProps } from './snapshot-quota';
export {
  DataLocality, LonghornEngine, LonghornStorageProps, LvmStorageProps, LvmType, StorageDriver, StorageTopology,
} from './storage-driver';
export { IVirtualMachine, VirtualMachine } from './virtual-machine';
export {
  VirtualMachineProps, VmEvictionStrategy, VmHostDevice, VmInput, VmMaintenanceStrategy, VmRunStrategy,
} from './virtual-machine-props';
export { BondMode, VlanConfig, VlanConfigProps } from './vlan-config';
export {
  DiskCache, VmDisk, VmDiskOptions, VmEmptyDiskOptions, VmVolumeDiskOptions, VolumeAccessMode, VolumeMode,
} from './vm-disk';
export * from './vm-image';
export * from './vm-image-props';
export * from './vm-network';
export { VmNetworkRoute } from './vm-network-route';
export { VmNic, VmNicOptions } from './vm-nic';
export { IVolume, Volume, VolumeProps } from './volume';
export { IVolumeEncryption, VolumeEncryption, VolumeEncryptionProps } from './volume-encryption';
export { VmHealthCheck, VmListener, VmLoadBalancer, VmLoadBalancerProps } from './vm-load-balancer';
export { ReclaimPolicy, VolumeBindingMode } from './storage-class-options';
