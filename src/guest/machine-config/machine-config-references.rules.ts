import { machineReferences } from './machine-json.check';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { ANNOTATION_CREATOR_ID, ANNOTATION_NO_CREATOR_RBAC } from '../../rancher/members/creator.kind';
import { GuestHarvesters } from '../cloud-provider/guest-harvester';
import { vmNamespaceOf } from '../cluster/cluster-reader.check';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../cluster/cluster.kind';

const KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];

/** The objects on the Harvester cluster that a machine refers to. */
const REFERRED = [
  { of: 'images', path: 'diskInfo', group: GROUPS.HARVESTER, kind: 'VirtualMachineImage', says: 'virtualmachineimages.harvesterhci.io' },
  {
    of: 'networks',
    path: 'networkInfo',
    group: 'k8s.cni.cncf.io',
    kind: 'NetworkAttachmentDefinition',
    says: 'network-attachment-definitions.k8s.cni.cncf.io',
  },
] as const;

const REFERENCES: Rule = {
  id: 'machine-config/references',
  level: 'warning',
  kinds: KINDS,
  what: 'references to images and networks are names of objects, and images are not ISOs',
  source: 'harvester/docker-machine-driver-harvester:harvester/precreate.go; rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue',
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const references = machineReferences(config.manifest);
    for (const { of, path, group, kind, says } of REFERRED) {
      for (const reference of references[of]) { yield* checkReference(config, reference, { path, group, kind, says }, world); }
    }
  },
};

interface Referred { readonly path: string; readonly group: string; readonly kind: string; readonly says: string }

function* checkReference(config: JudgedObject, reference: string, { path, group, kind, says }: Referred, world: World): Iterable<Problem> {
  const [namespace, name] = reference.includes('/') ? reference.split('/') : [vmNamespaceOf(config), reference];
  if (isLate(reference) || namespace === undefined) { return; }
  const harvester = GuestHarvesters.in(world).ofMachines(config);
  if (!harvester) { return; }
  const found = world.find({ target: harvester }, group, kind, namespace, name);
  if (!found) {
    const shown = displayed(world, group, kind).get(`${harvester.name} ${namespace}/${name}`);
    // a Harvester cluster holds more than a program declares: report only what looks like a mistake
    if (shown) {
      yield {
        path,
        value: reference,
        message: `must be the name of an object: it is the display name of ${kind} ${shown.manifest.metadata.name}`,
        fix: `write ${namespace}/${shown.manifest.metadata.name}`,
        says: `${says} "${name}" not found`,
      };
    }
    return;
  }
  const url = valueAt(found.manifest, 'spec', 'url');
  if (typeof url === 'string' && /\.iso$/i.test(url.split(/[?#]/, 1)[0])) {
    yield {
      path,
      value: reference,
      message: 'must be a cloud image: an ISO holds an installer, so the machine never becomes ready',
      fix: 'use a cloud image (qcow2 or raw)',
    };
  }
}

const displayedByWorld = new WeakMap<World, Map<string, Map<string, JudgedObject>>>();

/** The objects of a kind by their display name, computed once a world. */
function displayed(world: World, group: string, kind: string): Map<string, JudgedObject> {
  const ofWorld = displayedByWorld.get(world) ?? new Map<string, Map<string, JudgedObject>>();
  displayedByWorld.set(world, ofWorld);
  const known = ofWorld.get(kind);
  if (known) { return known; }
  const map = new Map(world.ofKind(group, kind).flatMap((object) => {
    const name = valueAt(object.manifest, 'spec', 'displayName');
    return typeof name === 'string' ? [[`${object.target.name} ${object.manifest.metadata.namespace ?? ''}/${name}`, object] as const] : [];
  }));
  ofWorld.set(kind, map);
  return map;
}

const CREATOR: Rule = {
  id: 'machine-config/creator',
  level: 'error',
  kinds: KINDS,
  what: 'Rancher sets the creator of a machine configuration',
  source: 'rancher/webhook:pkg/resources/rke-machine-config.cattle.io/v1/machineconfig/validator.go; pkg/resources/common/validation.go',
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const annotations = annotationsOf(config.manifest);
    const creator = annotations[ANNOTATION_CREATOR_ID];
    // a manifest that was read from a server has it
    if (creator === undefined || world.exists(config)) { return; }
    const path = `metadata.annotations[${ANNOTATION_CREATOR_ID}]`;
    yield annotations[ANNOTATION_NO_CREATOR_RBAC] === undefined
      ? {
        path,
        value: creator,
        level: 'warning',
        message: 'must be the user that creates the object, or Rancher refuses it',
        fix: 'remove it: Rancher sets it',
        says: 'creatorID annotation does not match user',
      }
      : {
        path,
        value: creator,
        message: `cannot be set together with ${ANNOTATION_NO_CREATOR_RBAC}`,
        fix: 'remove it: Rancher sets it',
        says: 'cannot have creatorID annotation when no-creator-rbac is set',
      };
  },
};

/** Rules for the references of a machine configuration. */
export const MACHINE_REFERENCE_RULES: readonly Rule[] = [REFERENCES, CREATOR];
