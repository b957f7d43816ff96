import { OPERATION_DESCRIPTIONS } from './operation.kind';
import { rules } from '../../core/rule/kit/fact';

/** Rules on operations that Rancher carries out once. */
export const OPERATION_RULES = rules(
  { kinds: OPERATION_DESCRIPTIONS.map(({ group, kind }) => `${group}/${kind}`) },
  [
    {
      id: 'operation/repeated',
      what: 'an operation of a program is kept after its end: Rancher deletes it otherwise, and the next apply repeats it',
      source:
        'rancher/rancher:pkg/crds/yaml/generated/operation.cattle.io_etcdsnapshotrestores.yaml spec.ttl; pkg/controllers/operations',
      field: 'spec.ttl',
      missing: 'judged',
      check: (path, value) =>
        (value === undefined || (typeof value === 'number' && value >= 0)) && {
          path,
          value,
          message:
            'must be less than 0: Rancher deletes the operation when it has ended, and the next apply repeats it',
          fix: 'use -1, and remove the object from the program when the operation is no longer needed',
        },
    },
  ],
);
