import { Manifest, annotationsOf, groupOf, kindKey, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { ANNOTATION_NAME } from '../../guest/cloud-provider/cloud-provider.kind';
import { rkeConfigOf } from '../../guest/cluster/cluster-reader.facts';
import { CREDENTIAL_DRIVER } from '../../guest/cluster/cluster.kind';

/** What an object is called; undefined where it is not a part of its own. */
type Noun = string | ((manifest: Manifest) => string | undefined);

/**
 * The kinds whose objects people know by themselves, in the order in which reports list them: what
 * else a construct writes belongs to one of these.
 */
const NOUNS: { readonly [kind: string]: Noun } = {
  'provisioning.cattle.io/Cluster': (manifest) =>
    rkeConfigOf(manifest) ? 'guest cluster' : 'imported cluster',
  'management.cattle.io/Cluster': 'management cluster',
  'management.cattle.io/Project': 'project',
  '/Namespace': 'namespace',
  'kubevirt.io/VirtualMachine': 'virtual machine',
  'loadbalancer.harvesterhci.io/LoadBalancer': 'load balancer',
  '/Service': (manifest) =>
    valueAt(manifest, 'spec', 'type') === 'LoadBalancer' ? 'load balancer' : undefined,
  'loadbalancer.harvesterhci.io/IPPool': 'IP pool',
  'k8s.cni.cncf.io/NetworkAttachmentDefinition': 'VM network',
  'network.harvesterhci.io/ClusterNetwork': 'cluster network',
  'network.harvesterhci.io/VlanConfig': 'VLAN config',
  'kubeovn.io/Vpc': 'VPC',
  'kubeovn.io/Subnet': 'subnet',
  'harvesterhci.io/VirtualMachineImage': 'image',
  'harvesterhci.io/VirtualMachineTemplate': 'VM template',
  'harvesterhci.io/KeyPair': 'key pair',
  'storage.k8s.io/StorageClass': 'storage class',
  '/PersistentVolumeClaim': 'volume',
  'harvesterhci.io/ScheduleVMBackup': 'backup schedule',
  '/Secret': (manifest) =>
    annotationsOf(manifest)[CREDENTIAL_DRIVER] === undefined ? undefined : 'cloud credential',
  'management.cattle.io/User': 'user',
  'management.cattle.io/GlobalRole': 'global role',
  'management.cattle.io/RoleTemplate': 'role template',
  'management.cattle.io/AuthConfig': 'login provider',
  'catalog.cattle.io/ClusterRepo': 'chart repository',
  'helm.cattle.io/HelmChart': 'Helm chart',
  'fleet.cattle.io/GitRepo': 'GitRepo',
  'harvesterhci.io/Addon': 'add-on',
  '/ServiceAccount': 'service account',
  'management.cattle.io/Setting': 'setting',
  'harvesterhci.io/Setting': 'setting',
};

const PLACES = new Map(Object.keys(NOUNS).map((kind, place) => [kind, place]));

/** The place of an object among those of its construct, if it is a part of its own. */
export function placeOf(manifest: Manifest): number | undefined {
  const key = keyOf(manifest);
  const noun = NOUNS[key];
  const isPart = typeof noun === 'function' ? noun(manifest) !== undefined : noun !== undefined;
  return isPart ? PLACES.get(key) : undefined;
}

/** What a part is called by its main object, e.g. `IP pool`; its kind where it has no other word. */
export function nounOf(manifest: Manifest): string {
  const noun = NOUNS[keyOf(manifest)];
  return (typeof noun === 'function' ? noun(manifest) : noun) ?? manifest.kind;
}

/** The words for several parts. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) {
    return `${noun.slice(0, -1)}ies`;
  }
  return /(?:s|ss|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The name that people gave an object, e.g. that of a project whose ID is generated. */
export function titleOf(manifest: Manifest): string {
  const { metadata, spec } = manifest;
  return (
    filledText(valueAt(spec, 'displayName')) ??
    filledText(valueAt(manifest, 'metadata', 'annotations', ANNOTATION_NAME)) ??
    metadata.name
  );
}

function keyOf({ apiVersion, kind }: Manifest): string {
  return kindKey(groupOf(apiVersion), kind);
}
