import { CPU_MEMORY_RULES } from './cpu-memory.rules';
import {
  ANNOTATION_RUN_STRATEGY,
  ANNOTATION_VOLUME_CLAIMS,
  DEFAULT_RUN_STRATEGY,
  LABEL_MAINTENANCE,
  MAINTENANCE_STRATEGIES,
  NIC_PREFIX,
  CLAIMS_PATH,
  claimsOf,
  instanceOf,
  isHarvesters,
  isHotplug,
  MACHINE_KINDS,
  claimNamesOf,
  ClaimTemplate,
  nicsIn,
  removedClaimsOf,
  VM_VALIDATOR,
} from './machine-manifest.facts';
import { SHAREABLE_DISK_RULES } from './shareable-disk.rules';
import { MACHINE_RELATION_RULES } from './virtual-machine-relations.rules';
import { checkMachine, checkVolumeSources, MachineContext } from './virtual-machine.check';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isFromServer,
  isRecord,
  labelsOf,
  Manifest,
  records,
  replacedAt,
  sameValue,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { filledText, plainText, some } from '../../core/text/plain-text';
import { quantityOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { tryYaml } from '../../core/yaml/yaml-reader';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../guest/cluster/cluster.kind';
import { CLOUD_INIT_KEYS } from '../cloud-init/cloud-init.check';
import { HarvesterGate, harvesterVersionOf } from '../version/harvester-version';

const LABEL_PATH = `metadata.labels[${LABEL_MAINTENANCE}]`;
const MIB = 1024 ** 2;
/** Below these, the unit is missing or wrong: no system boots with less. */
const LEAST_MEMORY = 32;
const LEAST_DISK = 1;
const QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function* checkSize(path: string, value: unknown, least: number): Iterable<Problem> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '' || isLate(value)) {
    return;
  }
  const bytes = quantityOf(value);
  if (bytes === undefined) {
    yield {
      path,
      value,
      message: 'must be a quantity',
      fix: 'write a number with Mi or Gi, e.g. 4Gi',
      says: QUANTITY,
    };
  } else if (bytes > 0 && bytes < least * MIB) {
    const message = `must be at least ${least}Mi: without a unit it is a number of bytes`;
    yield { path, value, level: 'warning', message, fix: 'write a number with Mi or Gi, e.g. 4Gi' };
  }
}

/** Rules for the units of virtual machines. */
export const UNIT_RULES = rules({ kinds: MACHINE_KINDS }, [
  {
    id: 'virtual-machine/units',
    what: 'memory and disk sizes of a virtual machine are quantities with their unit, such as 4Gi',
    source: 'https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/',
    surelyOn: 'harvester',
    *judge({ manifest }) {
      const domain = valueAt(instanceOf(manifest), 'domain');
      for (const keys of [
        ['memory', 'guest'],
        ['resources', 'limits', 'memory'],
        ['resources', 'requests', 'memory'],
      ]) {
        yield* checkSize(
          `spec.template.spec.domain.${keys.join('.')}`,
          valueAt(domain, ...keys),
          LEAST_MEMORY,
        );
      }
      for (const { size } of claimsOf(manifest)) {
        yield* checkSize(CLAIMS_PATH, size, LEAST_DISK);
      }
    },
  },
]);

/** The user data or network data of a virtual machine, and its path. */
interface CloudInitText {
  readonly path: string;
  readonly text: string;
  readonly inSecret: boolean;
}

/** Where cloud-init data is: its field, the field that names a Secret, and the keys in it. */
const CLOUD_INIT_PARTS = {
  userData: { secret: 'secretRef', keys: [CLOUD_INIT_KEYS.USER, 'userData'] },
  networkData: { secret: 'networkDataSecretRef', keys: [CLOUD_INIT_KEYS.NETWORK, 'networkData'] },
} as const;

