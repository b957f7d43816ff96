import { HARVESTER_PUBLIC } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { TYPE_SERVICE_ACCOUNT_TOKEN } from '../../guest/cloud-provider/cloud-provider.kind';

const PUBLIC_TOKEN: Rule = {
  id: 'service-account-token/public',
  level: 'warning',
  kinds: ['/Secret'],
  what: `the token of a ServiceAccount is not in ${HARVESTER_PUBLIC}, whose Secrets every user of a Harvester can read`,
  source: 'harvester/harvester:pkg/data/public.go, deploy/charts/harvester/templates/rbac.yaml harvesterhci.io:view',
  judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (manifest.type !== TYPE_SERVICE_ACCOUNT_TOKEN || manifest.metadata.namespace !== HARVESTER_PUBLIC || target.kind !== 'harvester') { return NO_PROBLEMS; }
    return [{
      path: 'metadata.namespace',
      value: HARVESTER_PUBLIC,
      message: 'cannot be a namespace whose Secrets every user can read: each has the permissions of the account',
      fix: 'move the account and its token to another namespace',
    }];
  },
};

/** Rules for the accounts of tools on a Harvester. */
export const ACCOUNT_RULES: readonly Rule[] = [PUBLIC_TOKEN];
