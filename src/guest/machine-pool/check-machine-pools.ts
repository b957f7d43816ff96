import { Size, SizeRoundingBehavior } from 'cdk8s';
import { checkUnsupported } from './check-unsupported';
import { MachineAutoscaling, MachinePool, MachineRoles } from './machine-pool';
import { POOL_PROPS } from './machine-pool-props';
import {
  bootOrderOf,
  poolEntryOf,
  expandedPools,
  gibibytes,
  isScaledByRancherProvider,
  machineOf,
} from './machine-pool-spec';
import {
  checkAllRoles,
  checkHostnameLimit,
  checkMachineNames,
  checkPoolRoles,
  checkScaledQuantity,
  POOL_FIELD_GATES,
} from './machine-pool.check';
import { checkMachineTexts } from './machine-texts';
import { IHarvesterTarget } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { RFC1123_LABEL } from '../../core/manifest/names';
import {
  LABEL_NAME_FIX,
  LABEL_VALUE_FIX,
  labelNameFault,
  labelValueFault,
} from '../../core/problem/label';
import { checkWholeNumber, NO_PROBLEMS, parsed, Problem, propOf } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { inlineText } from '../../core/yaml/yaml-writer';
import { hostnameOfAll } from '../../harvester/cloud-init/cloud-init.check';
import { VmImageType } from '../../harvester/image/vm-image';
import { Disk } from '../../harvester/machine/disk';
import { checkMachineProps, givenNics } from '../../harvester/machine/machine-props';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import {
  checkMachineNumbers,
  checkMachineSwitches,
  checkStaticAddress,
  isExpanded,
  isSet,
  MACHINE_FIELD_GATES,
} from '../machine-config/machine-config.check';
import { AUTOSCALER_MAX, AUTOSCALER_MIN } from '../machine-config/machine-config.kind';
import { checkDisks, checkInterfaces, checkVgpus } from '../machine-config/machine-json.check';
import { ClusterContext, ClusterFields } from '../parts/cluster-parts';
import { GuestGate } from '../version/guest-gates.data';

function checkOwners({ harvester, rancher }: ClusterContext, pool: MachinePool): Problem[] {
  const { credential, disks, nics } = pool;
  return [
    ...(!credential || credential.rancher === rancher
      ? []
      : [
          {
            path: 'credential',
            value: credential.credentialId,
            message: `must be a credential of the Rancher of the cluster, ${rancher.targetName}: it is one of ${credential.rancher.targetName}`,
            fix: 'use a credential of the same Rancher',
          },
        ]),
    ...disks.flatMap(({ _claim: { image, storageClass } = {} }, index) => [
      ...elsewhere('disks', index, image?.imageId, 'an image', image?.harvester, harvester),
      ...elsewhere(
        'disks',
        index,
        storageClass?.name,
        'a storage class',
        storageClass?.harvester,
        harvester,
      ),
    ]),
    ...(givenNics(pool) ?? []).flatMap(({ _network: network }, index) =>
      elsewhere(
        nics ? 'nics' : 'networks',
        index,
        network?.networkId,
        'a network',
        network?.harvester,
        harvester,
      ),
    ),
  ];
}

function elsewhere(
  prop: string,
  index: number,
  value: string | undefined,
  what: string,
  on?: IHarvesterTarget,
  harvester?: IHarvesterTarget,
): readonly Problem[] {
  return !on || !harvester || on === harvester
    ? NO_PROBLEMS
    : [
        {
          path: `${prop}[${index}]`,
          value,
          message: `must be ${what} of ${harvester.targetName}, where the machines run: it is one of ${on.targetName}`,
          fix: `use ${what} of ${harvester.targetName}`,
        },
      ];
}

