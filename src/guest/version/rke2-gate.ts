/** Features that depend on the charts that a release of RKE2 bundles. */
export enum Rke2Gate {
  RKE2_BUNDLED_CHARTS = 'rke2-bundled-charts',
  RKE2_TOPOLOGY_LABELS = 'rke2-topology-labels',
  RKE2_CLOUD_PROVIDER_V0_2 = 'rke2-cloud-provider-v0-2',
  RKE2_CLOUD_CONFIG_PATH = 'rke2-cloud-config-path',
  RKE2_CLOUD_PROVIDER_DUAL_STACK = 'rke2-cloud-provider-dual-stack',
  RKE2_LOCAL_TRAFFIC_POLICY = 'rke2-local-traffic-policy',
  RKE2_LOAD_BALANCER_NETWORK = 'rke2-load-balancer-network',
  RKE2_CSI_HOST_STORAGE_CLASS = 'rke2-csi-host-storage-class',
  RKE2_CSI_ONLINE_RESIZE = 'rke2-csi-online-resize',
  RKE2_CSI_SNAPSHOTS = 'rke2-csi-snapshots',
  RKE2_CSI_BACKUPS = 'rke2-csi-backups',
}