/** The user data or network data of a virtual machine, inline or in a Secret of the world. */
export function cloudInitOfMachine(
  machine: JudgedObject,
  world: World,
  part: keyof typeof CLOUD_INIT_PARTS,
): CloudInitText[] {
  const { secret: reference, keys } = CLOUD_INIT_PARTS[part];
  return records(instanceOf(machine.manifest).volumes).flatMap(([index, volume]) =>
    ['cloudInitNoCloud', 'cloudInitConfigDrive'].flatMap((kind): CloudInitText[] => {
      const path = `spec.template.spec.volumes[${index}].${kind}`;
      const inBase64 = `${part}Base64`;
      const [plain, encoded, name] = [[part], [inBase64], [reference, 'name']].map((steps) =>
        valueAt(volume, kind, ...steps),
      );
      if (typeof plain === 'string') {
        return [{ path: `${path}.${part}`, text: plain, inSecret: false }];
      }
      if (typeof encoded === 'string') {
        return [
          {
            path: `${path}.${inBase64}`,
            text: Buffer.from(encoded, 'base64').toString('utf8'),
            inSecret: false,
          },
        ];
      }
      if (typeof name !== 'string') {
        return [];
      }
      const secret = world.find(
        machine,
        '',
        'Secret',
        machine.manifest.metadata.namespace ?? 'default',
        name,
      )?.manifest;
      const text =
        secret &&
        keys
          .map((key) => secretEntry(secret, key, isLate)?.text)
          .find((found) => found !== undefined);
      return text === undefined ? [] : [{ path: `${path}.${reference}`, text, inSecret: true }];
    }),
  );
}

/**
 * What user data may begin with, as cloud-init reads it.
 * @see https://docs.cloud-init.io/en/latest/explanation/format.html
 */