/** The node driver accepts whole GiB of disks and memory, and whole MiB of reserved memory. */
function checkSizes({ disks, memory, reservedMemory }: MachinePool): Problem[] {
  const whole = (
    path: string,
    size: Size,
    amount: number,
    unit: 'gibibytes' | 'mebibytes',
  ): Problem[] =>
    Number.isInteger(amount) && amount >= 1
      ? []
      : [
          {
            path,
            value: size.asString(),
            message: `must be a whole number of ${unit === 'gibibytes' ? 'GiB' : 'MiB'}, at least 1: Rancher's node driver accepts nothing else`,
            fix: `use Size.${unit}(${Math.max(1, Math.ceil(amount))})`,
          },
        ];
  return [
    ...whole('memory', memory, gibibytes(memory), 'gibibytes'),
    ...(reservedMemory
      ? whole(
          'reservedMemory',
          reservedMemory,
          reservedMemory.toMebibytes({ rounding: SizeRoundingBehavior.NONE }),
          'mebibytes',
        )
      : []),
    ...disks.flatMap(({ _claim: claim }, index) =>
      claim ? whole(`disks[${index}].size`, claim.size, gibibytes(claim.size), 'gibibytes') : [],
    ),
  ];
}

function checkDiskProps({ disks }: MachinePool): Problem[] {
  if (disks.length === 0) {
    return [];
  }
  const orders = disks.map(bootOrderOf);
  const first = orders.indexOf(Math.min(...orders));
  return [
    ...checkBootDisk(`disks[${first}]`, disks[first]),
    ...orders.flatMap((order, index) => checkWholeNumber(`disks[${index}].bootOrder`, order, 1)),
  ];
}

function checkBootDisk(path: string, { _claim: claim, _cdRom: cdRom }: Disk): Problem[] {
  if (!claim) {
    return [];
  }
  const { image } = claim;
  const fix = 'use a cloud image (qcow2 or raw) for the first disk: Disk.image(image, size)';
  const must = 'must be a disk with a cloud image, since machines boot from it: it is';
  if (!image || cdRom) {
    return [{ path, message: `${must} ${image ? 'a CD-ROM' : 'empty'}`, fix }];
  }
  return image.imageType === VmImageType.ISO
    ? [{ path, value: image.imageId, message: `${must} an ISO, which holds an installer`, fix }]
    : [];
}

function checkNics(pool: MachinePool): Problem[] {
  const { nics = [], quantity = 1, autoscaling } = pool;
  return nics.flatMap(({ _options: { macAddress } }, index): Problem[] => {
    const at = { path: `nics[${index}].macAddress`, value: macAddress };
    if (macAddress === undefined) {
      return [];
    }
    if (parseInt(macAddress.slice(0, 2), 16) % 2 === 1) {
      return [
        {
          ...at,
          message: 'must be the address of one card: it is a multicast address',
          fix: 'start with an even number, e.g. 52',
        },
      ];
    }
    return quantity > 1 || autoscaling
      ? [
          {
            ...at,
            message: 'cannot be set for a pool of several machines, which would all have it',
            fix: 'use one pool for each machine, or let Harvester choose the addresses',
          },
        ]
      : [];
  });
}

function checkMachine({
  cpuModel,
  cloudInit,
  quantity = 1,
  autoscaling,
  networkData,
}: MachinePool): Problem[] {
  const key = cloudInit?._hostnameKey();
  return [
    ...(cpuModel === undefined || /^[A-Za-z0-9][-A-Za-z0-9._]*$/.test(cpuModel)
      ? []
      : [
          {
            path: 'cpuModel',
            value: cpuModel,
            message: 'must be the name of a CPU model',
            fix: "use one that Harvester's UI offers, e.g. host-passthrough",
          },
        ]),
    ...(key === undefined ? [] : [hostnameOfAll('cloudInit', key)]),
    ...(networkData?._isStatic ? checkStaticAddress(autoscaling ? Infinity : quantity, false) : []),
  ];
}

