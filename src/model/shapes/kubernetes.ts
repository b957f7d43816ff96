import { each, fields, FREE_OBJECT, list, map, STRING_MAP } from './shape';

/** Types of Kubernetes itself, as far as people get them wrong: what lies deeper is theirs to write and Kubernetes' to extend. */

export const AFFINITY = fields(each(FREE_OBJECT, 'nodeAffinity', 'podAffinity', 'podAntiAffinity'));

export const TOLERATIONS = list(fields({ ...each('string', 'effect', 'key', 'operator', 'value'), tolerationSeconds: 'integer' }));

export const RESOURCES = fields({
  ...each(map('int-or-string'), 'limits', 'requests'),
  claims: list(fields(each('string', 'name', 'request'))),
});

export const LABEL_SELECTOR = fields({
  matchLabels: STRING_MAP,
  matchExpressions: list(fields({ ...each('string', 'key', 'operator'), values: list('string') })),
});

export const OBJECT_REFERENCE = fields(each('string', 'apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'));

// the server takes lists, too, where text has a format such as date-time
export const TAINTS = list(fields({ ...each('string', 'effect', 'key', 'value'), timeAdded: 'any' }));

export const ENV_VARS = list(fields(each('string', 'name', 'value')));
