import { isKey } from './password.check';
import {
  PASSWORD_HASH_PBKDF2,
  PASSWORD_KEY,
  PASSWORD_NAMESPACE,
  PASSWORD_SALT_KEY,
} from './user.kind';
import {
  annotationsOf,
  isRecord,
  Manifest,
  objectLabel,
  itemsAt,
} from '../../core/manifest/manifest';
import { ANNOTATION_PASSWORD_HASH, GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, needs, refersTo, unique, usedBy } from '../../core/rule/kit/relations';
import { matches } from '../../core/rule/kit/values';
import { Rule } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import { localPrincipal } from '../binding/binding.kind';
import { isSecretPlaceholder } from '../import/registration-token.check';
import { RancherGate } from '../version/rancher-version';

const USER = [GROUPS.MANAGEMENT, 'User'] as const;
const WEBHOOK = 'rancher/webhook:pkg/resources/core/v1/secret (0.9)';
const SEEN = 'seen on Rancher 2.13.8';
const HASH_PATH = `metadata.annotations[${ANNOTATION_PASSWORD_HASH}]`;
const FIX =
  `write what "cdk8s-harvester hash-password" prints: ${PASSWORD_KEY} and ${PASSWORD_SALT_KEY} as base64 in data, ` +
  `annotation ${ANNOTATION_PASSWORD_HASH}: ${PASSWORD_HASH_PBKDF2}`;

interface Entry {
  readonly path: string;
  readonly text: unknown;
  /** Whether its field contains base64. */
  readonly encoded: boolean;
}

// stringData wins over data, as on the server
function entryOf({ data, stringData }: Manifest, key: string): Entry | undefined {
  const [plain, encoded] = [stringData, data].map(
    (map) => (isRecord(map) ? map[key] : undefined) ?? undefined,
  );
  if (plain !== undefined) {
    return { path: `stringData.${key}`, text: plain, encoded: false };
  }
  return encoded === undefined ? undefined : { path: `data.${key}`, text: encoded, encoded: true };
}

/** Whether secrets are filled in later, with their annotation then. */
function isFilledInLater({ text }: Entry): boolean {
  return typeof text === 'string' && isSecretPlaceholder(text);
}

function* checkHash(manifest: Manifest, key: string): Iterable<Problem> {
  const entry = entryOf(manifest, key);
  if (!entry) {
    yield { path: `data.${key}`, message: 'must be set', fix: FIX };
  } else if (isFilledInLater(entry)) {
    return;
  } else if (!entry.encoded) {
    yield {
      path: entry.path,
      message: 'must be bytes in base64, not text: no password would match',
      fix: FIX,
    };
  } else if (!isKey(entry.text)) {
    yield {
      path: entry.path,
      message: 'must be the base64 of 32 bytes: no password would match',
      fix: FIX,
    };
  }
}

/** Rules for the passwords of local users. */
const USER_PASSWORD_RULES = rules(
  {
    kinds: ['/Secret'],
    on: 'rancher',
    when: ({ manifest }) => manifest.metadata.namespace === PASSWORD_NAMESPACE,
  },
  [
    {
      id: 'user-password/plain',
      plainFiles: true,
      what: 'a password in a manifest is a hash: a plain one works once, and locks the user out when it is applied again',
      source: `${SEEN}: the second apply overwrites the hash with the plain text, the annotation is kept, and no password works`,
      when: ({ manifest }) => !(ANNOTATION_PASSWORD_HASH in annotationsOf(manifest)),
      judge: ({ manifest }) => {
        const entry = entryOf(manifest, PASSWORD_KEY);
        return (
          entry &&
          !isFilledInLater(entry) && {
            path: entry.path,
            message:
              'cannot be a plain password: Rancher hashes it once, and the next apply overwrites the hash, which locks the user out',
            fix: FIX,
          }
        );
      },
    },
    {
      id: 'user-password/hash',
      what: `a hashed password has ${PASSWORD_KEY} and ${PASSWORD_SALT_KEY} in data, the base64 of 32 bytes each, and annotation ${ANNOTATION_PASSWORD_HASH}: ${PASSWORD_HASH_PBKDF2}`,
      source: `rancher/rancher:pkg/auth/providers/local/pbkdf2/pbkdf2.go; ${SEEN}`,
      field: HASH_PATH,
      late: 'judged',
      *check(path, value, { manifest }) {
        if (value !== PASSWORD_HASH_PBKDF2) {
          yield {
            path,
            value,
            message: 'must be a hash of a kind that Rancher knows',
            fix: `write ${PASSWORD_HASH_PBKDF2}`,
          };
        }
        for (const key of [PASSWORD_KEY, PASSWORD_SALT_KEY]) {
          yield* checkHash(manifest, key);
        }
      },
    },
    {
      id: 'user-password/unknown-user',
      what: 'the Secret of a password has the name of its User, who exists before it',
      says: 'User must be created before the secret',
      source: `${WEBHOOK}; ${SEEN}`,
      creation: true,
      field: 'metadata.name',
      check: refersTo(USER, {
        problem: (_, { manifest }) => ({
          // Rancher asks for the User only where it hashes the password itself
          ...(ANNOTATION_PASSWORD_HASH in annotationsOf(manifest)
            ? { level: 'warning' as const }
            : {}),
          message: 'must be a declared or live User',
          fix: 'declare the User, or write the name of its object',
        }),
      }),
    },
    {
      id: 'user-password/ignored',
      what: 'passwords in Secrets need Rancher 2.13; earlier ones do not look at them',
      source: WEBHOOK,
      field: 'metadata.namespace',
      check: needs(RancherGate.PASSWORD_SECRET, {
        fix: 'set the password in Rancher, or upgrade Rancher',
      }),
    },
  ],
);