function checkLogin({ sshUser, sshPassword, sshPort }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  if (sshUser !== undefined && !/^[a-z_][-a-z0-9_.]{0,31}$/.test(sshUser)) {
    problems.push({
      path: 'sshUser',
      value: sshUser,
      message: 'must be a login name',
      fix: 'use the user of the image, e.g. ubuntu',
    });
  }
  if (sshPort !== undefined && (!Number.isInteger(sshPort) || sshPort < 1 || sshPort > 65535)) {
    problems.push({
      path: 'sshPort',
      value: sshPort,
      message: 'must be a port',
      fix: 'use 1 to 65535',
    });
  }
  const password = sshPassword?._unwrap();
  if (
    password !== undefined &&
    !isLate(password) &&
    (inlineText(password) !== password || isExpanded(password))
  ) {
    problems.push({
      path: 'sshPassword',
      message:
        'must be text that YAML reads without quotes and that holds no $$ or $(NAME): the node driver cannot pass on anything else',
      fix: 'use letters, digits, - and _, not only digits, or a user with a passwordHash in cloudInit',
    });
  }
  return problems;
}

const AMOUNT = /^(?:\d+|(?:\d|[1-9]\d|100)%)$/;
const TIMEOUTS = [
  'drainBeforeDeleteTimeout',
  'unhealthyNodeTimeout',
  'nodeStartupTimeout',
] as const;

/** Checks that the number of machines at creation is within the bounds of the autoscaler. */
function checkFirst({ quantity, autoscaling }: MachinePool): Problem[] {
  const { min, max } = autoscaling!;
  return quantity === undefined || (quantity >= min && quantity <= max)
    ? []
    : [
        {
          path: 'quantity',
          value: quantity,
          message: `must be within the bounds of autoscaling, ${min} to ${max}`,
          fix: 'set the number of machines at creation, or remove it',
        },
      ];
}

/** Checks that no resources are given which nothing reads. */
function checkNoResources({ autoscaling }: MachinePool): Problem[] {
  return autoscaling?.ephemeralStorage === undefined
    ? []
    : [
        {
          path: 'autoscaling.ephemeralStorage',
          message:
            'cannot be set without autoscaler: MachineAutoscaler.RANCHER, which alone reads it',
          fix: 'remove it, or set autoscaler',
        },
      ];
}

function checkHealth({
  quantity,
  autoscaling,
  maxUnhealthy,
  unhealthyRange,
  rollingUpdate,
  hostnameLengthLimit,
  ...pool
}: MachinePool): Problem[] {
  const problems: Problem[] = [...checkHostnameLimit(hostnameLengthLimit)];
  for (const [path, value] of [
    ['quantity', quantity],
    ['autoscaling.min', autoscaling?.min],
    ['autoscaling.max', autoscaling?.max],
  ] as const) {
    problems.push(...checkWholeNumber(path, value, 0, `set ${path} to 0 or more`));
  }
  const amounts = {
    maxUnhealthy,
    'rollingUpdate.maxSurge': rollingUpdate?.maxSurge,
    'rollingUpdate.maxUnavailable': rollingUpdate?.maxUnavailable,
  };
  for (const [path, value] of Object.entries(amounts)) {
    if (value !== undefined && !AMOUNT.test(value)) {
      problems.push({
        path,
        value,
        message: 'must be a number or a percentage of machines',
        fix: 'write it as text, e.g. 1 or 25%',
      });
    }
  }
  const none = (value?: string): boolean => value !== undefined && /^0+%?$/.test(value);
  if (
    none(rollingUpdate?.maxSurge) &&
    (rollingUpdate?.maxUnavailable === undefined || none(rollingUpdate.maxUnavailable))
  ) {
    problems.push({
      path: 'rollingUpdate',
      message: 'maxSurge and maxUnavailable cannot both be 0: no machine could be replaced',
      fix: 'set maxUnavailable to 1 if maxSurge is 0',
    });
  }
  if (unhealthyRange !== undefined && !/^\[\d+-\d+\]$/.test(unhealthyRange)) {
    problems.push({
      path: 'unhealthyRange',
      value: unhealthyRange,
      message: 'must be a range of numbers',
      fix: 'write it as [3-5]',
    });
  }
  for (const path of TIMEOUTS) {
    const seconds = pool[path]?.toSeconds({ integral: false });
    if (seconds !== undefined && !Number.isInteger(seconds)) {
      problems.push({
        path,
        value: `${seconds} seconds`,
        message: 'must be whole seconds',
        fix: 'round it',
      });
    }
  }
  return problems;
}

