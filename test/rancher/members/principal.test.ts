import { AuthProvider } from '../../../src/rancher/members/principal';
import {
  PRINCIPAL_PROVIDERS,
  checkPrincipal,
  parsePrincipal,
} from '../../../src/rancher/members/principal.check';

test.each([
  ['local://u-ana', 'user'],
  ['okta_user://ana@example.com', 'user'],
  ['github_user://4711', 'user'],
  ['openldap_user://cn=ana,ou=people,dc=example', 'user'],
  ['azuread_user://11111111-2222-3333-4444-555555555555', 'user'],
  ['okta_group://audit', 'group'],
  ['github_team://12', 'group'],
  ['github_org://7', 'group'],
  ['keycloakoidc_group://a b', 'group'],
  ['system://local', 'user'],
] as const)('%s is the principal of a %s', (id, kind) => {
  expect(parsePrincipal(id)?.kind).toBe(kind);
  expect(checkPrincipal('p', id, kind)).toEqual([]);
});

test.each([
  ['ana', 'user', 'must have the form of a principal'],
  ['local:u-ana', 'user', 'must have the form'],
  ['okta://ana', 'user', 'must have the form'],
  ['local://', 'user', 'must have the form'],
  ['okta_team://x', 'group', 'must have the form'],
  ['github_group://7', 'group', 'must have the form'],
  ['okta_group://audit', 'user', 'must be the principal of a user'],
  ['local://u-ana', 'group', 'must be the principal of a group'],
  ['github_user://octocat', 'user', 'must contain an ID of GitHub'],
  ['activedirectory_user://ana', 'user', 'must contain an ID of Active Directory'],
  ['okta_user:// ana', 'user', 'white space'],
] as const)('%s as a %s %s', (id, kind, message) => {
  expect(checkPrincipal('p', id, kind)).toEqual([
    expect.objectContaining({ path: 'p', value: id, message: expect.stringContaining(message) }),
  ]);
});

test('a provider that we do not know is a warning, a late value nothing', () => {
  expect(checkPrincipal('p', 'acme_user://x', 'user')).toEqual([
    expect.objectContaining({ level: 'warning' }),
  ]);
  expect(checkPrincipal('p', '${late:x}', 'user')).toEqual([]);
});

test('the providers of the library are those that the checks know', () => {
  expect(Object.values(AuthProvider).sort()).toEqual(
    PRINCIPAL_PROVIDERS.map(({ id }) => id).sort(),
  );
});
