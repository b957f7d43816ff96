import { Problem } from '../../core/rule/problem';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../../core/text/label';

/** Labels of a node by which Kubernetes, Harvester and its storage spread over sites. @see https://kubernetes.io/docs/reference/labels-annotations-taints/ */
export const NODE_LABEL = { ZONE: 'topology.kubernetes.io/zone', REGION: 'topology.kubernetes.io/region' } as const;

/** Labels that the kubelet, RKE2 and Harvester write. @see https://kubernetes.io/docs/reference/labels-annotations-taints/; harvester/harvester:pkg/util/constants.go */
const OF_OTHERS = /^(?:(?:beta\.)?kubernetes\.io\/(?:hostname|os|arch|instance-type)|node\.kubernetes\.io\/instance-type|node-role\.(?:kubernetes|harvesterhci)\.io\/.*|harvesterhci\.io\/managed)$/;

interface NodeLabels {
  readonly zone?: string;
  readonly region?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** Checks the labels that a program sets on a node. */
export function* checkNodeLabels({ zone, region, labels = {} }: NodeLabels): Iterable<Problem> {
  for (const [path, value] of Object.entries({ zone, region })) {
    if (value === '') { yield { path, value, message: 'must not be empty', fix: `remove ${path}, or set it` }; }
    yield* checkValue(path, value);
  }
  for (const [key, value] of Object.entries(labels)) {
    yield* checkValue(`labels[${key}]`, value);
    const says = labelNameFault(key);
    if (says) { yield { path: 'labels', value: key, message: 'must be a valid label name', fix: LABEL_NAME_FIX, says }; }
    const prop = key === NODE_LABEL.ZONE ? 'zone' : key === NODE_LABEL.REGION ? 'region' : undefined;
    if (prop) { yield { path: `labels[${key}]`, message: `cannot be set: ${prop} sets it`, fix: `use ${prop}` }; }
    if (OF_OTHERS.test(key)) { yield { path: `labels[${key}]`, message: 'cannot be set: the node or Harvester writes it', fix: 'use another label' }; }
  }
}

function* checkValue(path: string, value: string | undefined): Iterable<Problem> {
  const says = value === undefined ? undefined : labelValueFault(value);
  if (says) { yield { path, value, message: 'must be a valid label value', fix: LABEL_VALUE_FIX, says }; }
}