function checkNodes(pool: MachinePool): Problem[] {
  return [
    ...checkPoolName(pool),
    ...checkLabels(pool),
    ...checkAnnotations(pool),
    ...checkTaints(pool),
  ];
}

function checkPoolName({ name }: MachinePool): Problem[] {
  return RFC1123_LABEL.test(name)
    ? []
    : [
        {
          path: 'name',
          value: name,
          message: 'must be an RFC 1123 label',
          fix: 'use a-z, 0-9 and hyphens, with a letter or digit at both ends',
        },
      ];
}

function checkLabels(pool: MachinePool): Problem[] {
  const { nodeLabels, machineDeploymentLabels, machineConfigLabels } = pool;
  return Object.entries({ nodeLabels, machineDeploymentLabels, machineConfigLabels }).flatMap(
    ([prop, labels = {}]) =>
      Object.entries(labels).flatMap(([key, value]) => [
        ...checkLabelName(prop, key),
        ...checkLabelValue(`${prop}[${key}]`, value),
      ]),
  );
}

function checkAnnotations({ machineDeploymentAnnotations, autoscaling }: MachinePool): Problem[] {
  const keys = Object.keys(machineDeploymentAnnotations ?? {});
  const written = autoscaling ? [AUTOSCALER_MIN, AUTOSCALER_MAX] : [];
  return keys.flatMap((key) => [
    ...checkLabelName('machineDeploymentAnnotations', key),
    ...(written.includes(key)
      ? [
          {
            path: `machineDeploymentAnnotations[${key}]`,
            message: 'cannot be set together with autoscaling, which writes it',
            fix: 'remove it',
          },
        ]
      : []),
  ]);
}

function checkTaints({ taints = [] }: MachinePool): Problem[] {
  return taints.flatMap(({ key, value }, index) => [
    ...checkLabelName(`taints[${index}].key`, key),
    ...checkLabelValue(`taints[${index}].value`, value),
  ]);
}

function checkLabelName(path: string, value: string): Problem[] {
  const says = labelNameFault(value);
  const message = 'must be a valid label name';
  return says === undefined ? [] : [{ path, value, message, fix: LABEL_NAME_FIX, says }];
}

function checkLabelValue(path: string, value = ''): Problem[] {
  const says = labelValueFault(value);
  const message = 'must be a valid label value';
  return says === undefined ? [] : [{ path, value, message, fix: LABEL_VALUE_FIX, says }];
}

/** What to do about a finding, where a prop is set in another way than its field. */
const FIXES: { readonly [prop: string]: string } = {
  disks: 'add a disk with a cloud image: Disk.image(image, Size.gibibytes(40))',
  networks: 'add a VmNetwork on which machines get an IPv4 address',
  roles: 'set roles, e.g. to MachineRoles.ALL',
};

/** Rules about a machine pool whose finding is a warning, and which a program can always follow. */
const STRICT = ['name', 'quantity'];

/**
 * Checks the pools of a cluster as the rules do, on the manifests that they become, and what only
 * their props show.
 *
 * @param context undefined where it is not known where the machines run
 */
export function checkMachinePools(
  context: ClusterContext | undefined,
  pools: readonly MachinePool[],
): Problem[] {
  if (pools.length === 0) {
    return [
      {
        path: 'pools',
        message: 'must have at least one pool',
        fix: 'add one, e.g. with MachineRoles.ALL, or use a CustomCluster',
      },
    ];
  }
  const fixed = pools.flatMap((pool) =>
    pool.fixedAddresses ? [...checkFixedAddresses(pool)] : [],
  );
  if (fixed.length > 0) {
    return fixed;
  }
  const machinePools = expandedPools(pools);
  const names = machinePools.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [
    ...twice.map((name): Problem => ({
      path: `pools[${name}].name`,
      value: name,
      message: 'must be unique in the cluster',
      fix: 'give each pool another name',
      says: `duplicate machinePool name [${name}] used`,
    })),
    ...(context
      ? machinePools.flatMap((pool) =>
          parsed(context.scope, `pools[${pool.name}]`, () => checkMachinePool(context, pool)),
        )
      : []),
  ];
}