const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go';
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
const BINDINGS = [
  'GlobalRoleBinding',
  'ClusterRoleTemplateBinding',
  'ProjectRoleTemplateBinding',
].map((kind) => [GROUPS.MANAGEMENT, kind] as const);

/** Rules for Users and their passwords. */
export const USER_RULES: readonly Rule[] = [
  ...rules({ kinds: ['management.cattle.io/User'] }, [
    {
      id: 'user/username-taken',
      what: 'every User has a username of its own',
      says: 'username already exists',
      source: `${VALIDATOR}; seen on Rancher 2.13.8`,
      judge: unique(
        USER,
        ({ manifest }) => filledText(manifest.username),
        (other, { manifest, target }) => ({
          path: 'username',
          value: manifest.username,
          message: `must be unique: it is also that of ${objectLabel(other.manifest)}`,
          fix: 'choose another username',
          // without the refusal, a login may be that of either
          level: errorIf(hasFeature(target, RancherGate.USERNAME_UNIQUE) !== false),
        }),
      ),
    },
    {
      id: 'user/password-field',
      what: 'the deprecated field password of a User contains a bcrypt hash; a plain text is readable and does not work',
      source:
        'rancher/rancher:pkg/auth/providers/local/local_auth_provider.go; pkg/data/management/role_data.go BootstrapAdmin',
      field: 'password',
      check: matches(BCRYPT, {
        value: undefined,
        message: 'must be a bcrypt hash',
        fix: 'remove it, and write the Secret of the password with the output of "cdk8s-harvester hash-password"',
      }),
    },
    {
      id: 'user/principal-ids',
      level: 'warning',
      what: 'Rancher writes the principals of a User: it adds local://<name>',
      source: 'seen on Rancher 2.13.8; immutable in later webhooks',
      creation: true,
      field: 'principalIds',
      check: (path, ids, { manifest }) =>
        itemsAt(ids).length > 0 && {
          path,
          message: 'cannot be set: Rancher writes the list, and every apply would change it back',
          fix: `remove them: Rancher adds ${localPrincipal(manifest.metadata.name)}`,
        },
    },
    {
      id: 'user/deleted',
      level: 'warning',
      what: 'deleting a User deletes its bindings: those of clusters, of projects, and global ones',
      source: 'seen on Rancher 2.13.8',
      judgeDeletion: usedBy({
        by: BINDINGS,
        uses: (binding, user) => {
          const { userName, userPrincipalName } = binding.manifest;
          const { name } = user.manifest.metadata;
          return userName === name || userPrincipalName === localPrincipal(name);
        },
        unused: {
          message: 'is deleted with all its bindings',
          fix: 'keep it, unless this is intended',
        },
        problem: (bindings) => ({
          message: `is deleted with bindings that are still declared: ${bindings
            .slice(0, 5)
            .map(({ manifest }) => objectLabel(manifest))
            .join(', ')}`,
          fix: 'remove those as well, otherwise every apply recreates them without effect',
        }),
      }),
    },
  ]),
  ...USER_PASSWORD_RULES,
];
