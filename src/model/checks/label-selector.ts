import { isRecord } from '../manifest';
import { Problem } from '../problem';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from './label-name';

const WITH_VALUES = ['In', 'NotIn'];
const WITHOUT_VALUES = ['Exists', 'DoesNotExist'];

/**
 * What an API server refuses in a label selector.
 * @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/apis/meta/v1/validation/validation.go ValidateLabelSelector
 */
export function* checkLabelSelector(path: string, selector: unknown): Iterable<Problem> {
  if (!isRecord(selector)) { return; }
  if (isRecord(selector.matchLabels)) {
    for (const [key, value] of Object.entries(selector.matchLabels)) {
      yield* checkName(`${path}.matchLabels`, key);
      yield* checkValue(`${path}.matchLabels[${key}]`, value);
    }
  }
  if (!Array.isArray(selector.matchExpressions)) { return; }
  for (const [index, expression] of selector.matchExpressions.entries()) {
    if (isRecord(expression)) { yield* checkRequirement(`${path}.matchExpressions[${index}]`, expression); }
  }
}

function* checkRequirement(path: string, { key, operator, values }: { readonly [field: string]: unknown }): Iterable<Problem> {
  const list = Array.isArray(values) ? values : [];
  if (typeof operator !== 'string' || ![...WITH_VALUES, ...WITHOUT_VALUES].includes(operator)) {
    yield {
      path: `${path}.operator`,
      value: operator,
      message: 'is no operator of a selector',
      fix: `use ${[...WITH_VALUES, ...WITHOUT_VALUES].join(', ')}`,
      says: 'not a valid selector operator',
    };
  } else if (WITH_VALUES.includes(operator) && list.length === 0) {
    yield {
      path: `${path}.values`,
      message: `${operator} needs values`,
      fix: 'name at least one value, or use Exists',
      says: 'must be specified when `operator` is \'In\' or \'NotIn\'',
    };
  } else if (WITHOUT_VALUES.includes(operator) && list.length > 0) {
    yield {
      path: `${path}.values`,
      message: `${operator} takes no values`,
      fix: 'leave the values out, or use In or NotIn',
      says: 'may not be specified when `operator` is \'Exists\' or \'DoesNotExist\'',
    };
  }
  yield* checkName(`${path}.key`, key);
  for (const [index, value] of list.entries()) { yield* checkValue(`${path}.values[${index}]`, value); }
}

function* checkName(path: string, name: unknown): Iterable<Problem> {
  const says = labelNameFault(typeof name === 'string' ? name : '');
  if (says) { yield { path, value: name, message: 'is no name of a label', fix: LABEL_NAME_FIX, says }; }
}

function* checkValue(path: string, value: unknown): Iterable<Problem> {
  const says = typeof value === 'string' ? labelValueFault(value) : undefined;
  if (says) { yield { path, value, message: 'is no value of a label', fix: LABEL_VALUE_FIX, says }; }
}