/**
 * Checks that all pools together have every role, where no pool can be added: the rule
 * `cluster/pool-roles` checks those of a GuestCluster at synthesis.
 */
export function checkEveryRole(pools: readonly MachinePool[]): readonly Problem[] {
  return checkAllRoles(expandedPools(pools).map(rolesOf)).map(inProps);
}

/** Checks the fixed addresses of a pool, and props that all its machines would share. */
export function* checkFixedAddresses(pool: MachinePool): Iterable<Problem> {
  const {
    fixedAddresses,
    quantity,
    autoscaling,
    networkData,
    machineConfigName,
    adopted,
    nics = [],
    affinity,
  } = pool;
  if (!fixedAddresses) {
    return;
  }
  const path = (prop: string): string => `pools[${pool.name}].${prop}`;
  for (const problem of fixedAddresses._check(quantity)) {
    yield { ...problem, path: path(problem.path) };
  }
  for (const [prop, value] of Object.entries({
    autoscaling,
    networkData,
    machineConfigName,
    'adopted.networkData': adopted?.networkData,
  })) {
    if (value !== undefined) {
      yield {
        path: path(prop),
        message: 'cannot be set together with fixedAddresses',
        fix: `remove ${prop}`,
      };
    }
  }
  for (const [
    index,
    {
      _options: { macAddress },
    },
  ] of nics.entries()) {
    if (macAddress === undefined) {
      continue;
    }
    yield {
      path: path(`nics[${index}].macAddress`),
      value: macAddress,
      message: 'cannot be set together with fixedAddresses: all machines would have it',
      fix: 'remove it',
    };
  }
  if (affinity?._isRelativeTo('pool')) {
    yield {
      path: path('affinity'),
      message:
        'cannot select machines of the same pool: with fixedAddresses, each machine is in a pool of its own',
      fix: 'use VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }), or remove affinity: by default, machines run on different hosts if possible',
    };
  }
}

/** The checks of a HarvesterConfig that do not need its user data. */
const MACHINE_CHECKS = [
  checkMachineNumbers,
  checkMachineSwitches,
  checkDisks,
  checkInterfaces,
  checkVgpus,
];

/** Checks one pool. */
function checkMachinePool(context: ClusterContext, pool: MachinePool): Problem[] {
  // what the manifests of a pool do not show: units that they cannot hold, objects of other
  // clusters, and values that no machine can use
  const ofProps = [
    ...checkMachineProps(pool),
    ...checkUnsupported(pool),
    ...checkOwners(context, pool),
    ...checkSizes(pool),
    ...checkDiskProps(pool),
    ...checkNics(pool),
    ...checkMachine(pool),
    ...checkLogin(pool),
    ...checkHealth(pool),
    ...checkNodes(pool),
    ...checkMachineTexts(pool),
  ];
  // a finding about a prop needs no second finding about its field
  const isReported = ({ path }: Problem): boolean =>
    ofProps.some(
      (known) =>
        known.path === path ||
        known.path.startsWith(`${path}[`) ||
        path.startsWith(`${known.path}.`),
    );
  const ofNics = (problem: Problem): Problem =>
    pool.nics ? { ...problem, path: problem.path.replace(/^networks/, 'nics') } : problem;
  const machine = machineOf(context, pool);
  const ofMachine = MACHINE_CHECKS.flatMap((check) => [...check(machine)]);
  const ofEntry = [
    ...checkMachineNames(context.name, pool.name),
    ...checkPoolRoles(rolesOf(pool), pool.name).map((problem) => ({ ...problem, path: 'roles' })),
    ...(pool.autoscaling
      ? [
          ...checkBounds(pool.autoscaling, pool.roles),
          ...(isScaledByRancherProvider(pool)
            ? checkFirst(pool)
            : [...checkScaledQuantity(pool), ...checkNoResources(pool)]),
        ]
      : []),
  ];
  const ofManifests = [...ofEntry, ...ofMachine]
    .map(inProps)
    .map(ofNics)
    .filter((problem) => !isReported(problem));
  const ofContext = [
    ...checkVersions(context, poolEntryOf(context, pool), machine),
    ...checkAffinity(context, pool),
  ];
  return [...ofProps, ...ofManifests, ...ofContext].map((problem) => ({
    ...problem,
    path: `pools[${pool.name}].${problem.path}`,
  }));
}

