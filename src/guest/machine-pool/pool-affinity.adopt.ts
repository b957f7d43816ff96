import { DraftProps, DraftValue, StaticCall, call, enumValue } from '../../core/draft/draft';
import { referOn } from '../../core/draft/inverse';
import { isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { filledList } from '../../core/text/values';
import { PREFERRED, REQUIRED } from '../../harvester/machine/vm-affinity.check';
import { VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../cluster/cluster.kind';
import { LABEL_MACHINE_SET, LABEL_NODE_POOL, TOPOLOGY } from '../machine-config/machine-config.kind';

type Fields = { readonly [key: string]: unknown };

/** The machines whose affinity is read. */
export interface MachinePlace {
  /** The target of their Harvester. */
  readonly target: string;
  /** The guest cluster that they are nodes of. @default - none */
  readonly cluster?: string;
  /** The value of the label of their machine set. @default - they are in no pool */
  readonly machineSet?: string;
}

/** The default of the node driver. */
const ANY_VM = { matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }] };
const SPREAD = { weight: 100, podAffinityTerm: { labelSelector: ANY_VM, topologyKey: TOPOLOGY.HOST } };
const OTHERS = { ...SPREAD, weight: 1 };

const FACTORIES: { readonly [topology: string]: string } = { [TOPOLOGY.ZONE]: 'spreadOverZones', [TOPOLOGY.HOST]: 'spreadOverHosts' };

/** An affinity as a program writes it; what it cannot express is left out. Undefined without terms. */
export function affinityOf(affinity: unknown, place: MachinePlace): StaticCall | undefined {
  if (!isRecord(affinity) || Object.keys(affinity).length === 0) { return undefined; }
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const apart = terms(podAntiAffinity, PREFERRED);
  const isSpread = sameValue(apart[apart.length - 1], SPREAD);
  const requiredApart = terms(podAntiAffinity, REQUIRED);
  const factory = isRecord(nodeAffinity) || isRecord(podAffinity) ? undefined : spreadOver(requiredApart, apart, place);
  if (factory) { return factory; }
  const props = {
    requiredNodes: filledList(listOf(valueAt(nodeAffinity, REQUIRED, 'nodeSelectorTerms')).map(nodeTerm)),
    preferredNodes: filledList(
      terms(nodeAffinity, PREFERRED).map(({ weight, preference }) => ({ ...nodeTerm(preference), weight: weightOf(weight) }))),
    requiredNear: filledList(terms(podAffinity, REQUIRED).map((term) => vmTerm(term, place))),
    preferredNear: filledList(terms(podAffinity, PREFERRED).map((term) => preferredTerm(term, place))),
    requiredApart: filledList(requiredApart.map((term) => vmTerm(term, place))),
    preferredApart: filledList((isSpread ? apart.slice(0, -1) : apart).map((term) => preferredTerm(term, place))),
    spread: isSpread ? undefined : false,
  };
  const { requiredNodes: [nodes] = [], ...rest } = props;
  const labels = nodes?.labels.map(({ key, operator, values }) => (operator === undefined && values?.length === 1 ? [key, values[0]] : []));
  const isAlone = props.requiredNodes?.length === 1 && Object.values(rest).every((each) => each === undefined);
  if (isAlone && labels?.every(({ length }) => length === 2)) {
    return call('VmAffinity', 'onNodes', Object.fromEntries(labels) as DraftProps);
  }
  return call('VmAffinity', 'of', props as DraftProps);
}

function spreadOver(required: readonly Fields[], preferred: readonly Fields[], { machineSet }: MachinePlace): StaticCall | undefined {
  const [term, isRequired] = required.length === 1 && preferred.length === 1 ? [required[0], true]
    : required.length === 0 && preferred.length === 2 && preferred[0].weight === 100 ? [preferred[0].podAffinityTerm, false] : [];
  if (!isRecord(term) || !sameValue(preferred[preferred.length - 1], OTHERS)) { return undefined; }
  const { labelSelector, topologyKey, ...more } = term;
  const factory = FACTORIES[String(topologyKey)];
  const isOfPool = sameValue(labelSelector, { matchLabels: { [LABEL_MACHINE_SET]: machineSet } });
  if (!factory || Object.keys(more).length > 0 || !isOfPool) { return undefined; }
  return isRequired ? call('VmAffinity', factory, { required: true }) : call('VmAffinity', factory);
}

function terms(part: unknown, key: string): readonly Fields[] {
  return isRecord(part) ? listOf(part[key]) : [];
}

function listOf(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function weightOf(weight: unknown): DraftValue {
  return weight === 100 ? undefined : weight as DraftValue;
}

interface NodeLabel {
  readonly key: DraftValue;
  readonly operator: DraftValue;
  readonly values: readonly string[] | undefined;
}

function nodeTerm(term: unknown): { readonly labels: readonly NodeLabel[] } {
  return {
    labels: listOf(isRecord(term) ? term.matchExpressions : []).map(({ key, operator, values }) => {
      const list = Array.isArray(values) ? values as string[] : undefined;
      const byDefault = list && list.length > 0 ? 'In' : 'Exists';
      return { key: key as string, operator: operator === byDefault ? undefined : enumValue('NodeLabelOperator', operator), values: list };
    }),
  };
}

function preferredTerm({ weight, podAffinityTerm }: Fields, place: MachinePlace): DraftProps {
  return { ...vmTerm(isRecord(podAffinityTerm) ? podAffinityTerm : {}, place), weight: weightOf(weight) };
}

function vmTerm({ labelSelector, topologyKey, namespaces }: Fields, place: MachinePlace): DraftProps {
  return {
    vms: selectorOf(labelSelector, place),
    topologyKey: topologyKey === TOPOLOGY.HOST ? undefined : topologyKey as string,
    namespaces: filledList((Array.isArray(namespaces) ? namespaces : []).map((name) => referOn(place.target, '/Namespace', String(name)))),
  };
}

function selectorOf(selector: unknown, { cluster, machineSet }: MachinePlace): StaticCall {
  const { matchLabels, matchExpressions } = isRecord(selector) ? selector : {} as Fields;
  if (sameValue(matchExpressions, [{ key: VM_LABEL_CREATOR, operator: 'Exists' }]) && matchLabels === undefined) { return call('VmSelector', 'any'); }
  const labels = isRecord(matchLabels) ? matchLabels : {};
  const { [VM_LABEL_GUEST_CLUSTER]: guest, [LABEL_NODE_POOL]: pool, ...others } = labels;
  if (machineSet !== undefined && sameValue(labels, { [LABEL_MACHINE_SET]: machineSet })) { return call('VmSelector', 'samePool'); }
  if (cluster !== undefined && guest === cluster && Object.keys(others).length === 0) {
    return pool === undefined ? call('VmSelector', 'sameCluster') : call('VmSelector', 'pool', String(pool));
  }
  return call('VmSelector', 'labels', labels as DraftProps);
}
