import { Differences } from './differences';
import { HARVESTER } from './harvester';
import { KUBERNETES } from './kubernetes';
import { RANCHER } from './rancher';
import { Product } from '../../lab/kubeconfigs';

/** The differences of each product, with those that both have. */
export const DIFFERENCES: { readonly [product in Product]: Differences } = {
  rancher: joined(RANCHER, KUBERNETES),
  harvester: joined(HARVESTER, KUBERNETES),
};

function joined(...all: readonly Differences[]): Differences {
  return {
    lintAlone: all.flatMap(({ lintAlone }) => lintAlone),
    serverAlone: all.flatMap(({ serverAlone }) => serverAlone),
  };
}
