import { GateId } from './gate-id';
import { GateRow } from './gate-row';
import { Product } from './product';

const product = Product.HARVESTER;

/** What Harvester's version decides, its settings aside. Not exported by the folder. */
export const HARVESTER_GATES: readonly GateRow[] = [
  {
    // Two lines although 1.8.0 comes after 1.7.2: pre-releases of 1.8.0 were not read, and the plain form works everywhere.
    id: GateId.REGISTRATION_URL_JSON,
    product,
    since: ['1.7.2', '1.8.0'],
    what: 'the JSON form of the setting cluster-registration-url',
    source: 'harvester/harvester pkg/settings/settings_helper.go (CVE-2025-71261); seen on Harvester 1.7.2',
    hint: 'write the plain URL, whose certificate is not verified',
  },
  {
    id: GateId.REGISTRATION_RESPONSE_CAP,
    product,
    since: ['1.8.0'],
    what: 'the limit of 1 MB on the fetched import manifest',
    source: 'harvester/harvester#10066',
  },
  {
    id: GateId.CLOUD_INIT_RESOURCE,
    product,
    since: ['1.3.0'],
    what: 'the resource CloudInit of node.harvesterhci.io',
    source: 'harvester/docs advanced/cloudinitcrd.md',
    hint: 'write the file to /oem on every node',
  },
  {
    id: GateId.IMAGE_CLASS_BY_UID,
    product,
    since: ['1.8.0'],
    what: 'a storage class of an image named lh-<uid> in place of longhorn-<image>',
    source: 'harvester/harvester v1.8.0',
  },
  {
    id: GateId.IMAGE_NAME_IS_LABEL,
    product,
    since: ['1.9.0'],
    what: 'the rule that displayName of an image is a label value',
    source: 'harvester/harvester branch v1.9',
    confirmed: false,
  },
  {
    id: GateId.OVERCOMMIT_LOWER_DEFAULTS,
    product,
    since: ['1.8.0'],
    what: 'the default overcommit of 1000/150/100 in place of 1600/150/200',
    source: 'harvester/harvester pkg/settings/settings.go at the release tags',
  },
  {
    id: GateId.FORCE_RESET_FAST_DEFAULT,
    product,
    since: ['1.7.0'],
    what: 'the default force reset after 15 s in place of 300 s',
    source: 'harvester/harvester pkg/settings/settings.go at the release tags',
  },
  {
    id: GateId.NO_PROXY_MUST_COVER_NODES,
    product,
    since: ['1.3.1'],
    what: 'the rule that noProxy of the setting http-proxy covers every node',
    source: 'harvester/harvester pkg/webhook/resources/setting/validator.go',
  },
  {
    id: GateId.CPU_MANAGER,
    product,
    since: ['1.4.0'],
    what: 'the CPU manager, which pinned CPUs need',
    source: 'harvester/harvester v1.4.0',
  },
  {
    id: GateId.RKE1_GUESTS,
    product,
    since: [],
    until: ['1.6.0'],
    what: 'an RKE1 guest cluster',
    source: 'harvester/docs v1.6',
    hint: 'use RKE2 or K3s',
  },
  {
    id: GateId.CLOUD_PROVIDER_V0_2,
    product,
    since: ['1.2.0'],
    what: 'the cloud provider chart 0.2.2 and later',
    source: 'harvester/docs rancher/cloud-provider.md, backward compatibility notice',
    hint: 'upgrade Harvester first, or use an earlier release of RKE2',
  },
  {
    id: GateId.CSI_VOLUMES_RWX,
    product,
    since: ['1.4.0'],
    what: 'ReadWriteMany volumes in guest clusters (CSI chart 0.1.20)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_ONLINE_RESIZE,
    product,
    since: ['1.6.0'],
    what: 'online resizing of volumes in guest clusters (CSI chart 0.1.24)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_SNAPSHOTS,
    product,
    since: ['1.7.0'],
    what: 'volume snapshots in guest clusters (CSI chart 0.1.25)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_BACKUPS,
    product,
    since: ['1.8.0'],
    what: 'volume backups in guest clusters (CSI chart 0.1.28)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.LOAD_BALANCER_NETWORK,
    product,
    since: ['1.9.0'],
    what: 'a network of its own for a load balancer of a guest cluster',
    source: 'harvester/load-balancer-harvester of Harvester 1.9',
    confirmed: false,
  },
  {
    id: GateId.LOAD_BALANCER_CLEANUP,
    product,
    since: ['1.8.0'],
    what: 'the removal of load balancers with their guest cluster',
    source: 'harvester/docs v1.8',
  },
];
