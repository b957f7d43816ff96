import {
  DATA_KEY_SAYS,
  DATA_KEY_WORDS,
  isDataKey,
  isUnset,
  keyPath,
  missing,
  object,
} from './value/value.check';
import { isLate } from '../late/late-token';
import { annotationsOf, isRecord, Manifest } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../problem/problem';
import { ValueCheck } from '../rule/kit/values';
import { plainText } from '../text/plain-text';
import { tableByName, attempt, jsonOf } from '../text/values';

const KEYS = object((path, map) =>
  problemsOf(
    Object.keys(map),
    (key) =>
      !isDataKey(key) &&
      !isLate(key) && {
        path: keyPath(path, key),
        message: `must have ${DATA_KEY_WORDS}`,
        fix: 'rename the key',
        says: DATA_KEY_SAYS,
      },
  ),
);

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateConfigMap (v1.34.4) */
export const CONFIG_MAP: ValueCheck = object((_, { data, binaryData }) => [
  ...KEYS('data', data),
  ...KEYS('binaryData', binaryData),
  ...(isRecord(data) && isRecord(binaryData)
    ? problemsOf(
        Object.keys(data).filter((key) => key in binaryData),
        (key) => ({
          path: keyPath('data', key),
          message: 'cannot be a key of binaryData, too',
          fix: 'keep one of both',
          says: 'duplicate of key present in binaryData',
        }),
      )
    : []),
]);

const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/** The keys that Secrets of a type have, whether their value is JSON, and whether it cannot be empty. */
const TYPES: {
  readonly [type: string]:
    | { readonly keys: readonly string[]; readonly isJson?: true; readonly isFilled?: true }
    | undefined;
} = tableByName({
  'kubernetes.io/dockercfg': { keys: ['.dockercfg'], isJson: true },
  'kubernetes.io/dockerconfigjson': { keys: ['.dockerconfigjson'], isJson: true },
  'kubernetes.io/ssh-auth': { keys: ['ssh-privatekey'], isFilled: true },
  'kubernetes.io/tls': { keys: ['tls.crt', 'tls.key'] },
});

const BASIC_AUTH = { type: 'kubernetes.io/basic-auth', keys: ['username', 'password'] };

type Values = { readonly [key: string]: unknown };

/** The text of a key; undefined where it is not known. */
function textOf(data: Values, texts: Values, key: string): string | undefined {
  const text = texts[key];
  if (typeof text === 'string') {
    return isLate(text) ? undefined : text;
  }
  const encoded = data[key];
  return typeof encoded === 'string' && !isLate(encoded)
    ? Buffer.from(encoded, 'base64').toString()
    : undefined;
}

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateSecret (v1.34.4) */
export function checkSecret(secret: Manifest): readonly Problem[] {
  const [data, texts] = [secret.data, secret.stringData].map((map) =>
    isRecord(map) ? map : {},
  ) as [Values, Values];
  const type = plainText(secret.type);
  return [
    ...KEYS('data', data),
    ...KEYS('stringData', texts),
    ...checkOfType(secret, type, data, texts),
  ];
}

function checkOfType(
  secret: Manifest,
  type: string,
  data: Values,
  texts: Values,
): readonly Problem[] {
  const has = (key: string): boolean => key in data || key in texts;
  // a late key may be any of them
  if ([...Object.keys(data), ...Object.keys(texts)].some(isLate)) {
    return NO_PROBLEMS;
  }
  if (type === 'kubernetes.io/service-account-token') {
    return isUnset(annotationsOf(secret)[ACCOUNT_ANNOTATION])
      ? missing(
          `metadata.annotations[${ACCOUNT_ANNOTATION}]`,
          'set it to the name of the ServiceAccount',
        )
      : NO_PROBLEMS;
  }
  if (type === BASIC_AUTH.type) {
    return BASIC_AUTH.keys.some(has)
      ? NO_PROBLEMS
      : BASIC_AUTH.keys.flatMap((key) => missingKey(type, key));
  }
  const known = TYPES[type];
  return known === undefined
    ? NO_PROBLEMS
    : problemsOf(known.keys, (key) => {
        if (!has(key)) {
          return missingKey(type, key);
        }
        if (known.isFilled && textOf(data, texts, key) === '') {
          return missingKey(type, key);
        }
        const text = known.isJson ? textOf(data, texts, key) : undefined;
        return (
          text !== undefined &&
          !isRecord(attempt(() => jsonOf(text))) && {
            path: keyPath(key in texts ? 'stringData' : 'data', key),
            message: 'must be JSON: an object',
            fix: 'write {"auths": {"<registry>": {"username": …, "password": …}}}',
            says: `data[${key}]: Invalid value: "<secret contents redacted>"`,
          }
        );
      });
}

function missingKey(type: string, key: string): readonly Problem[] {
  const path = keyPath('data', key);
  return [
    {
      ...missing(path)[0]!,
      message: `must be set for a Secret of type ${type}`,
      fix: `set ${key} in data or stringData, or use the type Opaque`,
      says: `data[${key}]: Required value`,
    },
  ];
}
