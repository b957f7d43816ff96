import {
  DoctorCheck,
  Symptom,
  LiveWorld,
  SeenTarget,
  clusterIdOf,
  knows,
  listOf,
  secretText,
  liveTextAt,
} from './live-world';
import { valueAt, itemsAt } from '../../core/manifest/manifest';
import { attempt, jsonOf } from '../../core/text/values';
import { parseYamlMap } from '../../engine/auth/kubeconfig-files';
import { LiveObject } from '../../engine/cluster/cluster';
import { CREDENTIAL_KEY } from '../../rancher/credential/cloud-credential.facts';
import {
  ANNOTATION_CREDENTIAL_EXPIRY,
  CREDENTIAL_REFERENCE,
  GLOBAL_DATA,
  KUBECONFIG_TOKEN,
} from '../../rancher/credential/secret.kind';

/** What a kubeconfig signs requests with. */
interface KubeconfigTokens {
  /** Names of Rancher tokens: the part before the colon. */
  readonly rancher: readonly string[];
  /** When tokens that hold their own expiry expire, in milliseconds since 1970. */
  readonly expiries: readonly number[];
}

/**
 * The names and times of the tokens in a kubeconfig, which is YAML or base64. Undefined if the text
 * is not a kubeconfig.
 */
export function tokensIn(content: string): KubeconfigTokens | undefined {
  const users =
    usersOf(content) ?? usersOf(Buffer.from(content.replace(/\s/g, ''), 'base64').toString('utf8'));
  if (!users) {
    return undefined;
  }
  const tokens = users
    .map((user) => liveTextAt(user, 'user', 'token').trim())
    .filter((token) => token !== '');
  return {
    rancher: tokens
      .map((token) => token.split(':')[0])
      .filter((name) => KUBECONFIG_TOKEN.test(name)),
    expiries: tokens.flatMap((token) => {
      const at = expiryOfJwt(token);
      return at === undefined ? [] : [at];
    }),
  };
}

function usersOf(text: string): readonly unknown[] | undefined {
  const users = attempt(() => parseYamlMap(text))?.users;
  return Array.isArray(users) ? users : undefined;
}

