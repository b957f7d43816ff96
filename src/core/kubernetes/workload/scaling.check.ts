import { exactlyOne } from './container.check';
import { SELECTOR } from './pod.check';
import { valueAt } from '../../manifest/manifest';
import { NO_PROBLEMS } from '../../problem/problem';
import { fields, must } from '../../rule/kit/values';
import { plainText } from '../../text/plain-text';
import { tableByName } from '../../text/values';
import {
  all,
  between,
  COUNT_OR_PERCENT,
  isUnset,
  items,
  missing,
  object,
  POSITIVE,
  structOf,
  word,
} from '../value/value.check';

const AT_MOST_ALL = all(
  COUNT_OR_PERCENT,
  must(
    (value) => typeof value !== 'string' || !/^\d+%$/.test(value) || parseInt(value, 10) <= 100,
    {
      message: 'must be at most 100%',
      fix: 'use 0% to 100%',
      says: 'must not be greater than 100%',
    },
  ),
);

/** @see kubernetes/kubernetes:pkg/apis/policy/validation/validation.go ValidatePodDisruptionBudgetSpec (v1.34.4) */
export const DISRUPTION_BUDGET = structOf({
  spec: all(
    fields({
      minAvailable: AT_MOST_ALL,
      maxUnavailable: AT_MOST_ALL,
      selector: SELECTOR,
      unhealthyPodEvictionPolicy: word('AlwaysAllow', 'IfHealthyBudget'),
    }),
    exactlyOne(
      ['minAvailable', 'maxUnavailable'],
      'minAvailable and maxUnavailable cannot be both set',
      true,
    ),
  ),
});

const METRIC_SOURCES: { readonly [type: string]: string } = tableByName({
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
});

const TARGET = structOf({
  type: word('Utilization', 'Value', 'AverageValue'),
  averageUtilization: POSITIVE,
});

const METRIC = all(
  structOf({ type: word(...Object.keys(METRIC_SOURCES)) }),
  fields({
    resource: all(
      fields({ target: TARGET }),
      object((path, { target }) =>
        isUnset(valueAt(target, 'averageUtilization')) && isUnset(valueAt(target, 'averageValue'))
          ? missing(`${path}.target.averageUtilization`)
          : NO_PROBLEMS,
      ),
    ),
    pods: fields({ target: TARGET }),
    object: fields({ target: TARGET }),
    external: fields({ target: TARGET }),
    containerResource: fields({ target: TARGET }),
  }),
  object((path, metric) => {
    const source = METRIC_SOURCES[plainText(metric.type)];
    return source !== undefined && isUnset(metric[source])
      ? missing(`${path}.${source}`)
      : NO_PROBLEMS;
  }),
);

const HALF_AN_HOUR = 1800;
const AN_HOUR = 3600;

const POLICIES = items(
  structOf({
    type: word('Pods', 'Percent'),
    value: POSITIVE,
    periodSeconds: between(1, HALF_AN_HOUR),
  }),
);

const SCALING = fields({
  stabilizationWindowSeconds: between(0, AN_HOUR),
  // without a list the server has one of its own
  policies: (path, value) =>
    Array.isArray(value) && value.length === 0 ? missing(path) : POLICIES(path, value),
});

/** @see kubernetes/kubernetes:pkg/apis/autoscaling/validation/validation.go validateHorizontalPodAutoscalerSpec (v1.34.4) */
export const AUTOSCALER = structOf({
  spec: all(
    structOf({
      minReplicas: POSITIVE,
      maxReplicas: POSITIVE,
      metrics: items(METRIC),
      behavior: fields({ scaleUp: SCALING, scaleDown: SCALING }),
    }),
    object((path, { minReplicas, maxReplicas }) =>
      typeof minReplicas === 'number' &&
      typeof maxReplicas === 'number' &&
      maxReplicas < minReplicas
        ? [
            {
              path: `${path}.maxReplicas`,
              value: maxReplicas,
              message: `must be at least minReplicas (${minReplicas})`,
              fix: 'raise it, or lower minReplicas',
              says: 'must be greater than or equal to `minReplicas`',
            },
          ]
        : NO_PROBLEMS,
    ),
  ),
});
