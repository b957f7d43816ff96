import { machineSetName, PREFERRED, REQUIRED } from './vm-affinity.check';
import {
  DraftProps,
  DraftValue,
  StaticCall,
  call,
  enumValue,
  referOn,
  unless,
} from '../../core/draft/draft';
import { Fields, isRecord, records, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { filledList } from '../../core/text/values';
import { VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../../guest/cluster/cluster.kind';
import { LABEL_MACHINE_SET, TOPOLOGY } from '../../guest/machine-config/machine-config.kind';

/** The machines whose affinity is read. */
export interface MachinePlace {
  /** The target of their Harvester. */
  readonly target: string;
  /** The guest cluster of their pool. @default - they are in no pool */
  readonly cluster?: string;
  /** The namespace of the machines of their cluster. @default - they are in no pool */
  readonly namespace?: string;
  /** The value of the label of their machine set. @default - they are in no pool */
  readonly machineSet?: string;
}

/** What no prop of an affinity can say. */
class Inexpressible extends Error {}

/** The default of the node driver. */
const ANY_VM = { matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }] };
const SPREAD = {
  weight: 100,
  podAffinityTerm: { labelSelector: ANY_VM, topologyKey: TOPOLOGY.HOST },
};
const OTHERS = { ...SPREAD, weight: 1 };

const FACTORIES: { readonly [topology: string]: string } = {
  [TOPOLOGY.ZONE]: 'spreadOverZones',
  [TOPOLOGY.HOST]: 'spreadOverHosts',
};

/**
 * The label of nodes whose CPU manager is enabled.
 * @see kubevirt/api:core/v1/types.go CPUManager
 */
const CPU_MANAGER = 'cpumanager';

/**
 * Whether Harvester alone wrote which nodes a VM needs: those with its networks, and with a CPU
 * manager.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go makeAffinityFromVMTemplate
 */
export function areNodesOfHarvester(affinity: unknown): boolean {
  return nodeTerms(affinity).every(
    (term) =>
      term.matchFields === undefined &&
      records(term.matchExpressions).every(
        ([, { key }]) => key === CPU_MANAGER || String(key).startsWith(GROUP_HARVESTER_NETWORK),
      ),
  );
}

/**
 * An affinity as a program writes it; undefined where there is none, or no prop can express a part
 * of it.
 */
export function affinityOf(affinity: unknown, place: MachinePlace): StaticCall | undefined {
  try {
    return isRecord(affinity) ? written(affinity, place) : undefined;
  } catch (error) {
    if (error instanceof Inexpressible) {
      return undefined;
    }
    throw error;
  }
}

function written(affinity: Fields, place: MachinePlace): StaticCall | undefined {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const apart = items(valueAt(podAntiAffinity, PREFERRED));
  const isSpread = sameValue(apart.at(-1), SPREAD);
  const requiredApart = items(valueAt(podAntiAffinity, REQUIRED));
  const factory =
    isRecord(nodeAffinity) || isRecord(podAffinity)
      ? undefined
      : spreadOver(requiredApart, apart, place);
  if (factory) {
    return factory;
  }
  const props: DraftProps = {
    requiredNodes: filledList(nodeTerms(affinity).map(nodeTerm)),
    preferredNodes: filledList(
      items(valueAt(nodeAffinity, PREFERRED)).map((term) => ({
        ...nodeTerm(fields(term.preference)),
        ...weightOf(term),
      })),
    ),
    requiredNear: filledList(
      items(valueAt(podAffinity, REQUIRED)).map((term) => vmTerm(term, place)),
    ),
    preferredNear: filledList(
      items(valueAt(podAffinity, PREFERRED)).map((term) => preferredTerm(term, place)),
    ),
    requiredApart: filledList(requiredApart.map((term) => vmTerm(term, place))),
    preferredApart: filledList(
      (isSpread ? apart.slice(0, -1) : apart).map((term) => preferredTerm(term, place)),
    ),
    spread: isSpread ? undefined : false,
  };
  const given = Object.entries(props).filter(([, value]) => value !== undefined);
  if (!isSpread && given.length === 1) {
    return undefined;
  }
  const labels =
    isSpread && given.length === 1 && props.requiredNodes
      ? sureLabels(nodeTerms(affinity))
      : undefined;
  return labels
    ? call('VmAffinity', 'onNodes', labels)
    : call('VmAffinity', 'of', Object.fromEntries(given));
}

/** The factory of an affinity that keeps the machines of a pool apart; undefined for others. */
function spreadOver(
  required: readonly Fields[],
  preferred: readonly Fields[],
  { machineSet }: MachinePlace,
): StaticCall | undefined {
  const [term, isRequired] = poolTermOf(required, preferred) ?? [];
  if (!isRecord(term) || !sameValue(preferred.at(-1), OTHERS)) {
    return undefined;
  }
  const { labelSelector, topologyKey, ...more } = term;
  const factory = FACTORIES[String(topologyKey)];
  const isOfPool =
    machineSet !== undefined &&
    sameValue(labelSelector, { matchLabels: { [LABEL_MACHINE_SET]: machineSet } });
  if (!factory || Object.keys(more).length > 0 || !isOfPool) {
    return undefined;
  }
  return isRequired ? call('VmAffinity', factory, { required: true }) : call('VmAffinity', factory);
}

/** The term for the machines of the pool, next to the one for all others, and if it is required. */
function poolTermOf(
  required: readonly Fields[],
  preferred: readonly Fields[],
): readonly [term: unknown, isRequired: boolean] | undefined {
  if (required.length === 1 && preferred.length === 1) {
    return [required[0], true];
  }
  if (required.length === 0 && preferred.length === 2 && preferred[0].weight === 100) {
    return [preferred[0].podAffinityTerm, false];
  }
  return undefined;
}

