import { OPERATION_DESCRIPTIONS } from './operation/operation.kind';
import { RANCHER_DESCRIPTIONS } from './rancher.kind';
import { USER_DESCRIPTIONS } from './user/user.kind';
import { rules } from '../core/rule/kit/fact';
import { checkServed } from '../core/rule/kit/served';

const SERVED = [...OPERATION_DESCRIPTIONS, ...RANCHER_DESCRIPTIONS, ...USER_DESCRIPTIONS].filter(
  ({ served }) => served !== undefined,
);

/** Rules on kinds of Rancher that no construct of this library writes. */
export const RANCHER_KIND_RULES = rules(
  { kinds: SERVED.map(({ group, kind }) => `${group}/${kind}`), on: 'rancher' },
  [
    {
      id: 'rancher/kind-served',
      what: 'the version of Rancher serves the kind',
      source: 'rancher/rancher:pkg/crds/names.go at the release tags',
      judge: checkServed,
    },
  ],
);
