import { AuthProvider, Principal } from '../../../src/rancher/members/principal';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { HashedPassword, LocalUser, LocalUserProps } from '../../../src/rancher/user/user';
import { newApp, newRancher } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

const [SALT, HASH] = [
  'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
  'nZ2MJXEZnKNZ5Mrg98NfbYMRhRZ6uWAIhSSNp0LVMrw=',
];
const PASSWORD = HashedPassword.fromText(`pbkdf2sha3512:${SALT}:${HASH}`);

function userOf(props: LocalUserProps = {}, version?: string) {
  const app = newApp();
  return { app, user: new LocalUser(newRancher(app, version), 'u-ana', props) };
}

test('a user is a User, a permission and a password that may be committed', () => {
  const { app, user } = userOf({ username: 'ana', displayName: 'Ana', password: PASSWORD });
  const objects = written(app);
  expect(Object.keys(objects)).toHaveLength(3);
  expect(objects['rancher/User/u-ana']).toEqual({
    apiVersion: 'management.cattle.io/v3',
    kind: 'User',
    metadata: { name: 'u-ana' },
    displayName: 'Ana',
    username: 'ana',
  });
  expect(objects['rancher/Secret/u-ana']).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'u-ana',
      namespace: 'cattle-local-user-passwords',
      annotations: { 'cattle.io/password-hash': 'pbkdf2sha3512' },
    },
    type: 'Opaque',
    data: { password: HASH, salt: SALT },
  });
  expect(objects['rancher/GlobalRoleBinding/grb-secjw72uvo']).toMatchObject({
    globalRoleName: 'user-base',
    userName: 'u-ana',
  });
  expect([user.principalId, user.username]).toEqual(['local://u-ana', 'ana']);
});

test('the User comes first, also for a plain apply of the folder', () => {
  const { app } = userOf({ password: PASSWORD });
  written(app);
  const { edges, objects } = assemblyOf(app);
  const to = 'rancher/management.cattle.io/User//u-ana';
  expect(edges).toEqual(
    expect.arrayContaining([
      { from: 'rancher//Secret/cattle-local-user-passwords/u-ana', to, type: 'applied' },
      {
        from: 'rancher/management.cattle.io/GlobalRoleBinding//grb-secjw72uvo',
        to,
        type: 'applied',
      },
    ]),
  );
  const fileOf = (kind: string) => objects.find(({ id }: any) => id.includes(`/${kind}/`)).file;
  expect(fileOf('User') < fileOf('Secret')).toBe(true);
});

test('permissions are those that are given, and may be none', () => {
  const names = ({ app }: ReturnType<typeof userOf>) =>
    Object.values(written(app))
      .map(({ globalRoleName }) => globalRoleName)
      .filter((name) => name);
  expect(
    names(userOf({ permissions: [GlobalPermission.USER, GlobalPermission.MANAGE_USERS] })).sort(),
  ).toEqual(['user', 'users-manage']);
  expect(names(userOf({ permissions: [] }))).toEqual([]);
});

test('refuses a password on a version without it', () => {
  expect(() => userOf({ password: PASSWORD }, '2.12.3')).toThrow(
    /password: .*2\.13\.0 or later, got 2\.12\.3\. Fix: remove it, and set it in Rancher/,
  );
});

test('refuses a plain password with the reason, without showing it', () => {
  expect(() => HashedPassword.fromText('hunter2hunter2')).toThrow(
    /^HashedPassword\.fromText: must be a hash: every apply.*locks the user out\. Fix: use the line that "cdk8s-harvester hash-password" prints/,
  );
  expect(() => HashedPassword.fromText('hunter2hunter2')).not.toThrow('hunter2');
});

test.each([
  [
    { password: PASSWORD, mustChangePassword: true },
    'mustChangePassword: cannot be combined with password, got true: every apply restores the old password and asks for a new one',
  ],
  [{ name: 'U_Ana' }, 'name: must have at most 63 characters of a-z, 0-9 and hyphens, got "U_Ana"'],
  [{ username: ' ana' }, 'username: must be a name without whitespace at the ends, got " ana"'],
  [{ username: '' }, 'username: must be a name without whitespace at the ends, got ""'],
])('%j is refused', (props, message) => {
  expect(() => userOf(props)).toThrow(message);
});

test('a user that is there is named by its User', () => {
  const rancher = newRancher(newApp());
  expect(
    Principal.localUser(LocalUser.fromName(rancher, 'x', { name: 'user-x7k2p' })).principalId,
  ).toBe('local://user-x7k2p');
  expect(() => LocalUser.fromName(rancher, 'y', { name: 'Ana B' })).toThrow(
    '[rancher/y] name: must be a valid object name, got "Ana B"',
  );
});

test('principals are written as their providers write them', () => {
  expect(
    [
      Principal.userOf(AuthProvider.OPEN_LDAP, 'cn=ana,dc=x'),
      Principal.groupOf(AuthProvider.AZURE_AD, '1'),
      Principal.githubOrganization(7),
      Principal.githubTeam(12),
    ].map(String),
  ).toEqual([
    'openldap_user://cn=ana,dc=x',
    'azuread_group://1',
    'github_org://7',
    'github_team://12',
  ]);
});
