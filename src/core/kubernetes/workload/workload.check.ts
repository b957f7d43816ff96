import { podSpec, podTemplate, SELECTOR } from './pod.check';
import { VOLUME_CLAIM } from './volume.check';
import { cronFault } from '../../go/cron';
import { isLate } from '../../late/late-token';
import { isRecord, itemsAt, valueAt } from '../../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../problem/problem';
import { fields, text, ValueCheck } from '../../rule/kit/values';
import { plainText } from '../../text/plain-text';
import { attempt } from '../../text/values';
import {
  all,
  COUNT_OR_PERCENT,
  DNS_LABEL,
  forbidden,
  isUnset,
  items,
  LABELS,
  missing,
  needed,
  NOT_NEGATIVE,
  object,
  structOf,
  word,
} from '../value/value.check';

/** Whether labels match a selector; undefined where a part of either is not known yet, or wrong. */
function matches(selector: unknown, labels: unknown): boolean | undefined {
  const given = isRecord(labels) ? labels : {};
  const wanted = Object.entries(
    isRecord(valueAt(selector, 'matchLabels')) ? (valueAt(selector, 'matchLabels') as object) : {},
  );
  const requirements = itemsAt(selector, 'matchExpressions').filter(isRecord);
  if (
    [...Object.entries(given).flat(), ...wanted.flat(), JSON.stringify(requirements)].some(isLate)
  ) {
    return undefined;
  }
  return (
    wanted.every(([key, value]) => given[key] === value) &&
    requirements.every(({ key, operator, values }) => fits(given[plainText(key)], operator, values))
  );
}

function fits(value: unknown, operator: unknown, values: unknown): boolean {
  switch (operator) {
    case 'In':
      return itemsAt(values).includes(value);
    case 'NotIn':
      return !itemsAt(values).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return true;
  }
}

/** The labels of a template, which its selector must match. */
const MATCHING = object((path, { selector, template }) => {
  const labels = valueAt(template, 'metadata', 'labels');
  if (!isRecord(selector) || matches(selector, labels) !== false) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: `${path}.template.metadata.labels`,
      message: 'must match the selector',
      fix: 'give the template the labels of the selector',
      says: '`selector` does not match template `labels`',
    },
  ];
});

function notEmpty(kind: string): ValueCheck {
  return (path, value) =>
    isRecord(value) &&
    isUnset(value.matchExpressions) &&
    Object.keys(isRecord(value.matchLabels) ? value.matchLabels : {}).length === 0
      ? [
          {
            path,
            message: 'cannot be empty: it would select all Pods',
            fix: 'set matchLabels to the labels of the template',
            says: `empty selector is invalid for ${kind}`,
          },
        ]
      : NO_PROBLEMS;
}

/** A template whose Pods run until they are deleted. */
function runningTemplate(claims: readonly unknown[] = []): ValueCheck {
  return all(
    podTemplate(claims),
    object((path, { spec }) => {
      const policy = valueAt(spec, 'restartPolicy');
      const problems: Problem[] = [];
      if (!isUnset(policy) && policy !== 'Always' && !isLate(policy)) {
        problems.push({
          path: `${path}.spec.restartPolicy`,
          value: policy,
          message: 'must be Always',
          fix: 'remove it, or use a Job',
          says: 'supported values: "Always"',
        });
      }
      if (valueAt(spec, 'activeDeadlineSeconds') !== undefined) {
        problems.push(
          forbidden(
            `${path}.spec.activeDeadlineSeconds`,
            'only Jobs have a deadline',
            'remove it',
            'is not Supported',
          ),
        );
      }
      return problems;
    }),
  );
}

const ROLLING = { maxSurge: COUNT_OR_PERCENT, maxUnavailable: COUNT_OR_PERCENT };

const NOTHING_REPLACED = (path: string, value: unknown): Problem => ({
  path,
  value,
  message: 'cannot be 0 with a maxSurge of 0: no Pod could be replaced',
  fix: 'set one of both to 1 or more',
  says: 'may not be 0 when `maxSurge` is 0',
});

const STRATEGY = all(
  fields({ rollingUpdate: fields(ROLLING) }),
  object((path, { type, rollingUpdate }) => {
    if (type === 'Recreate' && rollingUpdate !== undefined && rollingUpdate !== null) {
      return [
        forbidden(
          `${path}.rollingUpdate`,
          'the strategy is Recreate',
          'remove it',
          "may not be specified when strategy `type` is 'Recreate'",
        ),
      ];
    }
    const [surge, unavailable] = [
      valueAt(rollingUpdate, 'maxSurge'),
      valueAt(rollingUpdate, 'maxUnavailable'),
    ];
    return isNothing(surge) && isNothing(unavailable)
      ? [NOTHING_REPLACED(`${path}.rollingUpdate.maxUnavailable`, unavailable)]
      : NO_PROBLEMS;
  }),
);

function isNothing(count: unknown): boolean {
  return count === 0 || count === '0%';
}

/** @see kubernetes/kubernetes:pkg/apis/apps/validation/validation.go ValidateDeploymentSpec (v1.34.4) */
export const DEPLOYMENT = structOf({
  spec: all(
    structOf({
      replicas: NOT_NEGATIVE,
      selector: all(SELECTOR, notEmpty('deployment')),
      template: runningTemplate(),
      strategy: STRATEGY,
      minReadySeconds: NOT_NEGATIVE,
      revisionHistoryLimit: NOT_NEGATIVE,
      progressDeadlineSeconds: NOT_NEGATIVE,
    }),
    MATCHING,
    object((path, { minReadySeconds = 0, progressDeadlineSeconds = 600 }) =>
      typeof minReadySeconds === 'number' &&
      typeof progressDeadlineSeconds === 'number' &&
      progressDeadlineSeconds <= minReadySeconds
        ? [
            {
              path: `${path}.progressDeadlineSeconds`,
              value: progressDeadlineSeconds,
              message: `must be more than minReadySeconds (${minReadySeconds})`,
              fix: 'raise it, or lower minReadySeconds',
              says: 'must be greater than minReadySeconds',
            },
          ]
        : NO_PROBLEMS,
    ),
  ),
});

