import { Manifest } from '../../../src/core/manifest/manifest';
import { Tenancy, briefOf, findingsOf, prtb, user } from '../../support/tenancy';

const users = (tenancy: Tenancy) => briefOf('user/', tenancy);
const passwords = (tenancy: Tenancy) => briefOf('user-password/', tenancy);
const KEY = 'w1/+fnzUufcIdSDujIHf06NChzFcMXjBO03HdSzx4SQ=';
const secret = (
  fields: object,
  hashed: string | undefined = 'pbkdf2sha3512',
  name = 'u-ana',
): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'cattle-local-user-passwords',
    ...(hashed ? { annotations: { 'cattle.io/password-hash': hashed } } : {}),
  },
  ...fields,
});
const plain = (fields: object): Manifest => ({
  ...secret(fields),
  metadata: { name: 'u-ana', namespace: 'cattle-local-user-passwords' },
});
const ANA = user('u-ana', { username: 'ana' });

test('a User with a hashed password is in order', () => {
  const rancher = [ANA, secret({ data: { password: KEY, salt: KEY } })];
  expect([...users({ rancher }), ...passwords({ rancher })]).toEqual([]);
});

describe('Users', () => {
  test('have usernames of their own, for good', () => {
    const [error] = findingsOf('user/', { rancher: [ANA, user('u-two', { username: 'ana' })] });
    expect(error).toMatchObject({
      rule: 'user/username-taken',
      level: 'error',
      path: 'username',
      value: '"ana"',
      object: { name: 'u-two' },
    });
    expect(error.message).toBe(
      'must be unique: it is also that of User u-ana (the server: "username already exists")',
    );
    expect(users({ rancher: [user('u-two', { username: 'ana' })], live: [ANA] })).toEqual([
      'error user/username-taken username',
    ]);
    expect(users({ rancher: [user('u-ana', { username: 'anna' })], before: [ANA] })).toEqual([
      'error user/username-changed username',
    ]);
    // the previous manifest set it, so that an apply removes it
    expect(users({ rancher: [user('u-ana')], before: [ANA] })).toEqual([
      'error user/username-changed username',
    ]);
  });

  test.each([
    ['2.12.1', 'warning'],
    ['2.12.2', 'error'],
    ['2.9.11', 'warning'],
    ['2.10.10', 'error'],
  ])('of Rancher %s with the same username are a problem: %s', (version, level) => {
    const rancher = [ANA, user('u-two', { username: 'ana' })];
    expect(users({ rancher, version })).toEqual([`${level} user/username-taken username`]);
  });

  test('have no plain password, which is never shown', () => {
    const [error] = findingsOf('user/', {
      rancher: [user('u-ana', { password: 'correct horse battery' })],
    });
    expect(error).toMatchObject({ rule: 'user/password-field', level: 'error', path: 'password' });
    expect(JSON.stringify(error)).not.toContain('horse');
    expect(users({ rancher: [user('u-ana', { password: `$2a$10$${'x'.repeat(53)}` })] })).toEqual(
      [],
    );
  });

  test('leave their principals to Rancher', () => {
    const one = user('u-ana', { principalIds: ['local://u-ana'] });
    expect(users({ rancher: [one] })).toEqual(['warning user/principal-ids principalIds']);
    expect(users({ rancher: [one], live: [one] })).toEqual([]);
  });

  test('take their bindings along', () => {
    const bound = prtb({ userPrincipalName: 'local://u-ana' });
    expect(findingsOf('user/', { rancher: [bound], before: [ANA] })[0].message).toContain(
      'is deleted with bindings that are still declared: ProjectRoleTemplateBinding c-m-harvdc01-payments/prtb-1',
    );
    expect(users({ before: [ANA, bound] })).toEqual(['warning user/deleted']);
  });
});

describe('passwords', () => {
  test.each([
    [{ stringData: { password: 'correct horse battery' } }, 'stringData.password'],
    [
      { data: { password: Buffer.from('correct horse battery').toString('base64') } },
      'data.password',
    ],
  ])('in plain text lock the user out', (fields, path) => {
    const [error] = findingsOf('user-password/', { rancher: [ANA, plain(fields)] });
    expect(error).toMatchObject({ rule: 'user-password/plain', level: 'error', path });
    expect(error.message).toBe(
      'cannot be a plain password: Rancher hashes it once, and the next apply overwrites the hash, which locks the user out',
    );
    expect(error.fix).toContain('cdk8s-harvester hash-password');
    expect(JSON.stringify(error)).not.toContain('horse');
  });

  test.each([
    [{ data: { password: KEY } }, 'data.salt'],
    [{ data: { password: KEY, salt: 'c2hvcnQ=' } }, 'data.salt'],
    [{ stringData: { password: KEY }, data: { salt: KEY } }, 'stringData.password'],
  ])('%j is not a hash', (fields, path) => {
    expect(passwords({ rancher: [ANA, secret(fields)] })).toEqual([
      `error user-password/hash ${path}`,
    ]);
  });

  test('are hashed as Rancher does it', () => {
    expect(
      passwords({ rancher: [ANA, secret({ data: { password: KEY, salt: KEY } }, 'bcrypt')] }),
    ).toEqual(['error user-password/hash metadata.annotations[cattle.io/password-hash]']);
  });

  test('may be filled in later', () => {
    expect(
      passwords({
        rancher: [ANA, secret({ data: { password: '${late:p}', salt: '<path:x#y>' } })],
      }),
    ).toEqual([]);
    expect(
      passwords({ rancher: [ANA, plain({ stringData: { password: 'ENC[AES256_GCM,data:x]' } })] }),
    ).toEqual([]);
  });

  test('need their User first only where Rancher hashes them', () => {
    const live = [user('u-other', { username: 'other' })];
    const one = secret({ data: { password: KEY, salt: KEY } });
    expect(passwords({ rancher: [one], live })).toEqual([
      'warning user-password/unknown-user metadata.name',
    ]);
    const other = plain({ stringData: { password: 'correct horse battery' } });
    expect(passwords({ rancher: [other], live })).toContain(
      'error user-password/unknown-user metadata.name',
    );
  });

  test('are those of Users, from 2.13 on', () => {
    const one = secret({ data: { password: KEY, salt: KEY } });
    expect(passwords({ rancher: [one] })).toEqual([
      'warning user-password/unknown-user metadata.name',
    ]);
    expect(passwords({ rancher: [ANA, one], version: '2.12.9' })).toEqual([
      'error user-password/ignored metadata.namespace',
    ]);
    expect(passwords({ harvester: [plain({ stringData: { password: 'x' } })] })).toEqual([]);
  });
});
