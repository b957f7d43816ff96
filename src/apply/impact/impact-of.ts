import { allMachines, fieldImpacts } from './cluster-fields';
import { Impact, Sides, sortImpacts, Where } from './impact';
import { machinesOf } from './pool-size';
import { poolImpacts } from './pools';
import { secretImpacts } from './secrets';
import { objectLabel } from '../../model/manifest';
import { isProvisioned } from '../../model/retention';
import { poolsOf } from '../../rules/guest-cluster-parts';
import { JudgedObject } from '../../rules/rule';

/**
 * What an edit does to the machines of guest clusters, before it is applied. Nothing live is asked: the manifests as they were stand for it.
 */
export function impactOf(sides: Sides): Impact[] {
  const impacts: Impact[] = [];
  for (const before of sides.before.clusters.filter(({ manifest }) => isProvisioned(manifest))) {
    const after = sides.after.cluster(before);
    if (!after) {
      impacts.push(gone(before));
    } else if (isProvisioned(after.manifest)) {
      impacts.push(...changed(before, after, sides));
    } else {
      impacts.push(imported(before, after));
    }
  }
  for (const after of sides.after.clusters) {
    if (isProvisioned(after.manifest) && !sides.before.cluster(after)) { impacts.push(created(after)); }
  }
  return sortImpacts(impacts);
}

function* changed(before: JudgedObject, after: JudgedObject, sides: Sides): Iterable<Impact> {
  const where = whereOf(after);
  yield* poolImpacts({ before, after }, sides, where);
  yield* fieldImpacts(before, after, sides, where);
  yield* secretImpacts(after, sides, where);
}

function created(after: JudgedObject): Impact {
  return {
    ...whereOf(after),
    effect: 'create',
    ...allMachines(after.manifest),
    what: 'the Cluster is new: all of its machines are made',
    causes: [{ object: objectLabel(after.manifest), path: '', remark: 'is new' }],
    risks: [],
  };
}

function gone(before: JudgedObject): Impact {
  const machines = poolsOf(before.manifest).some((pool) => machinesOf(pool) !== 0);
  return {
    ...whereOf(before),
    effect: 'delete',
    ...allMachines(before.manifest),
    what: 'the Cluster is gone: all of its machines are deleted with their disks',
    causes: [{ object: objectLabel(before.manifest), path: '', remark: 'is gone' }],
    risks: [
      'all data of the cluster is lost, snapshots of etcd on its machines too',
      ...(machines ? ['delete its cloud credential only when it is gone: without it the virtual machines stay'] : []),
    ],
  };
}

function imported(before: JudgedObject, after: JudgedObject): Impact {
  return {
    ...whereOf(after),
    effect: 'refuse',
    ...allMachines(before.manifest),
    what: 'is refused: RKEConfig cannot be made null after cluster creation',
    causes: [{ object: objectLabel(after.manifest), path: 'spec.rkeConfig', remark: 'is gone' }],
    risks: [],
  };
}

function whereOf({ manifest, target, construct }: JudgedObject): Where {
  const { namespace, name } = manifest.metadata;
  return { cluster: `${namespace ?? ''}/${name}`, target: target.name, ...(construct === undefined ? {} : { construct }) };
}
