import { HARVESTER_PUBLIC } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { must } from '../../core/rule/kit/values';
import { TYPE_SERVICE_ACCOUNT_TOKEN } from '../../guest/cloud-provider/cloud-provider.kind';

/** Rules for the accounts of tools on a Harvester. */
export const ACCOUNT_RULES = rules({ kinds: ['/Secret'] }, [
  {
    id: 'service-account-token/public',
    level: 'warning',
    what: `the token of a ServiceAccount is not in ${HARVESTER_PUBLIC}, whose Secrets every user of a Harvester can read`,
    source:
      'harvester/harvester:pkg/data/public.go, deploy/charts/harvester/templates/rbac.yaml harvesterhci.io:view',
    surelyOn: 'harvester',
    when: ({ manifest }) => manifest.type === TYPE_SERVICE_ACCOUNT_TOKEN,
    field: 'metadata.namespace',
    check: must((namespace) => namespace !== HARVESTER_PUBLIC, {
      message:
        'cannot be a namespace whose Secrets every user can read: each has the permissions of the account',
      fix: 'move the account and its token to another namespace',
    }),
  },
]);
