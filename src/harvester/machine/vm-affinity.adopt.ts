import { PREFERRED, REQUIRED } from './vm-affinity.check';
import { DraftProps, DraftValue, FoundObject, StaticCall, call, enumValue } from '../../core/draft/draft';
import { refer, unless } from '../../core/draft/inverse';
import { isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { VM_LABEL_CREATOR } from '../../guest/cluster/cluster.kind';
import { TOPOLOGY } from '../../guest/machine-config/machine-config.kind';
import { records } from '../virtual-machine/machine-manifest.check';

type Fields = { readonly [field: string]: unknown };

/** What no prop of an affinity can say. */
class Inexpressible extends Error {}

const ANY_VM = { matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }] };
const SPREAD = { weight: 100, podAffinityTerm: { labelSelector: ANY_VM, topologyKey: TOPOLOGY.HOST } };

/** The label of nodes whose CPU manager is enabled. @see kubevirt/api:core/v1/types.go CPUManager */
const CPU_MANAGER = 'cpumanager';

/**
 * Whether Harvester alone wrote which nodes a VM needs: those with its networks, and with a CPU manager.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go makeAffinityFromVMTemplate
 */
export function areNodesOfHarvester(affinity: unknown): boolean {
  return nodeTerms(affinity).every((term) => term.matchFields === undefined
    && records(term.matchExpressions).every(([, { key }]) => key === CPU_MANAGER || String(key).startsWith(GROUP_HARVESTER_NETWORK)));
}

/** An affinity as a program writes it; undefined where there is none, or a program cannot say it. */
export function affinityOf(object: FoundObject, affinity: unknown): StaticCall | undefined {
  try {
    return isRecord(affinity) ? written(object, affinity) : undefined;
  } catch (error) {
    if (error instanceof Inexpressible) { return undefined; }
    throw error;
  }
}

function written(object: FoundObject, affinity: Fields): StaticCall | undefined {
  const apart = items(valueAt(affinity, 'podAntiAffinity', PREFERRED));
  const isSpread = sameValue(apart.at(-1), SPREAD);
  const terms = (kind: string): DraftValue => filled(items(valueAt(affinity, kind, REQUIRED)).map((term) => vmTerm(object, term)));
  const props: DraftProps = {
    requiredNodes: areNodesOfHarvester(affinity) ? undefined : filled(nodeTerms(affinity).map(nodeTerm)),
    preferredNodes: filled(items(valueAt(affinity, 'nodeAffinity', PREFERRED)).map((term) => ({ ...nodeTerm(fields(term.preference)), ...weightOf(term) }))),
    requiredNear: terms('podAffinity'),
    preferredNear: filled(items(valueAt(affinity, 'podAffinity', PREFERRED)).map((term) => preferredTerm(object, term))),
    requiredApart: terms('podAntiAffinity'),
    preferredApart: filled((isSpread ? apart.slice(0, -1) : apart).map((term) => preferredTerm(object, term))),
    spread: isSpread ? undefined : false,
  };
  const given = Object.entries(props).filter(([, value]) => value !== undefined);
  if (!isSpread && given.length === 1) { return undefined; }
  const labels = isSpread && given.length === 1 ? sureLabels(nodeTerms(affinity)) : undefined;
  return labels && props.requiredNodes !== undefined ? call('VmAffinity', 'onNodes', labels) : call('VmAffinity', 'of', Object.fromEntries(given));
}

/** The labels that nodes must have, where nothing else is required of them. */
function sureLabels(terms: readonly Fields[]): DraftProps | undefined {
  const labels = items(terms[0]?.matchExpressions).map(({ key, operator, values }) => [String(key), operator, values] as const);
  const isSure = terms.length === 1 && labels.every(([, operator, values]) => operator === 'In' && Array.isArray(values) && values.length === 1);
  const isSorted = sameValue(labels.map(([key]) => key), labels.map(([key]) => key).sort());
  return isSure && isSorted ? Object.fromEntries(labels.map(([key, , values]) => [key, (values as string[])[0]])) : undefined;
}

function nodeTerms(affinity: unknown): readonly Fields[] {
  return records(valueAt(affinity, 'nodeAffinity', REQUIRED, 'nodeSelectorTerms')).map(([, term]) => term);
}

function nodeTerm(term: Fields): DraftProps {
  only(term, ['matchExpressions']);
  const labels = items(term.matchExpressions).map(({ key, operator, values }): DraftProps => {
    const list = Array.isArray(values) ? values as string[] : [];
    return {
      key: String(key), operator: enumValue('NodeLabelOperator', unless(operator, list.length > 0 ? 'In' : 'Exists')), values: filled(list),
    };
  });
  return { labels };
}

function preferredTerm(object: FoundObject, term: Fields): DraftProps {
  return { ...vmTerm(object, fields(term.podAffinityTerm)), ...weightOf(term) };
}

function weightOf({ weight }: Fields): DraftProps {
  return { weight: typeof weight === 'number' ? unless(weight, 100) : undefined };
}

function vmTerm(object: FoundObject, term: Fields): DraftProps {
  only(term, ['labelSelector', 'topologyKey', 'namespaces']);
  const namespaces = Array.isArray(term.namespaces) ? term.namespaces.map((name) => refer(object, '/Namespace', String(name))) : [];
  return { vms: selectorOf(term.labelSelector), topologyKey: unless(term.topologyKey as string, TOPOLOGY.HOST), namespaces: filled(namespaces) };
}

function selectorOf(selector: unknown): StaticCall {
  if (sameValue(selector, ANY_VM)) { return call('VmSelector', 'any'); }
  only(fields(selector), ['matchLabels']);
  return call('VmSelector', 'labels', fields(valueAt(selector, 'matchLabels')) as DraftProps);
}

function items(list: unknown): readonly Fields[] {
  return records(list).map(([, each]) => each);
}

function fields(value: unknown): Fields {
  if (!isRecord(value)) { throw new Inexpressible(); }
  return value;
}

/** Refuses what no prop can say. */
function only(value: Fields, known: readonly string[]): void {
  const isNothing = (each: unknown): boolean => each === undefined || each === null || (Array.isArray(each) && each.length === 0);
  if (Object.entries(value).some(([key, each]) => !known.includes(key) && !isNothing(each))) { throw new Inexpressible(); }
}

function filled<T extends DraftValue>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
