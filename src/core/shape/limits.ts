import { VALIDATIONS } from './validations.data';
import { parseCidr } from '../go/go-ip';
import { isLate } from '../late/late-token';
import { isRecord } from '../manifest/manifest';
import { Problem, show } from '../problem/problem';
import { givenValue } from '../text/plain-text';
import { goDuration } from '../text/time';
import { quantityOf } from '../text/values';

/** Constraints of a definition on a value, with the keywords of OpenAPI. */
export interface Limits {
  readonly [keyword: string]: unknown;
}

/** A constraint on a value, ready to judge. */
export interface Limit {
  /** Whether it accepts a value. One of another type, or one that is not known yet, is accepted. */
  readonly accepts: (value: unknown) => boolean;
  /** Whether it is a rule in CEL, which a server judges only where all types are right. */
  readonly isRule?: true;
  readonly problem: (path: string, value: any) => Problem;
}

/** A rule of a definition on a value, in the language CEL. */
interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

const RULES = 'x-kubernetes-validations';

/** A form of text that servers check. */
interface TextFormat {
  readonly fits: (value: string) => boolean;
  readonly what: string;
  readonly example: string;
  /** The server's words, where they differ. */
  readonly says?: string;
  /** Whether values may be secrets. */
  readonly isHidden?: true;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether Go decodes a text: it ignores ends of lines, and asks for the padding. */
export function isBase64(encoded: string): boolean {
  const bare = encoded.replace(/[\r\n]/g, '');
  return bare.length % 4 === 0 && BASE64.test(bare);
}

/**
 * Formats of text that servers check: `cidr`, `duration`, and `byte` of definitions, the others of
 * kinds of Kubernetes itself, by the types of Go.
 * @see kubernetes/kube-openapi:pkg/validation/strfmt/default.go IsCIDR, duration.go ParseDuration
 */
const FORMATS: { readonly [format: string]: TextFormat | undefined } = {
  'cidr': {
    fits: (value: string) => parseCidr(value) !== undefined,
    what: 'a CIDR',
    example: '10.20.0.0/24',
  },
  // apart from the durations of Go, any unit in words
  'duration': {
    fits: (value: string) => goDuration(value) !== undefined || /\d+\s*[A-Za-zµ]+/.test(value),
    what: 'a duration',
    example: '1h30m',
  },
  'date-time': {
    fits: (value: string) => DATE_TIME.test(value),
    what: 'a time',
    example: '2026-01-31T12:00:00Z',
  },
  'byte': {
    fits: isBase64,
    what: 'base64',
    example: 'the output of base64 -w0',
    says: 'in body must be of type byte',
    isHidden: true,
  },
  'go-bytes': {
    fits: isBase64,
    what: 'base64',
    example: 'the output of base64 -w0, or use stringData in a Secret',
    says: 'illegal base64 data',
    isHidden: true,
  },
  'quantity': {
    fits: (value: string) => quantityOf(value) !== undefined,
    what: 'a quantity',
    example: '500m, 2 or 256Mi',
    says: 'quantities must match the regular expression',
  },
};

/** The least and the largest number of an integer type of Go. */
const GO_INTEGERS: { readonly [type: string]: readonly [min: number, max: number] | undefined } = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
};

