import { Problem } from './problem';
import { isRecord, itemsAt } from '../manifest/manifest';
import { textOrEmpty } from '../text/plain-text';

/** RFC 1123 subdomain: the form of most names, at most 253 characters. */
export const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
export const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const SAYS_NAME =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** The problem of a text that is not an RFC 1123 label, as the names of some objects must be. */
export function rfc1123LabelProblem(
  path: string,
  value: unknown,
  fix = 'use at most 63 of a-z, 0-9 and hyphens',
): Problem {
  return { path, value, message: 'must be an RFC 1123 label', fix };
}

/** The allowed form of the name of a label, in words. */
export const LABEL_NAME_FIX =
  'use an optional DNS prefix and a slash, then at most 63 letters, digits, - _ . that begin and end with a letter or digit';

/** The allowed form of the value of a label, in words. */
export const LABEL_VALUE_FIX =
  'use at most 63 letters, digits, - _ . that begin and end with a letter or digit';

/**
 * The API server's words for a text that is not the name of a label (a "qualified name"); undefined
 * if it is one.
 * @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/util/validation/validation.go IsQualifiedName
 */
export function labelNameFault(name: string): string | undefined {
  const parts = name.split('/');
  if (parts.length > 2) {
    return "a qualified name must consist of alphanumeric characters, '-', '_' or '.'";
  }
  if (parts.length === 2) {
    if (parts[0] === '') {
      return 'prefix part must be non-empty';
    }
    if (parts[0].length > 253 || !DNS_SUBDOMAIN.test(parts[0])) {
      return 'prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters';
    }
  }
  const own = parts[parts.length - 1];
  if (own === '') {
    return 'name part must be non-empty';
  }
  if (own.length > 63) {
    return 'name part must be no more than 63 bytes';
  }
  return NAME_PART.test(own) ? undefined : SAYS_NAME;
}

/**
 * The API server's words for a text that is not the value of a label; undefined if it is one.
 * @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/util/validation/validation.go IsValidLabelValue
 */
export function labelValueFault(value: string): string | undefined {
  if (value.length > 63) {
    return 'must be no more than 63 bytes';
  }
  return LABEL_VALUE.test(value)
    ? undefined
    : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'";
}

const WITH_VALUES = ['In', 'NotIn'];
const WITHOUT_VALUES = ['Exists', 'DoesNotExist'];

/**
 * What an API server refuses in a label selector.
 * @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/apis/meta/v1/validation/validation.go ValidateLabelSelector
 */
export function* checkLabelSelector(path: string, selector: unknown): Iterable<Problem> {
  if (!isRecord(selector)) {
    return;
  }
  if (isRecord(selector.matchLabels)) {
    for (const [key, value] of Object.entries(selector.matchLabels)) {
      yield* checkName(`${path}.matchLabels`, key);
      yield* checkValue(`${path}.matchLabels[${key}]`, value);
    }
  }
  if (!Array.isArray(selector.matchExpressions)) {
    return;
  }
  for (const [index, expression] of selector.matchExpressions.entries()) {
    if (isRecord(expression)) {
      yield* checkRequirement(`${path}.matchExpressions[${index}]`, expression);
    }
  }
}

function* checkRequirement(
  path: string,
  { key, operator, values }: { readonly [field: string]: unknown },
): Iterable<Problem> {
  const list = itemsAt(values);
  if (typeof operator !== 'string' || ![...WITH_VALUES, ...WITHOUT_VALUES].includes(operator)) {
    yield {
      path: `${path}.operator`,
      value: operator,
      message: 'must be an operator of a selector',
      fix: `use ${[...WITH_VALUES, ...WITHOUT_VALUES].join(', ')}`,
      says: 'not a valid selector operator',
    };
  } else if (WITH_VALUES.includes(operator) && list.length === 0) {
    yield {
      path: `${path}.values`,
      message: `${operator} needs values`,
      fix: 'name at least one value, or use Exists',
      says: "must be specified when `operator` is 'In' or 'NotIn'",
    };
  } else if (WITHOUT_VALUES.includes(operator) && list.length > 0) {
    yield {
      path: `${path}.values`,
      message: `${operator} takes no values`,
      fix: 'leave the values out, or use In or NotIn',
      says: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    };
  }
  yield* checkName(`${path}.key`, key);
  for (const [index, value] of list.entries()) {
    yield* checkValue(`${path}.values[${index}]`, value);
  }
}

function* checkName(path: string, name: unknown): Iterable<Problem> {
  const says = labelNameFault(textOrEmpty(name));
  if (says) {
    yield { path, value: name, message: 'must be the name of a label', fix: LABEL_NAME_FIX, says };
  }
}

function* checkValue(path: string, value: unknown): Iterable<Problem> {
  const says = typeof value === 'string' ? labelValueFault(value) : undefined;
  if (says) {
    yield { path, value, message: 'must be the value of a label', fix: LABEL_VALUE_FIX, says };
  }
}

/** `web-server` of `WebServer`, `vm-of-https-site` of `VmOfHTTPSSite`. */
export function kebabCase(text: string): string {
  if (text === text.toLowerCase()) {
    return text;
  }
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
