import { attachmentsBeside, clusterNetworksBeside, mtuOf, vlanConfigsBeside } from './host-networks';
import { some } from './infrastructure-context';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { checkClusterNetworkName } from '../model/checks/cluster-network';
import { annotationsOf } from '../model/checks/metadata-maps';
import { checkMtu } from '../model/checks/mtu';
import { plainText } from '../model/checks/plain-text';
import { ANNOTATION_UPLINK_MTU, MGMT_CLUSTER_NETWORK } from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { objectLabel } from '../model/manifest';
import { Problem } from '../model/problem';

const KINDS = ['network.harvesterhci.io/ClusterNetwork'];
const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go';
const ANNOTATION = `metadata.annotations[${ANNOTATION_UPLINK_MTU}]`;

const NAME: Rule = {
  id: 'cluster-network/name',
  level: 'error',
  kinds: KINDS,
  what: 'the name of a new cluster network has up to 12 characters',
  source: VALIDATOR,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!world.exists(object)) { yield* checkClusterNetworkName('metadata.name', object.manifest.metadata.name); }
  },
};

const MTU: Rule = {
  id: 'cluster-network/mtu',
  level: 'error',
  kinds: KINDS,
  what: 'the MTU of a cluster network is said by its VlanConfigs, and only of mgmt by an annotation',
  source: VALIDATOR,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const text = annotationsOf(object.manifest)[ANNOTATION_UPLINK_MTU];
    if (text === undefined || isLate(text)) { return; }
    if (name === MGMT_CLUSTER_NETWORK) {
      yield* checkMtu(ANNOTATION, /^\d+$/.test(plainText(text)) ? Number(text) : text);
    } else if (!world.exists(object)) {
      yield {
        path: ANNOTATION, value: text, message: 'is Harvester\'s to write', fix: 'give the MTU in the VlanConfigs of the cluster network', says: `annotation ${ANNOTATION_UPLINK_MTU} can't be added`,
      };
    } else {
      const told = Number(plainText(text));
      const other = vlanConfigsBeside(object, world).get(name)?.find(({ manifest }) => told > 0 && mtuOf(manifest) !== told);
      if (other) {
        yield {
          path: ANNOTATION,
          value: text,
          message: `is not ${mtuOf(other.manifest)}, the MTU of the VlanConfig ${other.manifest.metadata.name}`,
          fix: 'leave it out: Harvester writes it',
          says: `clusternetwork has MTU ${plainText(text)}, but the vlanconfigs ${other.manifest.metadata.name} has another MTU ${mtuOf(other.manifest)}`,
        };
      }
    }
  },
};

const MGMT: Rule = {
  id: 'cluster-network/mgmt',
  level: 'error',
  kinds: KINDS,
  what: 'the cluster network mgmt stays',
  source: VALIDATOR,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.metadata.name === MGMT_CLUSTER_NETWORK) {
      yield { path: '', message: 'is gone, and Harvester does not delete it', fix: 'keep it', says: `can't delete cluster network ${MGMT_CLUSTER_NETWORK} because it is not allowed` };
    }
  },
};

const DELETION: Rule = {
  id: 'cluster-network/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a cluster network is not deleted while VlanConfigs or networks are on it',
  source: VALIDATOR,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    // the same name may be given to a new one
    if (clusterNetworksBeside(gone, world).has(name)) { return; }
    for (const [users, says] of [
      [vlanConfigsBeside(gone, world).get(name) ?? [], 'vlanconfig(s) [%s] under this clusternetwork are still existing'],
      [attachmentsBeside(gone, world).get(name) ?? [], 'nads(s) %s under this clusternetwork are still existing'],
    ] as const) {
      if (users.length === 0) { continue; }
      yield {
        path: '',
        message: `is gone, and carries ${some(users.map(({ manifest }) => objectLabel(manifest)))}`,
        fix: 'delete those first, in a step before',
        says: `can't delete cluster network ${name} because ${says.replace('%s', users.map(({ manifest }) => manifest.metadata.name).join(' '))}`,
      };
    }
  },
};

/** Rules on cluster networks. */
export const CLUSTER_NETWORK_RULES: readonly Rule[] = [NAME, MTU, MGMT, DELETION];