/** When a JSON Web Token expires, by its own claim. */
function expiryOfJwt(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (signature === undefined) {
    return undefined;
  }
  const exp = valueAt(jsonOf(Buffer.from(payload, 'base64url').toString('utf8')), 'exp');
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

/**
 * When a token of Rancher's expires, in milliseconds since 1970; undefined where it never does. Its
 * `expiresAt` is ignored: it keeps its value when Rancher removes the time limit.
 *
 * @see rancher/rancher:pkg/auth/tokens IsExpired (ttl in milliseconds since it was made); rancher/rancher#49685
 */
function expiryOfToken(token: LiveObject): number | undefined {
  const ttl = valueAt(token, 'ttl');
  const created = Date.parse(liveTextAt(token, 'metadata', 'creationTimestamp'));
  return typeof ttl === 'number' && ttl > 0 && !Number.isNaN(created) ? created + ttl : undefined;
}

const DAY = 86_400_000;

/** How long beforehand an expiry is reported. */
const SOON = 14 * DAY;

const ISSUE = 'harvester/harvester#5827, rancher/rancher#44912';

const RENEW =
  'make a new kubeconfig of the Harvester cluster (or one of a ServiceAccount there, which has no time limit) and put it into the Secret ' +
  `under ${CREDENTIAL_KEY.KUBECONFIG}; until 2.11 also set kubeconfig-default-token-ttl-minutes to 0 first, Rancher 2.12 and later remove the limit by themselves`;

/** Cloud credentials for Harvester. */
function credentialsOf(seen: SeenTarget): readonly LiveObject[] {
  return listOf(seen, 'credentials').filter(
    (secret) => secretText(secret, CREDENTIAL_KEY.KUBECONFIG) !== undefined,
  );
}

/** The credentials that a Cluster and its machine pools name, in Rancher's own namespace. */
function credentialNamesOf(cluster: LiveObject): string[] {
  const places = [
    valueAt(cluster, 'spec'),
    ...itemsAt(cluster, 'spec', 'rkeConfig', 'machinePools'),
  ];
  const texts = places.map((place) => liveTextAt(place, 'cloudCredentialSecretName'));
  return [...new Set(texts.flatMap((text) => CREDENTIAL_REFERENCE.exec(text)?.[1] ?? []))];
}

const EXPIRES: DoctorCheck = {
  id: 'credential/expires',
  level: 'error',
  what: 'the tokens in cloud credentials do not expire soon: without them machines cannot be created or deleted',
  source: ISSUE,
  on: ['rancher'],
  needs: ['credentials'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const tokens = new Map(listOf(seen, 'tokens').map((token) => [token.metadata.name, token]));
    for (const object of credentialsOf(seen)) {
      const found = tokensIn(secretText(object, CREDENTIAL_KEY.KUBECONFIG)!);
      if (!found) {
        yield {
          object,
          message: 'holds nothing that can be read as a kubeconfig',
          fix: `put a kubeconfig under ${CREDENTIAL_KEY.KUBECONFIG}`,
        };
        continue;
      }
      const missing = knows(seen, 'tokens')
        ? found.rancher.filter((name) => !tokens.has(name))
        : [];
      if (missing.length > 0) {
        yield {
          object,
          message: `its token ${missing.join(', ')} no longer exists on Rancher: it expired or was deleted`,
          fix: RENEW,
        };
      }
      const limited = found.rancher.flatMap((name) => {
        const token = tokens.get(name);
        return token ? [expiryOfToken(token) ?? Infinity] : [];
      });
      // a note of Rancher's, which is good where the token itself could not be seen
      const noted = knows(seen, 'tokens')
        ? []
        : [Number(object.metadata.annotations?.[ANNOTATION_CREDENTIAL_EXPIRY])].filter(
            (at) => at > 0,
          );
      const first = Math.min(...limited, ...found.expiries, ...noted);
      if (Number.isFinite(first)) {
        yield* expiry(object, first - world.now.getTime());
      }
    }
  },
};

function* expiry(object: LiveObject, left: number): Iterable<Symptom> {
  if (left <= 0) {
    yield {
      object,
      message: `its token expired ${daysOf(-left)} ago: machines cannot be created or deleted with it`,
      fix: RENEW,
    };
  } else if (left <= SOON) {
    yield {
      object,
      level: 'warning',
      message: `the token of the credential expires in ${daysOf(left)}: then machines cannot be created or deleted with it`,
      fix: RENEW,
    };
  } else {
    yield {
      object,
      level: 'info',
      message: `the token of the credential expires in ${daysOf(left)}`,
      fix: RENEW,
    };
  }
}

function daysOf(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY);
  return days === 0 ? 'less than a day' : `${days} day${days === 1 ? '' : 's'}`;
}

const SHARED: DoctorCheck = {
  id: 'credential/shared-token',
  level: 'warning',
  what: 'each cloud credential has a token of its own',
  source:
    'rancher/rancher:pkg/api/norman/store/cred: token is already in use by secret; the token is deleted with the credential that owns it',
  on: ['rancher'],
  needs: ['credentials'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const users = new Map<string, string>();
    for (const object of credentialsOf(seen)) {
      for (const name of new Set(
        tokensIn(secretText(object, CREDENTIAL_KEY.KUBECONFIG)!)?.rancher,
      )) {
        const other = users.get(name);
        if (other !== undefined) {
          yield {
            object,
            message: `shares its token ${name} with the credential ${other}: deleting one of the credentials breaks the other one`,
            fix: 'create a separate kubeconfig for each',
          };
        }
        users.set(name, object.metadata.name);
      }
    }
  },
};

const MISSING: DoctorCheck = {
  id: 'credential/missing',
  level: 'error',
  what: 'the cloud credential that a Cluster names exists',
  source: 'rancher/rancher:pkg/capr/machineprovision/args.go GetCloudCredentialSecret',
  on: ['rancher'],
  needs: ['clusters', 'credentials'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const names = new Set(listOf(seen, 'credentials').map(({ metadata }) => metadata.name));
    for (const object of listOf(seen, 'clusters')) {
      const missing = credentialNamesOf(object).filter((name) => !names.has(name));
      if (missing.length > 0) {
        yield {
          object,
          message: `names the cloud credential ${missing.join(', ')}, which does not exist: its machines cannot be created or deleted`,
          fix: `write the Secret ${GLOBAL_DATA}/${missing[0]} again, with a kubeconfig of the Harvester`,
        };
      }
    }
  },
};