const HEADERS =
  /^(?:#!|#cloud-config|#cloud-boothook|#cloud-config-archive|#include|#upstart-job|#part-handler|## template:|Content-Type:|MIME-Version:|From |\x1f\x8b)/i;

function* checkConfig(path: string, text: string, inSecret: boolean): Iterable<Problem> {
  const { documents, fault } = tryYaml(text);
  if (!documents) {
    yield {
      path,
      message: `is not valid YAML, so cloud-init ignores it: ${fault}`,
      fix: 'correct the text',
    };
    return;
  }
  const [config] = documents;
  const texts = [
    valueAt(config, 'password'),
    ...itemsAt(config, 'users').map((user) => valueAt(user, 'plain_text_passwd')),
  ];
  if (
    !inSecret &&
    texts.some(
      (password) =>
        typeof password === 'string' &&
        password !== '' &&
        !/^\$\d/.test(password) &&
        !isLate(password),
    )
  ) {
    const message =
      'must not contain a password in plain text, which everyone who can read the manifest sees';
    yield { path, message, fix: 'use SSH keys, or put the user data into a Secret' };
  }
}

/** Rules for the user data of virtual machines. */
export const USER_DATA_RULES = rules({ kinds: MACHINE_KINDS }, [
  {
    id: 'virtual-machine/user-data',
    level: 'warning',
    what:
      'the user data of a virtual machine begins with a line that cloud-init knows, is valid YAML, and holds no ' +
      'password in plain text outside of a Secret',
    source: 'https://docs.cloud-init.io/en/latest/explanation/format.html',
    surelyOn: 'harvester',
    *judge(machine, world) {
      for (const { path, text, inSecret } of cloudInitOfMachine(machine, world, 'userData')) {
        if (text.trim() === '' || isLate(text)) {
          continue;
        }
        if (!HEADERS.test(text)) {
          const message =
            'must begin with #cloud-config, or #! for a script: cloud-init ignores other user data';
          yield { path, message, fix: 'write #cloud-config as its first line' };
        } else if (/^#cloud-config\s*$/m.test(text.split('\n', 1)[0]!)) {
          yield* checkConfig(path, text, inSecret);
        }
      }
    },
  },
]);

const HALTED = 'Halted';
const runStrategyOf = (machine: Manifest): unknown => valueAt(machine, 'spec', 'runStrategy');

function* samePairs(
  now: Manifest,
  before: Manifest,
): Iterable<readonly [now: ClaimTemplate, before: ClaimTemplate]> {
  const old = new Map(claimsOf(before).map((claim) => [claim.name, claim]));
  for (const claim of claimsOf(now)) {
    const was = old.get(claim.name);
    if (was) {
      yield [claim, was];
    }
  }
}

const PARTS = ['cpu', 'resources', 'firmware', 'machine', 'devices'];

// the server fills in what the manifest omits
function differs(now: unknown, was: unknown): boolean {
  if (now === undefined || isLate(now) || isLate(was)) {
    return false;
  }
  if (isRecord(now) && isRecord(was)) {
    return Object.keys(now).some((key) => differs(now[key], was[key]));
  }
  if (Array.isArray(now) && Array.isArray(was)) {
    return now.length !== was.length || now.some((item, index) => differs(item, was[index]));
  }
  const [size, old] = [quantityOf(now), quantityOf(was)];
  return !sameValue(now, was) && (size === undefined || size !== old);
}

/** The domain, except for sockets and memory that are added while the VM runs. */
function withoutGrowth(now: Manifest, was: Manifest): unknown {
  const settled = [
    ['cpu', 'sockets'],
    ['memory', 'guest'],
  ].reduce((machine, keys) => {
    const [value, old] = [machine, was].map((each) => valueAt(instanceOf(each), 'domain', ...keys));
    return (quantityOf(value) ?? NaN) > (quantityOf(old) ?? NaN)
      ? replacedAt(machine, ['spec', 'template', 'spec', 'domain', ...keys], old)
      : machine;
  }, now);
  return valueAt(instanceOf(settled), 'domain');
}

/** What the Harvester of a target checks. */
function machineContext(object: JudgedObject, world: World): MachineContext {
  const { target } = object;
  const before = world.beforeOf(object);
  return {
    hasLiveMemory:
      before !== undefined &&
      isFromServer(before) &&
      quantityOf(valueAt(instanceOf(before), 'domain', 'memory', 'guest')) !== undefined,
    asksMemory: hasFeature(target, HarvesterGate.MEMORY_ASKED),
    checksGuestMemory: hasFeature(target, HarvesterGate.GUEST_MEMORY_CHECKED),
  };
}

/** Rules on virtual machines. */
export const VIRTUAL_MACHINE_RULES: readonly Rule[] = [
  ...rules({ kinds: MACHINE_KINDS }, [
    {
      id: 'virtual-machine/spec',
      what: 'a virtual machine has memory, one run strategy, valid claims, and disks and NICs that match their volumes and networks',
      source: `${VM_VALIDATOR}; kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go; seen on Harvester 1.7.2`,
      judge: (object, world) =>
        isHarvesters(object)
          ? checkMachine(object.manifest, machineContext(object, world))
          : checkVolumeSources(instanceOf(object.manifest)),
    },
  ]),
  ...rules({ kinds: MACHINE_KINDS, surelyOn: 'harvester' }, [
    {
      id: 'virtual-machine/claims',
      level: 'warning',
      what: 'the claims of a virtual machine are its disks, each once, and a claim with an image has the StorageClass of that image',
      source:
        'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
      *judge(object) {
        const used = new Set(claimNamesOf(object.manifest));
        const seen = new Set<string>();
        for (const { name, imageId, storageClassName } of claimsOf(object.manifest)) {
          if (isLate(name)) {
            continue;
          }
          const problem = { path: CLAIMS_PATH, value: name };
          if (seen.has(name)) {
            const message =
              'must be unique: two claims have this name, and only the first is created';
            yield { ...problem, message, fix: 'choose a different name for each claim' };
          } else if (!used.has(name)) {
            const message = 'must be a volume of the VM: the claim is created, but not used';
            yield {
              ...problem,
              message,
              fix: 'add it to spec.template.spec.volumes, or remove the claim',
            };
          }
          if (imageId !== undefined && storageClassName === undefined) {
            yield {
              ...problem,
              message: `must have the StorageClass of the image ${imageId}: with the default class the volume is empty`,
              fix: 'set the StorageClass of the image, its status.storageClassName',
            };
          }
          seen.add(name);
        }
      },
    },
    {
      id: 'virtual-machine/guest-labels',
      level: 'warning',
      what: 'a node of a guest cluster has the labels of one on the VM and in its template, and a NIC named nic-<number>',
      source: 'https://docs.harvesterhci.io/latest/rancher/cloud-provider',
      *judge(object) {
        const { manifest } = object;
        const [own, template] = [
          labelsOf(manifest),
          valueAt(manifest, 'spec', 'template', 'metadata', 'labels'),
        ];
        const cluster = own[VM_LABEL_GUEST_CLUSTER] ?? valueAt(template, VM_LABEL_GUEST_CLUSTER);
        if (typeof cluster !== 'string' || cluster === '' || isLate(cluster)) {
          return;
        }
        const expected = {
          [VM_LABEL_GUEST_CLUSTER]: cluster,
          [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER,
        };
        for (const [key, value] of Object.entries(expected)) {
          for (const [path, labels] of [
            ['metadata.labels', own],
            ['spec.template.metadata.labels', template],
          ] as const) {
            const found = valueAt(labels, key);
            if (found === value || isLate(found)) {
              continue;
            }
            yield {
              path: `${path}[${key}]`,
              ...(found === undefined ? {} : { value: found }),
              message: `must be ${value}, by which Harvester and the cloud provider identify a node of ${cluster}`,
              fix: `set ${key}: ${value}`,
            };
          }
        }
        const names = nicsIn(manifest).map(({ name }) => name);
        if (names.length > 0 && !names.some((name) => /^nic-\d+$/.test(name))) {
          yield {
            path: 'spec.template.spec.domain.devices.interfaces',
            value: names,
            message: `must contain a NIC named ${NIC_PREFIX}<number>`,
            fix: 'name the NICs of a node nic-0, nic-1 and so on',
          };
        }
      },
    },
    {
      id: 'virtual-machine/maintenance',
      what: 'the label maintain-mode-strategy has a value that Harvester knows: earlier versions than 1.8 migrate the VM with any other value',
      source: `${VM_VALIDATOR} checkMaintenanceModeStrategyIsValid (1.8.0 and later)`,
      field: LABEL_PATH,
      check: (_, strategy, object, world) => {
        const before = world.beforeOf(object);
        const keeps = before && labelsOf(before)[LABEL_MAINTENANCE] === strategy;
        return (
          !MAINTENANCE_STRATEGIES.includes(strategy as string) && {
            level: errorIf(
              !keeps && hasFeature(object.target, HarvesterGate.MAINTENANCE_STRATEGY_CHECKED),
            ),
            message: `must be one of ${MAINTENANCE_STRATEGIES.join(', ')}`,
            fix: 'choose a strategy',
            says: `invalid maintenance mode strategy: ${plainText(strategy)}`,
          }
        );
      },
    },
    {
      id: 'virtual-machine/resize',
      what: 'a volume cannot shrink, and can grow while its VM is stopped',
      source: `${VM_VALIDATOR} checkResizeVolumes`,
      *judgeUpdate(object, before) {
        for (const [claim, was] of samePairs(object.manifest, before)) {
          const [size, old] = [quantityOf(claim.size), quantityOf(was.size)];
          if (size === undefined || old === undefined || size === old) {
            continue;
          }
          if (size < old) {
            yield {
              path: CLAIMS_PATH,
              value: claim.size,
              message: `must be at least ${String(was.size)}, the current size of the volume ${claim.name}`,
              fix: `set ${String(was.size)} or more`,
              says: `${claim.name} PVC requests storage can't be less than previous value`,
            };
          } else if (runStrategyOf(object.manifest) !== HALTED) {
            yield {
              path: CLAIMS_PATH,
              value: claim.size,
              // later versions grow attached volumes
              level: 'warning',
              message: `expands the volume ${claim.name}, which Harvester may refuse while the VM runs`,
              fix: 'stop the VM first: apply runStrategy Halted',
              ...(harvesterVersionOf(object.target)?.isAtLeast('1.6.0')
                ? {}
                : { says: 'please stop the VM before resizing volumes' }),
            };
          }
        }
      },
    },
    {
      id: 'virtual-machine/volume-change',
      what: 'a volume is created once: a different image has no effect, and a different StorageClass is refused from Harvester 1.7.0 on',
      source:
        `${VM_VALIDATOR} checkPVCsStorageRequestsAndClass; ` +
        'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
      *judgeUpdate(object, before) {
        for (const [claim, was] of samePairs(object.manifest, before)) {
          for (const [field, what] of [
            ['imageId', 'image'],
            ['storageClassName', 'StorageClass'],
          ] as const) {
            if (claim[field] === was[field] || isLate(claim[field]) || isLate(was[field])) {
              continue;
            }
            const given = [claim[field], was[field]].every(
              (value) => typeof value === 'string' && value !== '',
            );
            const refused =
              field === 'storageClassName' &&
              given &&
              hasFeature(object.target, HarvesterGate.VOLUME_CLASS_FIXED) !== false;
            // the class of an image follows from it
            if (field === 'storageClassName' && claim.imageId !== was.imageId && !refused) {
              continue;
            }
            yield {
              path: CLAIMS_PATH,
              value: claim[field],
              ...(refused
                ? {
                    says:
                      `storage class names for the volumes in the ${ANNOTATION_VOLUME_CLAIMS} annotation cannot be ` +
                      `changed; new name ${String(claim[field])} in volume ${claim.name};`,
                  }
                : { level: 'warning' as const }),
              message: `cannot replace the ${what} ${was[field] ?? '(none)'} of the volume ${claim.name}, which exists and is kept unchanged`,
              fix: `keep the ${what}, or choose a different volume name for a new disk without the data of the old one`,
            };
          }
        }
      },
    },
    {
      id: 'virtual-machine/run-strategy',
      level: 'warning',
      what: 'a VM that leaves Halted gets the run strategy of its annotation vmRunStrategy, regardless of its spec',
      source:
        'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchRunStrategy',
      field: 'spec.runStrategy',
      judgeUpdate: ({ manifest }, before) => {
        const [now, was] = [runStrategyOf(manifest), runStrategyOf(before)];
        if (was !== HALTED || typeof now !== 'string' || now === HALTED || isLate(now)) {
          return undefined;
        }
        const kept =
          annotationsOf(manifest)[ANNOTATION_RUN_STRATEGY] ??
          annotationsOf(before)[ANNOTATION_RUN_STRATEGY];
        const becomes = filledText(kept) ?? DEFAULT_RUN_STRATEGY;
        return (
          becomes !== now &&
          !isLate(becomes) && {
            path: 'spec.runStrategy',
            value: now,
            message: `becomes ${becomes} on the server`,
            fix: `set the annotation ${ANNOTATION_RUN_STRATEGY}: ${now} too`,
          }
        );
      },
    },
    {
      id: 'virtual-machine/restart',
      level: 'warning',
      what: 'a change of CPU, memory or devices takes effect at the next start of the VM, unless it adds CPUs or memory that hotplug permits',
      source: 'https://kubevirt.io/user-guide/user_workloads/lifecycle/ RestartRequired',
      when: ({ manifest }) => runStrategyOf(manifest) !== HALTED,
      judgeUpdate: ({ manifest }, before) => {
        const was = valueAt(instanceOf(before), 'domain');
        const grows = isHotplug(manifest) && isHotplug(before);
        const now = grows
          ? withoutGrowth(manifest, before)
          : valueAt(instanceOf(manifest), 'domain');
        const parts = grows ? [...PARTS, 'memory'] : PARTS;
        const changed =
          runStrategyOf(before) === HALTED
            ? []
            : parts.filter((part) => differs(valueAt(now, part), valueAt(was, part)));
        return (
          changed.length > 0 && {
            path: 'spec.template.spec.domain',
            value: changed,
            message: 'takes effect at the next start of the VM',
            fix: 'restart the VM when convenient',
          }
        );
      },
    },
    {
      id: 'virtual-machine/deletion',
      level: 'warning',
      what: 'a virtual machine that is no longer declared is shut down and deleted, with the volumes in its annotation removedPersistentVolumeClaims',
      source:
        'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go removePVCInRemovedPVCsAnnotation',
      judgeDeletion: ({ manifest }) => {
        const removed = removedClaimsOf(manifest);
        const kept = claimNamesOf(manifest).filter((claim) => !removed.includes(claim));
        const lost = removed.length > 0 ? `, the data of the volumes ${some(removed)} is lost` : '';
        const keeps =
          kept.length > 0 ? `${lost === '' ? ',' : ';'} the volumes ${some(kept)} are kept` : '';
        return {
          message: `is no longer declared: when it is deleted${lost}${keeps}${lost + keeps === '' ? ', it is shut down' : ''}`,
          fix: 'keep the VM, or back up its data',
        };
      },
    },
  ]),
  ...MACHINE_RELATION_RULES,
  ...SHAREABLE_DISK_RULES,
  ...CPU_MEMORY_RULES,
];
