import { secretWriters } from './secret-writers.facts';
import { KindAccess } from '../../core/kind/description/access';
import { kindOf } from '../../core/kind/kinds';
import { problemsOf } from '../../core/problem/problem';
import { Rule } from '../../core/rule/rule';

const UNKNOWN_WRITERS = 'read it with --show-managed-fields';

/** Rules for Secrets that give power, and that objects name. */
export const NAMED_SECRET_RULES: readonly Rule[] = [
  {
    id: 'credential/of-others',
    level: 'warning',
    kinds: ['*'],
    what: 'a live Secret that gives power is one that you know: users below administrators can create Secrets where Rancher looks for credentials',
    source: 'rancher/rancher:pkg/data/management/role_data.go (role user); seen on Rancher 2.15.0',
    concerns: (kind) => kind?.namesSecrets !== undefined,
    when: (_, world) => world.live.length > 0,
    judge: (object, world) => {
      const named = kindOf<KindAccess>(object.manifest)?.namesSecrets?.(object.manifest) ?? [];
      return problemsOf(named, ({ path, namespace, name, decides }) => {
        const secret = world.find(object, '', 'Secret', namespace, name);
        // a construct wrote it: it is in the output of another program
        if (!secret || world.isJudged(secret) || secret.construct !== undefined) {
          return undefined;
        }
        const writers = secretWriters(secret.manifest).join('; ') || UNKNOWN_WRITERS;
        return {
          path,
          message: `names the live Secret ${namespace}/${name}, which these files do not declare: ${writers}. The user who wrote it decides ${decides}`,
          fix: 'find out who wrote it; declare it, or accept it with --accept-existing in apply',
        };
      });
    },
  },
];