const CLUSTER_GONE: DoctorCheck = {
  id: 'credential/cluster-gone',
  level: 'error',
  what: 'the Harvester that a cloud credential is for is a cluster of this Rancher',
  source: 'rancher/rancher#53642',
  on: ['rancher'],
  needs: ['credentials', 'management-clusters'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const ids = new Set(listOf(seen, 'management-clusters').map(({ metadata }) => metadata.name));
    for (const object of credentialsOf(seen)) {
      const id = secretText(object, CREDENTIAL_KEY.CLUSTER_ID)?.trim();
      if (id !== undefined && id !== '' && !ids.has(id)) {
        yield {
          object,
          message: `is for the management cluster ${id}, which does not exist: it was imported again with another ID, or was deleted`,
          fix: 'create a new kubeconfig of the current cluster, and write it with its ID; or delete the credential if it is unused',
        };
      }
    }
  },
};

const UNUSED: DoctorCheck = {
  id: 'credential/unused',
  level: 'info',
  what: 'cloud credentials for Harvester are used by a Cluster',
  source: 'the leak of an unused credential is not noticed',
  on: ['rancher'],
  needs: ['clusters', 'credentials'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const used = new Set(listOf(seen, 'clusters').flatMap(credentialNamesOf));
    for (const object of credentialsOf(seen)) {
      if (!used.has(object.metadata.name)) {
        yield {
          object,
          message: 'no Cluster uses this cloud credential',
          fix: 'delete it unless it is kept for later',
        };
      }
    }
  },
};

const ORPHAN_TOKEN: DoctorCheck = {
  id: 'token/orphan',
  level: 'warning',
  what: 'tokens of a cloud credential are deleted with it',
  source:
    'rancher/rancher:pkg/controllers/management/cloudcredential/controller.go syncHarvesterToken (2.12.0 and later)',
  on: ['rancher'],
  needs: ['tokens', 'credentials'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const uids = new Set(listOf(seen, 'credentials').map(({ metadata }) => metadata.uid));
    for (const object of listOf(seen, 'tokens')) {
      const owner = (object.metadata.ownerReferences ?? []).find(({ kind }) => kind === 'Secret');
      if (owner && !uids.has(String(owner.uid))) {
        yield {
          object,
          message: `belongs to the cloud credential ${String(owner.name)}, which is deleted, and still gives access to a cluster`,
          fix: 'delete the token',
        };
      }
    }
  },
};

const DUPLICATE_ID: DoctorCheck = {
  id: 'cluster/duplicate-id',
  level: 'error',
  what: 'each Cluster has a management cluster of its own',
  source:
    'seen on Rancher 2.13.8: two Clusters with one id are accepted, and deleting one removes projects, bindings and tokens of both',
  on: ['rancher'],
  needs: ['clusters'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const first = new Map<string, LiveObject>();
    for (const object of listOf(seen, 'clusters')) {
      const id = clusterIdOf(object);
      const other = id === '' ? undefined : first.get(id);
      if (other) {
        yield {
          object,
          message:
            `shares the management cluster ${id} with Cluster ${other.metadata.namespace}/${other.metadata.name}: ` +
            'deleting one takes projects, members and tokens of both',
          fix:
            'do not delete either of them yet: give one another ID in the program (for an import, register it again), ' +
            'and remove annotation and finalizers only with a backup of Rancher',
        };
      } else if (id !== '') {
        first.set(id, object);
      }
    }
  },
};

export const CREDENTIAL_CHECKS: readonly DoctorCheck[] = [
  EXPIRES,
  SHARED,
  MISSING,
  CLUSTER_GONE,
  UNUSED,
  ORPHAN_TOKEN,
  DUPLICATE_ID,
];