/** The labels that nodes must have, where nothing else is required of them. */
function sureLabels(terms: readonly Fields[]): DraftProps | undefined {
  const labels = items(terms[0]?.matchExpressions).map(
    ({ key, operator, values }) => [String(key), operator, values] as const,
  );
  const isSure =
    terms.length === 1 &&
    labels.every(
      ([, operator, values]) => operator === 'In' && Array.isArray(values) && values.length === 1,
    );
  const isSorted = sameValue(
    labels.map(([key]) => key),
    labels.map(([key]) => key).sort(),
  );
  return isSure && isSorted
    ? Object.fromEntries(labels.map(([key, , values]) => [key, (values as string[])[0]]))
    : undefined;
}

function nodeTerms(affinity: unknown): readonly Fields[] {
  return records(affinity, 'nodeAffinity', REQUIRED, 'nodeSelectorTerms').map(([, term]) => term);
}

function nodeTerm(term: Fields): DraftProps {
  only(term, ['matchExpressions']);
  return { labels: requirements(term.matchExpressions) };
}

/** The requirements of a label selector. */
export function requirements(expressions: unknown): readonly DraftProps[] {
  return items(expressions).map(({ key, operator, values }): DraftProps => {
    const list = Array.isArray(values) ? (values as string[]) : [];
    return {
      key: String(key),
      operator: enumValue('LabelOperator', unless(operator, list.length > 0 ? 'In' : 'Exists')),
      values: filledList(list),
    };
  });
}

function preferredTerm(term: Fields, place: MachinePlace): DraftProps {
  return { ...vmTerm(fields(term.podAffinityTerm), place), ...weightOf(term) };
}

function weightOf({ weight }: Fields): DraftProps {
  return { weight: typeof weight === 'number' ? unless(weight, 100) : undefined };
}

function vmTerm(term: Fields, place: MachinePlace): DraftProps {
  only(term, ['labelSelector', 'topologyKey', 'namespaces', 'namespaceSelector']);
  const selector = term.namespaceSelector ?? undefined;
  if (selector !== undefined) {
    only(fields(selector), ['matchLabels']);
  }
  const namespaces = Array.isArray(term.namespaces)
    ? term.namespaces.map((name) => referOn(place.target, '/Namespace', String(name)))
    : [];
  return {
    vms: selectorOf(term.labelSelector, place),
    topologyKey: unless(term.topologyKey as string, TOPOLOGY.HOST),
    namespaces: filledList(namespaces),
    namespaceLabels:
      selector === undefined ? undefined : { ...(valueAt(selector, 'matchLabels') as DraftProps) },
  };
}

function selectorOf(selector: unknown, place: MachinePlace): StaticCall {
  const { cluster, machineSet } = place;
  if (sameValue(selector, ANY_VM)) {
    return call('VmSelector', 'any');
  }
  if (
    isRecord(selector) &&
    Object.keys(selector).length === 1 &&
    items(selector.matchExpressions).length > 0
  ) {
    return call('VmSelector', 'matching', ...requirements(selector.matchExpressions));
  }
  only(fields(selector), ['matchLabels']);
  const labels = fields(valueAt(selector, 'matchLabels'));
  if (machineSet !== undefined && sameValue(labels, { [LABEL_MACHINE_SET]: machineSet })) {
    return call('VmSelector', 'samePool');
  }
  if (cluster !== undefined && sameValue(labels, { [VM_LABEL_GUEST_CLUSTER]: cluster })) {
    return call('VmSelector', 'sameCluster');
  }
  const pool = otherPoolOf(labels, place);
  if (pool !== undefined) {
    return call('VmSelector', 'pool', pool);
  }
  return call('VmSelector', 'labels', labels as DraftProps);
}

/** The pool of the same cluster whose machines have these labels. */
function otherPoolOf(labels: Fields, { cluster, namespace }: MachinePlace): string | undefined {
  const set = labels[LABEL_MACHINE_SET];
  const start = `${namespace}-${cluster}-`;
  if (cluster === undefined || namespace === undefined || typeof set !== 'string') {
    return undefined;
  }
  const pool = set.startsWith(start) ? set.slice(start.length) : '';
  const isSame = sameValue(labels, {
    [LABEL_MACHINE_SET]: machineSetName(namespace, cluster, pool),
  });
  return pool !== '' && isSame ? pool : undefined;
}

function items(list: unknown): readonly Fields[] {
  return records(list).map(([, each]) => each);
}

function fields(value: unknown): Fields {
  if (!isRecord(value)) {
    throw new Inexpressible();
  }
  return value;
}

/** Refuses what no prop can say. */
function only(value: Fields, known: readonly string[]): void {
  const isNothing = (each: unknown): boolean =>
    each === undefined || each === null || (Array.isArray(each) && each.length === 0);
  if (Object.entries(value).some(([key, each]) => !known.includes(key) && !isNothing(each))) {
    throw new Inexpressible();
  }
}

/** Tolerations of pods; undefined for none. */
export function tolerationsProp(tolerations: readonly unknown[]): DraftValue {
  return filledList(
    tolerations.filter(isRecord).map(({ operator, effect, ...others }): DraftProps => ({
      ...(others as DraftProps),
      operator: enumValue('TolerationOperator', operator),
      effect: enumValue('TaintEffect', effect),
    })),
  );
}
