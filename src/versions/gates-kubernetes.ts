import { GateId } from './gate-id';
import { GateRow } from './gate-row';
import { Product } from './product';

const CHARTS = 'rancher/rke2 charts/chart_versions.yaml at its tags';

function rke2(id: GateId, versions: string[], what: string, source = CHARTS): GateRow {
  return { id, product: Product.KUBERNETES, since: versions.map((v) => v.replace('-r', '+rke2r')), what, source };
}

/**
 * What a release of RKE2 brings along. A test holds these rows against the table of bundled charts.
 * `1.33.6-r1` means v1.33.6+rke2r1. Not exported by the folder.
 */
export const KUBERNETES_GATES: readonly GateRow[] = [
  rke2(GateId.RKE2_BUNDLED_CHARTS, ['1.21.5-r1', '1.22.3-r1'], 'a bundled Harvester cloud provider and CSI driver'),
  rke2(GateId.RKE2_TOPOLOGY_LABELS, ['1.22.12-r1', '1.23.9-r1', '1.24.3-r1'], 'the zone and region of the Harvester node on nodes of the guest cluster',
    'harvester/docs rancher/node/node-driver.md'),
  rke2(GateId.RKE2_CLOUD_PROVIDER_V0_2, ['1.24.15-r1', '1.25.11-r1', '1.26.6-r1', '1.27.3-r1', '1.28.1-r1'],
    'a bundled cloud provider of 0.2, which needs Harvester 1.2.0'),
  rke2(GateId.RKE2_CLOUD_CONFIG_PATH, ['1.30.13-r1', '1.31.9-r1', '1.32.5-r1', '1.33.1-r1', '1.34.1-r1'],
    'a bundled cloud provider that looks for its configuration below /var/lib/rancher/rke2/etc/config-files'),
  rke2(GateId.RKE2_CLOUD_PROVIDER_DUAL_STACK, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider with dual-stack load balancers (0.2.12)'),
  rke2(GateId.RKE2_LOCAL_TRAFFIC_POLICY, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider whose kube-vip can keep to nodes with endpoints (0.2.12)'),
  rke2(GateId.RKE2_LOAD_BALANCER_NETWORK, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider with a network of its own for a load balancer (0.2.14)'),
  rke2(GateId.RKE2_CSI_HOST_STORAGE_CLASS, ['1.28.15-r1', '1.29.10-r1', '1.30.6-r1', '1.31.1-r2', '1.32.0-r1'],
    'a bundled CSI driver with hostStorageClass and ReadWriteMany volumes (0.1.20)'),
  rke2(GateId.RKE2_CSI_ONLINE_RESIZE, ['1.30.14-r2', '1.31.11-r1', '1.32.7-r1', '1.33.3-r1', '1.34.1-r1'],
    'a bundled CSI driver with online resizing (0.1.24)'),
  rke2(GateId.RKE2_CSI_SNAPSHOTS, ['1.31.14-r1', '1.32.10-r1', '1.33.6-r1', '1.34.2-r1', '1.35.0-r1'],
    'a bundled CSI driver with volume snapshots (0.1.25)'),
  rke2(GateId.RKE2_CSI_BACKUPS, ['1.33.11-r1', '1.34.7-r1', '1.35.4-r1', '1.36.0-r1'],
    'a bundled CSI driver with volume backups (0.1.28)'),
  rke2(GateId.RKE2_IMAGE_DIRECTORY_WATCHED, ['1.30.9-r1', '1.31.5-r1', '1.32.0-r1'],
    'the import of archives from /var/lib/rancher/rke2/agent/images while running, not only at start',
    'docs.rke2.io/import-images'),
];
