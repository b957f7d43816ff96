import { parseCidr, parseIp } from '../../go/go-ip';
import { isLate } from '../../late/late-token';
import { isRecord } from '../../manifest/manifest';
import {
  DNS_SUBDOMAIN,
  labelNameFault,
  LABEL_NAME_FIX,
  labelValueFault,
  LABEL_VALUE_FIX,
} from '../../problem/label';
import { NO_PROBLEMS, Problem, problemsOf } from '../../problem/problem';
import { each, fields, must, ValueCheck } from '../../rule/kit/values';
import { quantityOf } from '../../text/values';

/** A problem of a field that has no value. An existing object may have one, which server-side apply keeps. */
interface MissingField extends Problem {
  readonly isMissing: true;
}

/** Whether a problem is that a field has no value. */
export function isMissing(problem: Problem): boolean {
  return (problem as MissingField).isMissing === true;
}

/** The problem of a field that must have a value. */
export function missing(path: string, fix = `set ${path}`, why = ''): readonly Problem[] {
  const field: MissingField = {
    path,
    message: `must be set${why === '' ? '' : `: ${why}`}`,
    fix,
    says: `${path}: Required value`,
    isMissing: true,
  };
  return [field];
}

/** Whether a server sees no value: null, an empty text, and an empty list are none. */
export function isUnset(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** The check that a field has a value, and what holds for it. */
export function needed(check: ValueCheck = () => NO_PROBLEMS, fix?: string): ValueCheck {
  return (path, value) => (isUnset(value) ? missing(path, fix) : check(path, value));
}

/** The checks of an object that a server takes for an empty one where it is not set. */
export function structOf(checks: { readonly [field: string]: ValueCheck }): ValueCheck {
  const check = fields(checks);
  return (path, value) => check(path, value ?? {});
}

/** The checks of each item of a list of objects; null is an empty one. */
export function items(...checks: readonly ValueCheck[]): ValueCheck {
  return (path, value) =>
    Array.isArray(value)
      ? problemsOf(value, (item: unknown, index) => all(...checks)(`${path}[${index}]`, item ?? {}))
      : NO_PROBLEMS;
}

/** Several checks of one value. */
export function all(...checks: readonly ValueCheck[]): ValueCheck {
  return (path, value) => problemsOf(checks, (check) => check(path, value));
}

/** A check that needs an object. */
export function object(
  check: (path: string, value: { readonly [field: string]: unknown }) => Iterable<Problem>,
): ValueCheck {
  return (path, value) => (isRecord(value) ? [...check(path, value)] : NO_PROBLEMS);
}

/** The path of a key of a map. */
export function keyPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `${path}.${key}` : `${path}[${key}]`;
}

/** The check of a number; a value of another type has a rule of its own. */
export function number(
  test: (value: number) => boolean,
  allowed: string,
  says: string,
): ValueCheck {
  return must((value) => typeof value !== 'number' || test(value), {
    message: `must be ${allowed}`,
    fix: `use ${allowed}`,
    says,
  });
}

/** The check of a number from one to another. */
export function between(min: number, max: number, says?: string): ValueCheck {
  return number(
    (value) => value >= min && value <= max,
    `${min} to ${max}`,
    says ?? `must be between ${min} and ${max}, inclusive`,
  );
}

export const NOT_NEGATIVE = number(
  (value) => value >= 0,
  '0 or more',
  'must be greater than or equal to 0',
);

export const POSITIVE = number((value) => value > 0, '1 or more', 'must be greater than 0');

const MAX_PORT = 65_535;

export const PORT_NUMBER = between(1, MAX_PORT);

/** The check of a port that a server takes for 0 where it is not set. */
export const NEEDED_PORT: ValueCheck = (path, value) =>
  isUnset(value) ? missing(path) : PORT_NUMBER(path, value);

const MAX_UID = 2 ** 31 - 1;

/** The ID of a user or a group. */
export const USER_ID = between(0, MAX_UID);

