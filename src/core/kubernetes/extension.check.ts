import {
  all,
  between,
  distinct,
  distinctTexts,
  isUnset,
  items,
  missing,
  needed,
  object,
  PORT_NUMBER,
  structOf,
  SERVICE_NAME,
  SUBDOMAIN,
  word,
} from './value/value.check';
import { exactlyOne } from './workload/container.check';
import { SELECTOR } from './workload/pod.check';
import { isLate } from '../late/late-token';
import { isRecord, itemsAt, Manifest, valueAt } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../problem/problem';
import { each, fields, must, ValueCheck } from '../rule/kit/values';
import { plainText } from '../text/plain-text';

const OPERATIONS = word('*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT');

/** @see kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go validateRuleWithOperations (v1.34.4) */
const RULE = all(
  structOf({
    apiGroups: needed(),
    apiVersions: needed(each(needed())),
    operations: needed(each(needed(OPERATIONS))),
    resources: needed(each(needed())),
    scope: word('*', 'Cluster', 'Namespaced'),
  }),
  object((path, rule) =>
    problemsOf(
      ['apiGroups', 'apiVersions', 'operations'],
      (field) =>
        itemsAt(rule[field]).includes('*') &&
        itemsAt(rule[field]).length > 1 && {
          path: `${path}.${field}`,
          message: 'cannot hold other values next to *',
          fix: 'keep *, or remove it',
          says: "if '*' is present, must not specify other",
        },
    ),
  ),
);

const CLIENT = all(
  exactlyOne(['service', 'url'], 'exactly one of url or service is required'),
  fields({
    url: must((value) => typeof value !== 'string' || /^https:\/\/[^/?#]+/.test(value), {
      message: 'must be a URL with https',
      fix: 'write e.g. https://hook.example.com/check',
      says: "'https' is the only allowed URL scheme",
    }),
    service: fields({
      port: PORT_NUMBER,
      path: must((value) => typeof value !== 'string' || value === '' || value.startsWith('/'), {
        message: 'must be an absolute path',
        fix: 'begin it with a slash',
        says: "must start with a '/'",
      }),
    }),
  }),
);

const QUALIFIED = must(
  (value) =>
    typeof value !== 'string' ||
    value === '' ||
    value.split('.').filter((part) => part !== '').length >= 3,
  {
    message: 'must be a name of at least three parts, such as check.shop.example.com',
    fix: 'use a name with a domain',
    says: 'should be a domain with at least three segments separated by dots',
  },
);

/** @see kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go validateValidatingWebhook (v1.34.4) */
const WEBHOOK = structOf({
  name: all(SUBDOMAIN, QUALIFIED),
  clientConfig: CLIENT,
  rules: items(RULE),
  failurePolicy: word('Fail', 'Ignore'),
  matchPolicy: word('Equivalent', 'Exact'),
  sideEffects: word('None', 'NoneOnDryRun'),
  timeoutSeconds: between(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  namespaceSelector: SELECTOR,
  objectSelector: SELECTOR,
  admissionReviewVersions: all(distinctTexts, (path, value) =>
    Array.isArray(value) &&
    value.every((version) => typeof version === 'string' && !isLate(version)) &&
    !value.some((version) => version === 'v1' || version === 'v1beta1')
      ? [
          {
            path,
            value,
            message: 'must contain v1',
            fix: 'add v1',
            says: 'must include at least one of v1, v1beta1',
          },
        ]
      : NO_PROBLEMS,
  ),
  reinvocationPolicy: word('Never', 'IfNeeded'),
});

export const WEBHOOKS = structOf({ webhooks: all(items(WEBHOOK), distinct('name')) });

export const ADMISSION_POLICY = structOf({
  spec: all(
    object((path, { validations, auditAnnotations }) =>
      isUnset(validations) && isUnset(auditAnnotations)
        ? missing(`${path}.validations`, 'set validations, or auditAnnotations')
        : NO_PROBLEMS,
    ),
    structOf({
      failurePolicy: word('Fail', 'Ignore'),
      matchConstraints: needed(
        structOf({
          resourceRules: needed(items(RULE)),
          namespaceSelector: SELECTOR,
          objectSelector: SELECTOR,
        }),
      ),
    }),
  ),
});

const ACTIONS = ['Deny', 'Warn', 'Audit'];

export const ADMISSION_POLICY_BINDING = structOf({
  spec: structOf({
    policyName: needed(SUBDOMAIN),
    validationActions: needed(
      all(each(word(...ACTIONS)), distinctTexts, (path, value) => {
        const actions = itemsAt(value);
        return actions.includes('Deny') && actions.includes('Warn')
          ? [
              {
                path,
                value,
                message: 'cannot hold Deny and Warn',
                fix: 'keep one of both',
                says: 'must not contain both Deny and Warn',
              },
            ]
          : NO_PROBLEMS;
      }),
    ),
  }),
});

/** @see kubernetes/kube-aggregator:pkg/apis/apiregistration/validation/validation.go ValidateAPIService (v0.34.4) */
export function checkApiService({ metadata, spec }: Manifest): readonly Problem[] {
  const { name } = metadata;
  const [group, version] = [valueAt(spec, 'group'), valueAt(spec, 'version')];
  const wanted = `${plainText(version ?? '')}.${plainText(group ?? '')}`;
  const service = valueAt(spec, 'service');
  const check: ValueCheck = structOf({
    groupPriorityMinimum: between(1, 20_000, 'must be positive and less than 20000'),
    versionPriority: between(1, 1_000, 'must be positive and less than 1000'),
    service: fields({ name: needed(), namespace: needed(), port: PORT_NUMBER }),
  });
  return [
    ...check('spec', spec),
    ...(name !== wanted && ![name, wanted].some(isLate) && isRecord(spec)
      ? [
          {
            path: 'metadata.name',
            value: name,
            message: 'must be <version>.<group> of the spec',
            fix: `use ${wanted}`,
            says: 'must be `spec.version+"."+spec.group`',
          },
        ]
      : []),
    ...(valueAt(spec, 'insecureSkipTLSVerify') === true &&
    (!isUnset(valueAt(spec, 'caBundle')) || !isRecord(service))
      ? [
          {
            path: 'spec.insecureSkipTLSVerify',
            message: isRecord(service)
              ? 'cannot be set next to caBundle'
              : 'cannot be set without a service',
            fix: 'remove it',
            says: 'may not be true',
          },
        ]
      : []),
  ];
}

const lowered =
  (check: ValueCheck): ValueCheck =>
  (path, value) =>
    check(path, typeof value === 'string' && !isLate(value) ? value.toLowerCase() : value);

const NAMES = structOf({
  kind: lowered(SERVICE_NAME),
  listKind: lowered(SERVICE_NAME),
  plural: SERVICE_NAME,
  singular: SERVICE_NAME,
});

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];

