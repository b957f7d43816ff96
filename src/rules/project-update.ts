import { knownProjects } from './project-known';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { labelsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { isLate } from '../model/late-token';
import { Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { LABEL_SYSTEM_PROJECT, projectIdOf } from '../model/tenancy/names';
import { amountOf } from '../model/tenancy/quota-checks';
import { quotaLimitOf } from '../model/tenancy/quota-text';

const KINDS = ['management.cattle.io/Project'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';

const IMMUTABLE: Rule = {
  id: 'project/immutable',
  level: 'error',
  kinds: KINDS,
  what: 'a Project stays in its cluster',
  says: 'field is immutable',
  source: `${VALIDATOR} admitUpdate`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [manifest, before].map((project) => valueAt(project, 'spec', 'clusterName'));
    if (now === old || now === undefined || isLate(now) || isLate(old)) { return; }
    yield { path: 'spec.clusterName', value: now, message: `was ${plainText(old)}`, fix: 'leave it as it was, or make another Project' };
  },
};

const USED: Rule = {
  id: 'project/quota-below-used',
  level: 'error',
  kinds: KINDS,
  what: 'the quota of a Project is not lowered below what its namespaces have',
  says: 'resourceQuota is below the used limit on fields',
  source: `${VALIDATOR} usedQuotaFits`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const limit = quotaLimitOf(valueAt(manifest, 'spec', 'resourceQuota', 'limit'));
    for (const [key, used] of Object.entries(quotaLimitOf(valueAt(before, 'spec', 'resourceQuota', 'usedLimit')))) {
      const [now, least] = [amountOf(limit[key]), amountOf(used)];
      if (now !== undefined && least !== undefined && now < least) {
        yield {
          path: `spec.resourceQuota.limit.${key}`,
          value: limit[key],
          message: `is less than its namespaces have, ${used}`,
          fix: 'lower the quotas of the namespaces first',
        };
      }
    }
  },
};

const SYSTEM: Rule = {
  id: 'project/system-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'the System project of a cluster is never deleted',
  says: 'System Project cannot be deleted',
  source: `${VALIDATOR} admitDelete`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (labelsOf(manifest)[LABEL_SYSTEM_PROJECT] === 'true') { yield { path: '', message: 'is the System project of its cluster', fix: 'keep it' }; }
  },
};

const DELETED: Rule = {
  id: 'project/deleted',
  level: 'warning',
  kinds: KINDS,
  what: 'with a Project its members\' rights and the quotas of its namespaces go; its namespaces and their virtual machines stay',
  source: 'seen on Rancher 2.13.8: its namespace and the bindings in it go along, and the same name can be used again when they are gone',
  *judgeDeletion({ manifest }: JudgedObject, world: World): Iterable<Problem> {
    const { namespace = '', name } = manifest.metadata;
    const left = knownProjects(world).namespaces.get(projectIdOf(namespace, name)) ?? [];
    if (left.length === 0) { return; }
    const names = left.map((object) => object.manifest.metadata.name);
    yield {
      path: '',
      message: `is deleted while namespaces are in it: ${names.slice(0, 5).join(', ')}`,
      fix: 'move them to another project, or delete them',
    };
  },
};

/** Rules for edits and deletions of Projects. */
export const PROJECT_UPDATE_RULES: readonly Rule[] = [IMMUTABLE, USED, SYSTEM, DELETED];
