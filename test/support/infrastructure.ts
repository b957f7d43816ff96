import { brief } from './judging';
import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, Rule, World } from '../../src/core/rule/rule';
import { VALUE_RULES } from '../../src/core/shape/shape.rules';
import { ADDON_RULES } from '../../src/harvester/addon/addon.rules';
import { SNAPSHOT_QUOTA_RULES } from '../../src/harvester/backup/backup.rules';
import {
  CLUSTER_NETWORK_RULES,
  VLAN_CONFIG_RULES,
} from '../../src/harvester/cluster-network/cluster-network.rules';
import { HOST_NETWORK_RULES } from '../../src/harvester/cluster-network/host-network-config.rules';
import { IMAGE_RULES } from '../../src/harvester/image/vm-image.rules';
import { KEY_PAIR_RULES } from '../../src/harvester/key-pair/key-pair.rules';
import { NETWORK_ATTACHMENT_RULES } from '../../src/harvester/network/vm-network.rules';
import { NODE_CLOUD_INIT_RULES } from '../../src/harvester/node/node.rules';
import {
  ENCRYPTION_SECRET_RULES,
  STORAGE_CLASS_RULES,
} from '../../src/harvester/storage/storage.rules';
import { IMMUTABLE_RULES } from '../../src/registry/all-rules';

/** Rules on what virtual machines of a Harvester need: images, keys, networks, storage, add-ons. */
export const INFRASTRUCTURE_RULES: readonly Rule[] = [
  ...IMAGE_RULES,
  ...KEY_PAIR_RULES,
  ...CLUSTER_NETWORK_RULES,
  ...VLAN_CONFIG_RULES,
  ...NETWORK_ATTACHMENT_RULES,
  ...HOST_NETWORK_RULES,
  ...STORAGE_CLASS_RULES,
  ...ENCRYPTION_SECRET_RULES,
  ...ADDON_RULES,
  ...SNAPSHOT_QUOTA_RULES,
  ...NODE_CLOUD_INIT_RULES,
];

/** The Harvester cluster of the manifests that a test checks. */
export interface Around {
  /** Harvester's version; '' is not known. @default '1.7.2' */
  readonly version?: string;
  readonly kind?: JudgedTarget['kind'];
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
}

/** Runs the rules of this family over manifests on one Harvester. */
export function findings(
  manifests: readonly Manifest[],
  { version = '1.7.2', kind = 'harvester', live = [], before = [] }: Around = {},
): Finding[] {
  const target: JudgedTarget = {
    name: 'dc1',
    kind,
    ...(version ? { harvesterVersion: version } : {}),
  };
  const on = (list: readonly Manifest[]): JudgedObject[] =>
    list.map((manifest) => ({ manifest, target }));
  return judge(
    [...INFRASTRUCTURE_RULES, ...IMMUTABLE_RULES, ...VALUE_RULES],
    new World(on(manifests), on(live), on(before)),
  );
}

/** The findings as `level rule path`. */
export function told(manifests: readonly Manifest[], around?: Around): string[] {
  return brief(findings(manifests, around));
}

/** The words of the server in the findings. */
export function says(manifests: readonly Manifest[], around?: Around): string[] {
  return findings(manifests, around).map(
    ({ message }) => /\(the server: "(.*)"\)$/.exec(message)?.[1] ?? '',
  );
}

function object(
  apiVersion: string,
  kind: string,
  name: string,
  fields: object,
  metadata: object = {},
): Manifest {
  return { apiVersion, kind, metadata: { name, ...metadata }, ...fields };
}

export const image = (name: string, spec: object = {}, metadata: object = {}): Manifest =>
  object(
    'harvesterhci.io/v1beta1',
    'VirtualMachineImage',
    name,
    {
      spec: {
        displayName: name,
        sourceType: 'download',
        url: 'https://images.example.com/a.img',
        ...spec,
      },
    },
    { namespace: 'default', ...metadata },
  );

export const clusterNetwork = (name: string, annotations?: object): Manifest =>
  object(
    'network.harvesterhci.io/v1beta1',
    'ClusterNetwork',
    name,
    {},
    annotations ? { annotations } : {},
  );

export const vlanConfig = (
  name: string,
  network: string,
  spec: object = {},
  metadata: object = {},
): Manifest =>
  object(
    'network.harvesterhci.io/v1beta1',
    'VlanConfig',
    name,
    {
      spec: { clusterNetwork: network, uplink: { nics: ['enp2s0'] }, ...spec },
    },
    metadata,
  );

export const network = (name: string, config: object | string, metadata: object = {}): Manifest =>
  object(
    'k8s.cni.cncf.io/v1',
    'NetworkAttachmentDefinition',
    name,
    {
      spec: {
        config:
          typeof config === 'string' ? config : JSON.stringify({ name, type: 'bridge', ...config }),
      },
    },
    { namespace: 'default', ...metadata },
  );

export const hostNetwork = (name: string, spec: object = {}): Manifest =>
  object('network.harvesterhci.io/v1beta1', 'HostNetworkConfig', name, {
    spec: { clusterNetwork: 'mgmt', vlanID: 5, mode: 'dhcp', ...spec },
  });

export const storageClass = (name: string, fields: object = {}, annotations?: object): Manifest =>
  object(
    'storage.k8s.io/v1',
    'StorageClass',
    name,
    {
      provisioner: 'driver.longhorn.io',
      ...fields,
    },
    annotations ? { annotations } : {},
  );

export const node = (name: string, labels: object = {}): Manifest =>
  object('v1', 'Node', name, {}, { labels });

/** The same object as a server shows it. */
export const live = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '1' },
});