const ROOT_SCHEMA: ValueCheck = (path, value) =>
  isRecord(value) && value.type !== 'object' && !isLate(value.type)
    ? [
        {
          path: `${path}.type`,
          ...(isUnset(value.type) ? { isMissing: true } : { value: value.type }),
          message: 'must be object',
          fix: 'set type: object',
          says: 'must be object at the root',
        },
      ]
    : NO_PROBLEMS;

const VERSION = structOf({
  name: SERVICE_NAME,
  schema: fields({ openAPIV3Schema: ROOT_SCHEMA }),
  additionalPrinterColumns: items(
    structOf({
      type: word(...COLUMN_TYPES),
      jsonPath: must(
        (value) => typeof value !== 'string' || value === '' || value.startsWith('.'),
        {
          message: 'must begin with a dot',
          fix: 'write e.g. .spec.size',
          says: 'must be a simple json path starting with .',
        },
      ),
    }),
  ),
});

/** @see kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go ValidateCustomResourceDefinition (v0.34.4) */
export function checkDefinition({ metadata, spec }: Manifest): readonly Problem[] {
  const { name } = metadata;
  const [group, plural] = [valueAt(spec, 'group'), valueAt(spec, 'names', 'plural')];
  const wanted = `${plainText(plural)}.${plainText(group)}`;
  const versions = itemsAt(spec, 'versions').filter(isRecord);
  const stored = versions.filter(({ storage }) => storage === true);
  return [
    ...structOf({
      group: SUBDOMAIN,
      scope: word('Namespaced', 'Cluster'),
      names: NAMES,
      versions: items(VERSION),
    })('spec', spec),
    ...(!isUnset(group) && !isUnset(plural) && name !== wanted && ![name, wanted].some(isLate)
      ? [
          {
            path: 'metadata.name',
            value: name,
            message: 'must be <plural>.<group> of the spec',
            fix: `use ${wanted}`,
            says: 'must be spec.names.plural+"."+spec.group',
          },
        ]
      : []),
    ...(versions.length > 0 && stored.length !== 1
      ? [
          {
            path: 'spec.versions',
            message: `must have one version with storage: true, got ${stored.length}`,
            fix: 'set storage: true for one version',
            says: 'must have exactly one version marked as storage version',
          },
        ]
      : []),
    ...problemsOf(
      versions,
      (version, index) =>
        isUnset(valueAt(version, 'schema', 'openAPIV3Schema')) &&
        missing(
          `spec.versions[${index}].schema.openAPIV3Schema`,
          'describe the fields of the kind',
        ),
    ),
    ...distinct('name')('spec.versions', valueAt(spec, 'versions')),
  ];
}