export const REPLICA_SET = structOf({
  spec: all(
    structOf({
      replicas: NOT_NEGATIVE,
      minReadySeconds: NOT_NEGATIVE,
      selector: all(SELECTOR, notEmpty('replicaset')),
      template: runningTemplate(),
    }),
    MATCHING,
  ),
});

export const REPLICATION_CONTROLLER = structOf({
  spec: all(
    structOf({
      replicas: NOT_NEGATIVE,
      minReadySeconds: NOT_NEGATIVE,
      selector: LABELS,
      template: needed(runningTemplate()),
    }),
    object((path, { selector, template }) =>
      isUnset(selector)
        ? NO_PROBLEMS
        : MATCHING(path, { selector: { matchLabels: selector }, template }),
    ),
  ),
});

export const DAEMON_SET = structOf({
  spec: all(
    structOf({
      minReadySeconds: NOT_NEGATIVE,
      revisionHistoryLimit: NOT_NEGATIVE,
      selector: all(SELECTOR, notEmpty('daemonset')),
      template: runningTemplate(),
      updateStrategy: fields({
        rollingUpdate: all(
          fields(ROLLING),
          object((path, { maxUnavailable, maxSurge }) =>
            isNothing(maxUnavailable) && (isUnset(maxSurge) || isNothing(maxSurge))
              ? [NOTHING_REPLACED(`${path}.maxUnavailable`, maxUnavailable)]
              : NO_PROBLEMS,
          ),
        ),
      }),
    }),
    MATCHING,
  ),
});

const RETENTION = word('', 'Retain', 'Delete');

/** A StatefulSet replaces volumes of its template by those of its claims. */
const TEMPLATE_WITH_CLAIMS = object((path, { template, volumeClaimTemplates }) => {
  const claims = itemsAt(volumeClaimTemplates).map((claim) => valueAt(claim, 'metadata', 'name'));
  return runningTemplate(claims)(`${path}.template`, template ?? {});
});

/** @see kubernetes/kubernetes:pkg/apis/apps/validation/validation.go ValidateStatefulSetSpec (v1.34.4) */
export const STATEFUL_SET = structOf({
  spec: all(
    structOf({
      replicas: NOT_NEGATIVE,
      minReadySeconds: NOT_NEGATIVE,
      serviceName: DNS_LABEL,
      selector: all(SELECTOR, notEmpty('statefulset')),
      persistentVolumeClaimRetentionPolicy: fields({
        whenDeleted: RETENTION,
        whenScaled: RETENTION,
      }),
      updateStrategy: fields({ rollingUpdate: fields({ partition: NOT_NEGATIVE }) }),
      volumeClaimTemplates: items(
        VOLUME_CLAIM,
        structOf({ metadata: structOf({ name: needed(DNS_LABEL) }) }),
      ),
    }),
    TEMPLATE_WITH_CLAIMS,
    MATCHING,
  ),
});

/** A template whose Pods end. */
const ENDING_TEMPLATE = all(
  podTemplate(),
  object((path, { spec }) => {
    const policy = valueAt(spec, 'restartPolicy');
    return isUnset(policy) || policy === 'Always'
      ? [
          {
            ...missing(`${path}.spec.restartPolicy`)[0]!,
            message: 'must be OnFailure or Never',
            fix: 'set restartPolicy: OnFailure',
            says: 'Required value: valid values: "OnFailure", "Never"',
            ...(policy === 'Always' ? { value: policy, isMissing: false } : {}),
          },
        ]
      : NO_PROBLEMS;
  }),
);

/** @see kubernetes/kubernetes:pkg/apis/batch/validation/validation.go validateJobSpec (v1.34.4) */
const JOB_SPEC = structOf({
  parallelism: NOT_NEGATIVE,
  completions: NOT_NEGATIVE,
  activeDeadlineSeconds: NOT_NEGATIVE,
  backoffLimit: NOT_NEGATIVE,
  ttlSecondsAfterFinished: NOT_NEGATIVE,
  selector: SELECTOR,
  template: ENDING_TEMPLATE,
});

export const JOB = structOf({ spec: JOB_SPEC });

/** Whether a name is one of the database of time zones, which JavaScript has, too. */
function isTimeZone(name: string): boolean {
  return (
    /^[A-Z]/.test(name) &&
    attempt(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined
  );
}

const SCHEDULE = text((path, value) => {
  const says = cronFault(value);
  return says === undefined
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          message: 'must be a cron expression of five fields',
          fix: 'write e.g. "0 3 * * *" or "@daily"',
          says,
        },
      ];
});

const TIME_ZONE: ValueCheck = (path, value) =>
  typeof value !== 'string' || isLate(value) || isTimeZone(value)
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          message: 'must be a time zone',
          fix: 'use a name such as Etc/UTC or Europe/Berlin',
          says: 'unknown time zone',
        },
      ];

export const CRON_JOB = structOf({
  spec: structOf({
    schedule: SCHEDULE,
    timeZone: TIME_ZONE,
    startingDeadlineSeconds: NOT_NEGATIVE,
    successfulJobsHistoryLimit: NOT_NEGATIVE,
    failedJobsHistoryLimit: NOT_NEGATIVE,
    jobTemplate: structOf({ spec: JOB_SPEC }),
  }),
});

export const POD = structOf({ spec: podSpec() });