/** The check of a text that is not empty; an empty one is judged by `needed`. */
function form(test: (value: string) => boolean, what: string, says: string): ValueCheck {
  return must((value) => typeof value !== 'string' || value === '' || test(value), {
    message: `must be ${what}`,
    fix: `use ${what}`,
    says,
  });
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const SUBDOMAIN_WORDS = 'a name of at most 253 characters: a-z, 0-9, hyphens, and dots';
const LABEL_WORDS = 'a name of at most 63 characters: a-z, 0-9, and hyphens';
const RFC_1123_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'";
const RFC_1123_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";

/** The name of most objects. @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/util/validation/validation.go IsDNS1123Subdomain */
export const SUBDOMAIN = form(
  (value) => value.length <= 253 && DNS_SUBDOMAIN.test(value),
  SUBDOMAIN_WORDS,
  RFC_1123_SUBDOMAIN,
);

/** The name of a container, a volume, or a port of a Service. */
export const DNS_LABEL = form(
  (value) => value.length <= 63 && LABEL.test(value),
  LABEL_WORDS,
  RFC_1123_LABEL,
);

/** The name of a Service. */
export const SERVICE_NAME = form(
  (value) => value.length <= 63 && DNS_1035.test(value),
  `${LABEL_WORDS}, beginning with a letter`,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character",
);

/** The host of an Ingress: a domain, or all below one. */
export const HOST = form(
  (value) => value.length <= 253 && DNS_SUBDOMAIN.test(value.replace(/^\*\./, '')),
  'a domain such as shop.example.com or *.example.com',
  RFC_1123_SUBDOMAIN,
);

/** @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/util/validation/validation.go IsValidPortName */
function isPortName(name: string): boolean {
  return (
    name.length <= 15 &&
    /^[-a-z0-9]+$/.test(name) &&
    /[a-z]/.test(name) &&
    !name.includes('--') &&
    !name.startsWith('-') &&
    !name.endsWith('-')
  );
}

const PORT_NAME_SAYS = 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)';
const PORT_NAME_WORDS = 'a name of at most 15 characters: a-z, 0-9, and hyphens, with a letter';

export const PORT_NAME = form(isPortName, PORT_NAME_WORDS, PORT_NAME_SAYS);

/** A port by its number or by its name. */
export const PORT: ValueCheck = all(
  PORT_NUMBER,
  must((value) => typeof value !== 'string' || isPortName(value), {
    message: `must be a number without quotes, or ${PORT_NAME_WORDS}`,
    fix: 'write a number without quotes, or the name of a port',
    says: PORT_NAME_SAYS,
  }),
);

/** A key of a ConfigMap or a Secret. @see https://github.com/kubernetes/apimachinery/blob/v0.34.4/pkg/util/validation/validation.go IsConfigMapKey */
export function isDataKey(key: string): boolean {
  return key.length <= 253 && /^[-._a-zA-Z0-9]+$/.test(key) && key !== '.' && !key.startsWith('..');
}

export const DATA_KEY_WORDS = 'a key of at most 253 characters: letters, digits, - _ .';
export const DATA_KEY_SAYS =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

export const DATA_KEY = form(isDataKey, DATA_KEY_WORDS, DATA_KEY_SAYS);

/** The name of a label, or of anything that has the same form. */
export const QUALIFIED_NAME: ValueCheck = (path, value) => {
  if (typeof value !== 'string' || value === '' || isLate(value)) {
    return NO_PROBLEMS;
  }
  const says = labelNameFault(value);
  return says === undefined
    ? NO_PROBLEMS
    : [{ path, value, message: 'must be a qualified name', fix: LABEL_NAME_FIX, says }];
};

/** The value of a label. */
export const LABEL_TEXT: ValueCheck = (path, value) => {
  const says = typeof value === 'string' && !isLate(value) ? labelValueFault(value) : undefined;
  return says === undefined
    ? NO_PROBLEMS
    : [{ path, value, message: 'must be the value of a label', fix: LABEL_VALUE_FIX, says }];
};

/** A map of labels. */
export const LABELS = object((path, labels) =>
  problemsOf(Object.keys(labels), (key) => [
    ...QUALIFIED_NAME(keyPath(path, key), key),
    ...LABEL_TEXT(keyPath(path, key), labels[key]),
  ]),
);

// servers of Kubernetes take leading zeros, too
const withoutZeros = (text: string): string => text.replace(/(^|\.)0+(?=\d)/g, '$1');

export function isAddress(text: string): boolean {
  return parseIp(withoutZeros(text)) !== undefined;
}