/**
 * Checks the bounds of the autoscaler, which the definition of Cluster judges only where they are
 * fields: before Rancher 2.13 they are annotations.
 */
function checkBounds(
  { min, max }: MachineAutoscaling,
  { etcd, controlPlane }: MachineRoles,
): Problem[] {
  const at = { path: 'autoscaling.min', value: min };
  const roles = min === 0 ? [etcd && 'etcd', controlPlane && 'control plane'].filter(Boolean) : [];
  return [
    ...(min > max
      ? [{ ...at, message: `must be at most autoscaling.max, ${max}`, fix: 'lower it' }]
      : []),
    ...roles.map((role) => ({
      ...at,
      message: `must be at least 1 for a pool with the role ${role}`,
      fix: 'set it to 1 or more',
    })),
  ];
}

const NEWER = 'remove it, or declare a newer version';

/** Fields that the Rancher of the cluster does not have yet. */
function checkVersions(
  { rancherVersion }: ClusterContext,
  entry: ClusterFields,
  machine: ClusterFields,
): Problem[] {
  const used = [
    ...POOL_FIELD_GATES.filter(([field]) => entry[field]),
    ...MACHINE_FIELD_GATES.filter(([field]) => isSet(machine, field)),
  ];
  return used.flatMap(([field, gate]) =>
    FeatureGates.of(gate)._check(POOL_PROPS[field] ?? field, rancherVersion, NEWER),
  );
}

/** The versions that an affinity needs depend on its terms, not only on its JSON. */
function* checkAffinity(context: ClusterContext, pool: MachinePool): Iterable<Problem> {
  const { vmNamespace = '', name: cluster, rancherVersion, harvester, harvesterVersion } = context;
  const { affinity, cpuPinning } = pool;
  if (cpuPinning) {
    yield* FeatureGates.of(HarvesterGate.CPU_MANAGER)._check('cpuPinning', harvesterVersion, NEWER);
  }
  if (!affinity) {
    return;
  }
  yield* affinity._check('affinity', { vmNamespace, cluster, pool: pool.name }, harvester);
  const ofRancher = [
    GuestGate.VM_NODE_AFFINITY,
    ...(affinity._namesVms ? [GuestGate.VM_WORKLOAD_AFFINITY] : []),
    ...(affinity._needsGuestLabels ? [GuestGate.VM_GUEST_LABELS] : []),
  ];
  for (const gate of ofRancher) {
    yield* FeatureGates.of(gate)._check('affinity', rancherVersion, NEWER);
  }
  const ofHarvester = [
    HarvesterGate.NODE_AFFINITY,
    ...(affinity._namesVms ? [HarvesterGate.WORKLOAD_AFFINITY] : []),
  ];
  for (const gate of ofHarvester) {
    yield* FeatureGates.of(gate)._check('affinity', harvesterVersion, NEWER);
  }
}

function rolesOf({ name, roles }: MachinePool): { readonly [field: string]: unknown } {
  return {
    name,
    etcdRole: roles.etcd,
    controlPlaneRole: roles.controlPlane,
    workerRole: roles.worker,
  };
}

/** A finding about a field, in the words of the props. */
function inProps(problem: Problem): Problem {
  const path = propOf(problem.path, POOL_PROPS) ?? problem.path;
  const words = (text: string): string =>
    text.replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => POOL_PROPS[word] ?? word);
  const level = STRICT.includes(path) ? 'error' : problem.level;
  return {
    ...problem,
    path,
    message: words(problem.message),
    fix: FIXES[path] ?? words(problem.fix),
    level,
  };
}