/** The keywords that are judged, in the order of the server. */
const KEYWORDS: { readonly [keyword: string]: (bound: any, all: Limits) => Limit } = {
  minimum: (min: number, all) =>
    number((value) => value >= min, all, `greater than or equal to ${min}`),
  maximum: (max: number, all) =>
    number((value) => value <= max, all, `less than or equal to ${max}`),
  goType: (type: string) => ofGoType(GO_INTEGERS[type]!, type),
  maxLength: (max: number) =>
    text(
      (value) => lengthOf(value) <= max,
      (path, value) => ({
        ...tooMany(path, max, 'character', lengthOf(value)),
        says: `${path}: Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
      }),
    ),
  minLength: (min: number) =>
    text(
      (value) => lengthOf(value) >= min,
      (path, value) => ({
        ...tooFew(path, min, 'character', lengthOf(value)),
        says: invalid(path, value, `should be at least ${min} chars long`),
      }),
    ),
  pattern: (pattern: string) => matching(pattern),
  format: (format: string) => formatted(format, FORMATS[format]!),
  maxItems: (max: number) => ({
    accepts: (value) => !Array.isArray(value) || value.length <= max,
    problem: overfull('item', max, sizeOf),
  }),
  minItems: (min: number) => ({
    accepts: (value) => !Array.isArray(value) || value.length >= min,
    problem: underfull('item', min, sizeOf),
  }),
  maxProperties: (max: number) => ({
    accepts: (value) => !isRecord(value) || sizeOf(value) <= max,
    problem: overfull('field', max, sizeOf),
  }),
  minProperties: (min: number) => ({
    accepts: (value) => !isRecord(value) || sizeOf(value) >= min,
    problem: underfull('field', min, sizeOf),
  }),
};

/** What limits judge, in the order of the server; undefined where there is nothing to judge. */
export function limitsOf(limits: Limits | undefined): readonly Limit[] | undefined {
  if (limits === undefined) {
    return undefined;
  }
  const found = [
    ...firstOf(
      Object.keys(KEYWORDS)
        .filter((keyword) => keyword in limits)
        .map((keyword) => KEYWORDS[keyword](limits[keyword], limits)),
    ),
    ...((limits[RULES] ?? []) as readonly ValidationRule[]).flatMap(validation),
  ];
  return found.length > 0 ? found : undefined;
}

/** The server reports one keyword of a value. */
function firstOf(limits: readonly Limit[]): readonly Limit[] {
  if (limits.length < 2) {
    return limits;
  }
  const broken = (value: unknown) => limits.find((limit) => !limit.accepts(value));
  return [
    {
      accepts: (value) => broken(value) === undefined,
      problem: (path, value) => broken(value)!.problem(path, value),
    },
  ];
}

/** A number that the server, its webhook, or its controller reads into a type of Go. */
function ofGoType([min, max]: readonly [min: number, max: number], type: string): Limit {
  return {
    accepts: (value) => typeof value !== 'number' || (value >= min && value <= max),
    problem: (path, value) => ({
      path,
      value,
      message: `must be ${min} to ${max}`,
      fix: `use a number from ${min} to ${max}`,
      says: `json: cannot unmarshal number ${value} into Go struct field ${path.replace(/\[\d+\]/g, '')} of type ${type}`,
    }),
  };
}

/** The numbers between a minimum and a maximum, of which one is given at least, for messages. */
function numbersText({ minimum, maximum }: Limits): string {
  if (minimum === undefined) {
    return `${maximum} or less`;
  }
  if (maximum === undefined) {
    return `${minimum} or more`;
  }
  return `${minimum} to ${maximum}`;
}

function number(isValid: (value: number) => boolean, limits: Limits, bound: string): Limit {
  const range = numbersText(limits);
  return {
    accepts: (value) => typeof value !== 'number' || isValid(value),
    problem: (path, value) => ({
      path,
      value,
      message: `must be ${range}`,
      fix: `use ${range}`,
      says: invalid(path, value, `should be ${bound}`),
    }),
  };
}

function text(
  isValid: (value: string) => boolean,
  problem: (path: string, value: string) => Problem,
): Limit {
  return {
    accepts: (value) => typeof value !== 'string' || isLate(value) || isValid(value),
    problem,
  };
}

function formatted(format: string, { fits, what, example, says, isHidden }: TextFormat): Limit {
  return text(fits, (path, value) => ({
    path,
    ...(isHidden ? {} : { value }),
    message: `must be ${what}`,
    fix: `write e.g. ${example}`,
    says: says ?? invalid(path, value, `must be of type ${format}: ${JSON.stringify(value)}`),
  }));
}

/** Patterns in words. Others are quoted. */
const FORMS: { readonly [pattern: string]: string } = {
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$':
    'a quantity such as 500m or 2Gi',
  '^$|^[a-fA-F0-9]{32,128}$': 'a checksum of 32 to 128 hexadecimal digits',
  '^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0)|)$': 'a whole number or a percentage such as 10%',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$':
    'a name of a-z, 0-9, hyphens and dots that begins and ends with a letter or digit',
};

// the end of a label of a domain: matched in one way only, since JavaScript tries all ways of a
// text that does not match
const LABEL_END = '[-a-zA-Z0-9]{0,61}[a-zA-Z0-9]?';
const ONE_WAY = '(?:[-a-zA-Z0-9]{0,61}|[-a-zA-Z0-9]{61}[a-zA-Z0-9])(?![-a-zA-Z0-9])';

function matching(pattern: string): Limit {
  const form = new RegExp(pattern.replaceAll(LABEL_END, ONE_WAY));
  return text(
    (value) => form.test(value),
    (path, value) => {
      const wanted = FORMS[pattern];
      const says = invalid(path, value, `should match '${pattern}'`);
      return wanted === undefined
        ? { path, value, message: `must match ${pattern}`, fix: 'use a value of this form', says }
        : { path, value, message: `must be ${wanted}`, fix: `use ${wanted}`, says };
    },
  );
}

function validation({ rule, message: words }: ValidationRule): Limit[] {
  const known = VALIDATIONS[rule];
  if (known === undefined || known === 'elsewhere') {
    return [];
  }
  const { holds, at, message, fix } = known;
  return [
    {
      accepts: holds,
      isRule: true,
      problem: (path, value) => ({
        path: at === undefined ? path : `${path}.${at}`,
        ...givenValue(isRecord(value) ? at && value[at] : value),
        message,
        fix,
        says: `${path}: Invalid value: "${isRecord(value) ? 'object' : typeof value}": ${words}`,
      }),
    },
  ];
}

function overfull(unit: string, max: number, count: (value: any) => number): Limit['problem'] {
  return (path, value) => ({
    ...tooMany(path, max, unit, count(value)),
    says: `${path}: Too many: ${count(value)}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  });
}

function underfull(unit: string, min: number, count: (value: any) => number): Limit['problem'] {
  const words = unit === 'item' ? 'items' : 'properties';
  return (path, value) => ({
    ...tooFew(path, min, unit, count(value)),
    says: invalid(path, count(value), `should have at least ${min} ${words}`),
  });
}

function tooMany(path: string, max: number, unit: string, count: number): Problem {
  return {
    path,
    message: `must have at most ${counted(max, unit)}: it has ${count}`,
    fix: `use at most ${counted(max, unit)}`,
  };
}

function tooFew(path: string, min: number, unit: string, count: number): Problem {
  return count === 0
    ? { path, message: 'cannot be empty', fix: `use at least ${counted(min, unit)}` }
    : {
        path,
        message: `must have at least ${counted(min, unit)}: it has ${count}`,
        fix: `use at least ${counted(min, unit)}`,
      };
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function invalid(path: string, value: unknown, words: string): string {
  return `${path}: Invalid value: ${show(value)}: ${path} in body ${words}`;
}

/** The length of a text as a server counts it. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) {
    length++;
  }
  return length;
}

function sizeOf(value: object): number {
  return Object.keys(value).length;
}
