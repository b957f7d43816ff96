import { sharedValues, uniqueText, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { RancherGate } from '../version/rancher-version';

/**
 * The namespace of the passwords of local users.
 * @see rancher/webhook:pkg/resources/core/v1/secret; seen on Rancher 2.13.8
 */
export const PASSWORD_NAMESPACE = 'cattle-local-user-passwords';

/** The key of the password, or of its hash, in a password Secret. */
export const PASSWORD_KEY = 'password';

/** The key of the salt in a password Secret. */
export const PASSWORD_SALT_KEY = 'salt';

/** The value of that annotation: the one kind of hash there is. */
export const PASSWORD_HASH_PBKDF2 = 'pbkdf2sha3512';

/**
 * How many characters Rancher asks for in a password.
 * @see rancher/rancher:pkg/settings/setting.go password-min-length
 */
export const PASSWORD_MIN_LENGTH = 12;

const AUTHENTICATION = { group: GROUPS.MANAGEMENT, version: 'v3', scope: 'Cluster' } as const;

/**
 * Users and how they log in. Some of these kinds exist on a Harvester, too, for the Rancher that it
 * embeds, and on guests for Rancher's agents.
 */
export const USER_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...AUTHENTICATION,
    kind: 'User',
    part: { noun: 'user', order: 210 },
    rank: 30,
    isLogin: true,
    power: {
      preparedBy: [],
      keeps: 'its owner logs in with the principals, the password and the tokens that it has',
    },
    stage: 'users',
    namedBy: { peers: ['userName', 'userPrincipalName'] },
    deletion: deletes(
      "deletes the user's bindings in Rancher, clusters and projects, and tokens and password, too",
    ),
    immutable: [
      {
        id: 'user/username-changed',
        what: 'a username does not change once it is set',
        says: 'field is immutable',
        source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go',
        fields: [{ path: 'username', compared: filledText, addable: true }],
        fix: 'restore it, or create another User',
      },
    ],
    writtenByOthers: [
      'metadata.labels',
      'metadata.annotations',
      'principalIds',
      'description',
      'username',
    ],
    // @see rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go: username
    // already exists
    unique: {
      what: 'username',
      shared: sharedValues(({ username }) => uniqueText(username)),
      fix: 'give the new User another username',
    },
  },
  {
    ...AUTHENTICATION,
    kind: 'UserAttribute',
    rank: 35,
    isLogin: true,
    stage: 'access',
    // @see rancher/rancher:pkg/user/manager.go
    serverOwner: 'User',
  },
  {
    ...AUTHENTICATION,
    kind: 'Preference',
    scope: 'Namespaced',
    rank: 35,
    isLogin: true,
    stage: 'access',
    machinesGoWithout: () => true,
  },
  {
    ...AUTHENTICATION,
    kind: 'Token',
    rank: 35,
    isLogin: true,
    stage: 'access',
    power: { preparedBy: [], keeps: 'its creator knows it and logs in as its user' },
  },
  {
    ...AUTHENTICATION,
    kind: 'OIDCClient',
    targets: ON_RANCHER,
    served: RancherGate.OIDC_CLIENT,
    rank: 35,
    isLogin: true,
  },
];
