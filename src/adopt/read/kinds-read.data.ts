/** Kinds, as `group/Kind`, that are not listed: controllers write all of their objects, and there may be many. */
export const NOT_LISTED: ReadonlySet<string> = new Set([
  // made from workloads and machines
  '/Pod', '/Endpoints', 'apps/ReplicaSet', 'storage.k8s.io/VolumeAttachment', 'kubevirt.io/VirtualMachineInstance', 'kubevirt.io/VirtualMachineInstanceMigration',
  // made from claims and snapshots
  '/PersistentVolume', 'snapshot.storage.k8s.io/VolumeSnapshotContent',
  // made from provisioning Clusters
  'rke.cattle.io/RKECluster', 'rke.cattle.io/RKEControlPlane', 'rke.cattle.io/CustomMachine', 'rke.cattle.io/ETCDSnapshot',
  // carried out once
  'operation.cattle.io/ETCDSnapshotSave', 'operation.cattle.io/ETCDSnapshotRestore', 'operation.cattle.io/EncryptionKeyRotation',
  // sessions and profiles of users, which hold credentials
  'management.cattle.io/Token', 'management.cattle.io/UserAttribute', 'management.cattle.io/Preference',
]);
