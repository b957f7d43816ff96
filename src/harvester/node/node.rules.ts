import { checkNodeCloudInit } from './node.check';
import { NODE_LABEL, oemFileOf } from './node.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isFromServer, labelsOf, specOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { joinedProblems } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { unique } from '../../core/rule/kit/relations';
import { checkServed } from '../../core/rule/kit/served';
import { JudgedObject, World } from '../../core/rule/rule';
import { filledText, some } from '../../core/text/plain-text';
import { byObject, compare } from '../../core/text/values';
import { LABEL_WITNESS } from '../cluster-network/cluster-network.kind';

/** A Node as far as it is known. */
interface KnownNode {
  readonly manifest: Manifest;
  /**
   * Whether all its labels are known: not if the program declares some of them, as HarvesterNode
   * does, and the node was not read.
   */
  readonly whole: boolean;
  readonly judged: boolean;
}

/**
 * The Nodes of a world by target: those of the server have the labels that the program sets on
 * them.
 */
const nodesIn = byObject((world: World): ReadonlyMap<string, readonly KnownNode[]> => {
  const live = new Map(
    world.live
      .filter(({ manifest }) => manifest.apiVersion === 'v1' && manifest.kind === 'Node')
      .map(({ target, manifest }) => [`${target.name} ${manifest.metadata.name}`, manifest]),
  );
  const nodes = new Map<string, KnownNode[]>();
  for (const object of world.ofKind('', 'Node')) {
    const { target, manifest } = object;
    const list = nodes.get(target.name) ?? [];
    nodes.set(target.name, list);
    list.push({
      ...wholeNode(manifest, live.get(`${target.name} ${manifest.metadata.name}`)),
      judged: world.isJudged(object),
    });
  }
  return nodes;
});

function wholeNode(
  manifest: Manifest,
  live: Manifest | undefined,
): Pick<KnownNode, 'manifest' | 'whole'> {
  const { spec, status } = manifest;
  if (manifest === live || spec !== undefined || status !== undefined || isFromServer(manifest)) {
    return { manifest, whole: true };
  }
  if (!live) {
    return { manifest, whole: false };
  }
  const labels = { ...live.metadata.labels, ...manifest.metadata.labels };
  return { manifest: { ...live, metadata: { ...live.metadata, labels } }, whole: true };
}

/** The nodes on the target of an object whose labels are all known. */
export function knownNodes({ target }: JudgedObject, world: World): readonly Manifest[] {
  return (nodesIn(world).get(target.name) ?? [])
    .filter(({ whole }) => whole)
    .map(({ manifest }) => manifest);
}

/** Rules on the nodes of a Harvester. */
export const NODE_RULES = rules({ kinds: ['/Node'] }, [
  {
    id: 'node/zones',
    level: 'warning',
    what: 'all nodes of a Harvester have a zone, or none',
    source:
      'kubernetes/kubernetes:pkg/scheduler/framework/plugins/interpodaffinity/filtering.go: a node without the ' +
      'label satisfies every anti-affinity by it',
    surelyOn: 'harvester',
    field: `metadata.labels[${NODE_LABEL.ZONE}]`,
    check: (_, __, { target, manifest }, world) => {
      const nodes = (nodesIn(world).get(target.name) ?? []).filter(
        (node) => labelsOf(node.manifest)[LABEL_WITNESS] === undefined,
      );
      const hasZone = (node: KnownNode): boolean =>
        labelsOf(node.manifest)[NODE_LABEL.ZONE] !== undefined;
      const without = nodes
        .filter((node) => !hasZone(node))
        .map((node) => node.manifest.metadata.name)
        .sort(compare);
      // once for each Harvester
      const first = nodes
        .filter((node) => node.judged && hasZone(node))
        .map((node) => node.manifest.metadata.name)
        .sort(compare)[0];
      return (
        without.length > 0 &&
        manifest.metadata.name === first && {
          message: `is set, and ${some(without)} ${without.length === 1 ? 'has' : 'have'} no zone: machines that spread over zones may all run there`,
          fix: 'set a zone for every node, or for none',
        }
      );
    },
  },
]);

const ADMITTER = 'harvester/node-manager:pkg/admitter/cloudinit.go';

function fileOf({ manifest }: JudgedObject): string | undefined {
  const name = filledText(specOf(manifest).filename);
  return name === undefined || isLate(name) ? undefined : oemFileOf(name);
}

/** Rules on CloudInits of Harvester's nodes. */
export const NODE_CLOUD_INIT_RULES = rules({ kinds: [`${GROUPS.HARVESTER_NODE}/CloudInit`] }, [
  {
    id: 'node-cloud-init/spec',
    what: 'a CloudInit of nodes has the name of a file that does not belong to Harvester, and its content is a YAML map',
    source: `${ADMITTER}; pkg/mutator/cloudinit.go`,
    judge: (object) =>
      joinedProblems(checkServed(object), checkNodeCloudInit(specOf(object.manifest))),
  },
  {
    id: 'node-cloud-init/file-twice',
    what: 'a file of the nodes belongs to only one CloudInit',
    source: `${ADMITTER} isFilenameTaken`,
    judge: unique([GROUPS.HARVESTER_NODE, 'CloudInit'], fileOf, (other, object) => ({
      path: 'spec.filename',
      value: fileOf(object),
      message: `must be unique: the CloudInit ${other.manifest.metadata.name} has this file`,
      fix: 'choose a different file name',
      says: 'filename already in use',
    })),
  },
]);