export const IP_ADDRESS: ValueCheck = must(
  (value) => typeof value !== 'string' || isAddress(value),
  {
    message: 'must be an IP address',
    fix: 'use an address such as 10.20.0.11',
    says: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
);

export const CIDR: ValueCheck = must(
  (value) => typeof value !== 'string' || parseCidr(withoutZeros(value)) !== undefined,
  {
    message: 'must be a network in CIDR notation',
    fix: 'use a network such as 10.20.0.0/16',
    says: 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  },
);

/** A number, or a percentage. */
export const COUNT_OR_PERCENT: ValueCheck = all(
  NOT_NEGATIVE,
  must((value) => typeof value !== 'string' || /^[0-9]+%$/.test(value), {
    message: 'must be a whole number, or a percentage such as 25%',
    fix: 'write a number without quotes, or a percentage',
    says: "a valid percent string must be a numeric string followed by an ending '%'",
  }),
);

/** A quantity of more than nothing. */
export const MORE_THAN_NOTHING: ValueCheck = (path, value) =>
  isLate(value) || (quantityOf(value ?? 0) ?? 1) > 0
    ? NO_PROBLEMS
    : [
        {
          path,
          value: value ?? 0,
          message: 'must be more than 0',
          fix: 'set a size such as 10Gi',
          says: 'must be greater than zero',
        },
      ];

/** A quantity of nothing or more. */
export const QUANTITY_NOT_NEGATIVE: ValueCheck = (path, value) =>
  isLate(value) || (quantityOf(value) ?? 0) >= 0
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          message: 'must be 0 or more',
          fix: 'use 0 or more',
          says: 'must be greater than or equal to 0',
        },
      ];

/** One of several words, also where no version of the definition lists them; an empty text is none of them. */
export function word(...allowed: readonly string[]): ValueCheck {
  const list = allowed.map((one) => JSON.stringify(one)).join(', ');
  return must((value) => typeof value !== 'string' || allowed.includes(value), {
    message: `must be one of ${list}`,
    fix: `use one of ${list}`,
    says: `supported values: ${list}`,
  });
}

/** The check of each text of a list, in which null is an empty one. */
export function eachWord(...allowed: readonly string[]): ValueCheck {
  const check = word(...allowed);
  return each((path, value) => check(path, value ?? ''));
}

/** The check that items differ in a field; those without it are not compared. */
export function distinct(field: string): ValueCheck {
  return (path, value) => {
    const seen = new Set<unknown>();
    return Array.isArray(value)
      ? problemsOf(value, (item: unknown, index) => {
          const key = isRecord(item) ? item[field] : undefined;
          if (isUnset(key) || isLate(key) || !seen.has(key)) {
            seen.add(key);
            return undefined;
          }
          return duplicate(`${path}[${index}].${field}`, key);
        })
      : NO_PROBLEMS;
  };
}

/** The check that texts of a list differ. */
export const distinctTexts: ValueCheck = (path, value) =>
  Array.isArray(value)
    ? problemsOf(
        value,
        (item: unknown, index) =>
          typeof item === 'string' &&
          !isLate(item) &&
          value.indexOf(item) < index &&
          duplicate(`${path}[${index}]`, item),
      )
    : NO_PROBLEMS;

/** The check of a text that can be left out, but not be empty. */
export function notEmpty(check: ValueCheck): ValueCheck {
  return (path, value) =>
    value === ''
      ? [
          {
            path,
            value,
            message: 'cannot be empty',
            fix: 'remove it, or set a value',
            says: 'Invalid value: ""',
          },
        ]
      : check(path, value);
}

export function duplicate(path: string, value: unknown): Problem {
  return {
    path,
    value,
    message: 'must differ from the items before it',
    fix: 'give it another value, or remove it',
    says: 'Duplicate value',
  };
}

/** A problem of a field that cannot be set. */
export function forbidden(path: string, why: string, fix: string, says: string): Problem {
  return { path, message: `cannot be set: ${why}`, fix, says };
}

/** The names of fields that have a value. */
export function whereGiven(
  value: { readonly [field: string]: unknown },
  names: readonly string[],
): string[] {
  return names.filter((name) => value[name] !== undefined && value[name] !== null);
}
