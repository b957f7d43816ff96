/**
 * The drivers whose volumes CDI knows: a StorageClass of one of these needs no access modes. What any Harvester from 1.6.0 on knows is listed, so that a
 * driver which is missing here is known to none of them.
 * @see kubevirt/containerized-data-importer:pkg/storagecapabilities/storagecapabilities.go CapabilitiesByProvisionerKey, as Harvester 1.6.0 to 1.9.0 vendor it
 */
export const CDI_PROVISIONERS: ReadonlySet<string> = new Set([
  'block.csi.ibm.com', 'blockvolume.csi.oraclecloud.com', 'cephfs.csi.ceph.com', 'cinder.csi.openstack.org', 'csi-isilon.dellemc.com',
  'csi-powermax.dellemc.com', 'csi-powerstore.dellemc.com', 'csi-unity.dellemc.com', 'csi-vxflexos.dellemc.com', 'csi.hpe.com',
  'csi.huawei.com', 'csi.ovirt.org', 'csi.vsphere.vmware.com', 'disk.csi.azure.com', 'driver.longhorn.io', 'ebs.csi.aws.com',
  'efs.csi.aws.com', 'file.csi.azure.com', 'hspc.csi.hitachi.com', 'k8s-sigs.io/nfs-subdir-external-provisioner',
  'k8s.io/minikube-hostpath', 'kubernetes.io/aws-ebs', 'kubernetes.io/azure-disk', 'kubernetes.io/azure-file', 'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume', 'kubernetes.io/rbd', 'kubernetes.io/storageos', 'kubesan.gitlab.io', 'kubevirt.io.hostpath-provisioner',
  'kubevirt.io/hostpath-provisioner', 'linstor.csi.linbit.com', 'manila.csi.openstack.org', 'nfs.csi.k8s.io',
  'openshift-storage.cephfs.csi.ceph.com', 'openshift-storage.rbd.csi.ceph.com', 'pd.csi.storage.gke.io', 'pxd.openstorage.org',
  'pxd.portworx.com', 'rbd.csi.ceph.com', 'rook-ceph.cephfs.csi.ceph.com', 'rook-ceph.rbd.csi.ceph.com', 'spectrumscale.csi.ibm.com',
  'storageos', 'topolvm.cybozu.com', 'topolvm.io', 'vpc.block.csi.ibm.io',
]);

/** The drivers that CDI knows with some parameters, and not with others; volumes without a driver are known by their PersistentVolumes. */
export const CDI_PROVISIONERS_BY_PARAMETERS: readonly string[] = [
  'csi.san.synology.com', 'csi.trident.netapp.io', 'infinibox-csi-driver', 'kubernetes.io/no-provisioner',
];
