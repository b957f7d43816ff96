import { MACHINE_CONFIG_KINDS } from './machine-config.kind';
import { machineReferences } from './machine-json.facts';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, labelsOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem, joinedProblems, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { onTarget } from '../../core/rule/world-lookup';
import { LABEL_IMAGE_TYPE } from '../../harvester/image/vm-image.kind';
import { missingReference } from '../../harvester/reference/missing-reference.check';
import { reservedClassProblem } from '../../harvester/reserved-class/reserved-class.check';
import { notMigratable } from '../../harvester/storage/harvester-storage-class.check';
import { GROUP_STORAGE } from '../../harvester/storage/storage.kind';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../../rancher/binding/binding.kind';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import { vmNamespaceOf } from '../cluster/cluster-reader.facts';

/** The objects on the Harvester cluster that a machine refers to. */
const IMAGE = {
  path: 'diskInfo',
  group: GROUPS.HARVESTER,
  kind: 'VirtualMachineImage',
  says: 'virtualmachineimages.harvesterhci.io',
} as const;
const NETWORK = {
  path: 'networkInfo',
  group: 'k8s.cni.cncf.io',
  kind: 'NetworkAttachmentDefinition',
  says: 'network-attachment-definitions.k8s.cni.cncf.io',
} as const;

/** The problems of references to objects on a Harvester: many machines have the same ones. */
const knownOn = onTarget(
  () =>
    new Map(
      ([IMAGE, NETWORK] as const).map((referred) => [
        referred as Referred,
        new Map<string, readonly Problem[]>(),
      ]),
    ),
);

type Referred = typeof IMAGE | typeof NETWORK;

function checkKnown(
  config: JudgedObject,
  reference: string,
  referred: Referred,
  harvester: JudgedTarget,
  world: World,
): readonly Problem[] {
  const namespace = reference.includes('/') ? '' : vmNamespaceOf(config);
  const full = namespace ? `${namespace}/${reference}` : reference;
  if (namespace === undefined || isLate(full)) {
    return NO_PROBLEMS;
  }
  const known = knownOn({ target: harvester }, world).get(referred)!;
  let problems = known.get(full);
  if (!problems) {
    known.set(full, (problems = [...checkReference(full, referred, harvester, world)]));
  }
  return problems.length === 0
    ? NO_PROBLEMS
    : problems.map((problem) => ({ ...problem, value: reference }));
}

function* checkReference(
  reference: string,
  { path, group, kind, says }: Referred,
  harvester: JudgedTarget,
  world: World,
): Iterable<Problem> {
  const [namespace, name] = reference.split('/');
  const onHarvester = { target: harvester };
  const found = world.find(onHarvester, group, kind, namespace, name!);
  if (kind === IMAGE.kind && isIso(name!, found?.manifest)) {
    yield {
      path,
      level: 'warning',
      message:
        'must be a cloud image: an ISO holds an installer, so the machine never becomes ready',
      fix: 'use a cloud image (qcow2 or raw)',
    };
  }
  if (found) {
    return;
  }
  const missing = missingReference(onHarvester, { group, kind, namespace, name: name! }, world);
  if (missing) {
    yield { path, ...missing, says: `${says} "${name}" not found` };
  }
}

// also by name, since the image may not be in the world
function isIso(name: string, image: Manifest | undefined): boolean {
  const url = valueAt(image, 'spec', 'url');
  const names = [
    name,
    valueAt(image, 'spec', 'displayName'),
    typeof url === 'string' ? url.split(/[?#]/, 1)[0] : undefined,
  ];
  return (
    (image !== undefined && labelsOf(image)[LABEL_IMAGE_TYPE] === 'iso') ||
    names.some((text) => typeof text === 'string' && /\.iso$/i.test(text))
  );
}

const CREATOR = `metadata.annotations[${ANNOTATION_CREATOR_ID}]`;

/** Rules for the references of a machine configuration. */
export const MACHINE_REFERENCE_RULES = rules({ kinds: MACHINE_CONFIG_KINDS }, [
  {
    id: 'machine-config/references',
    what: 'references to images and networks are names of objects that exist, images are not ISOs, and the volumes of StorageClasses can migrate',
    source:
      'harvester/docker-machine-driver-harvester:harvester/precreate.go; rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue',
    judge: (config, world) => {
      const harvester = GuestHarvesters.in(world).ofMachines(config);
      const { images, networks, disks } = machineReferences(config.manifest);
      return (
        harvester &&
        joinedProblems(
          problemsOf(images, (image) => checkKnown(config, image, IMAGE, harvester, world)),
          problemsOf(networks, (network) => checkKnown(config, network, NETWORK, harvester, world)),
          problemsOf(disks, ({ path, storageClassName }) => {
            const storageClass = storageClassName
              ? world.find(
                  { target: harvester },
                  GROUP_STORAGE,
                  'StorageClass',
                  undefined,
                  storageClassName,
                )
              : undefined;
            const problem =
              reservedClassProblem(storageClassName, harvester) ??
              notMigratable(storageClass?.manifest);
            return (
              problem && { path: `${path}.storageClassName`, value: storageClassName, ...problem }
            );
          }),
        )
      );
    },
  },
  {
    id: 'machine-config/creator',
    what: 'Rancher sets the creator of a machine configuration',
    source:
      'rancher/webhook:pkg/resources/rke-machine-config.cattle.io/v1/machineconfig/validator.go; pkg/resources/common/validation.go',
    creation: true,
    field: CREATOR,
    late: 'judged',
    check: (_, __, { manifest }) =>
      annotationsOf(manifest)[ANNOTATION_NO_CREATOR_RBAC] === undefined
        ? {
            level: 'warning',
            message: 'must be the user that creates the object, or Rancher refuses it',
            fix: 'remove it: Rancher sets it',
            says: 'creatorID annotation does not match user',
          }
        : {
            message: `cannot be set together with ${ANNOTATION_NO_CREATOR_RBAC}`,
            fix: 'remove it: Rancher sets it',
            says: 'cannot have creatorID annotation when no-creator-rbac is set',
          },
  },
]);
