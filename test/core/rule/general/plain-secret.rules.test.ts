import { Manifest } from '../../../../src/core/manifest/manifest';
import { Finding } from '../../../../src/core/rule/finding';
import { PLAIN_SECRET_CAUSE } from '../../../../src/core/rule/general/plain-secret-fix';
import { PLAIN_SECRET_RULE } from '../../../../src/core/rule/general/plain-secret.rules';
import { textReport } from '../../../../src/core/rule/report';
import { SecretValue } from '../../../../src/core/value/secret-value';
import { SecretDelivery } from '../../../../src/delivery/secret/secret-delivery';
import { CloudInit } from '../../../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../../../src/harvester/cloud-init/cloud-init-secret';
import { HarvesterSetting } from '../../../../src/harvester/settings/harvester-setting';
import { LdapAuthConfig } from '../../../../src/rancher/auth/ldap-auth-config';
import { OidcAuthConfig } from '../../../../src/rancher/auth/oidc-auth-config';
import { HarvesterImport } from '../../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../../src/rancher/import/registration-token';
import { AuthProvider } from '../../../../src/rancher/members/principal';
import { judgeOn } from '../../../support/judging';
import { configMap, newApp, newHarvester, newRancher } from '../../../support/programs';

const RULE = 'object/plain-secret';

/** A program with a secret in LDAP, in OIDC, and in user data. */
function withSecrets(secrets?: SecretDelivery) {
  const app = newApp({ secrets, printWarnings: false });
  const rancher = newRancher(app);
  new LdapAuthConfig(rancher, 'ldap', {
    provider: AuthProvider.OPEN_LDAP,
    servers: ['ldap.example.com'],
    tls: true,
    port: 636,
    serviceAccount: 'cn=rancher,ou=services,dc=example,dc=com',
    serviceAccountPassword: SecretValue.unsafePlainText('bind-words'),
    userSearchBase: 'ou=people,dc=example,dc=com',
  });
  new OidcAuthConfig(rancher, 'sso', {
    provider: AuthProvider.KEYCLOAK_OIDC,
    clientId: 'rancher',
    clientSecret: SecretValue.unsafePlainText('client-words'),
    rancherUrl: 'https://rancher.example.com/verify-auth',
    issuer: 'https://sso.example.com/realms/platform',
  });
  new CloudInitSecret(newHarvester(app), 'login', {
    cloudInit: CloudInit.fromYaml('#cloud-config\npassword: login-words\n'),
  });
  return app;
}

const aboutSecrets = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ rule }) => rule === RULE || rule === 'program/secret-in-plain-text');

test('warns of secrets of login providers and of user data, with what the library offers first', () => {
  const found = aboutSecrets(withSecrets().validate());
  expect(found.map(({ object, path }) => `${object!.kind} ${object!.name} ${path}`)).toEqual([
    'Secret login data.userdata',
    'Secret openldapconfig-serviceaccountpassword data.serviceaccountpassword',
    'Secret keycloakoidcconfig-clientsecret data.clientsecret',
  ]);
  expect(new Set(found.map(({ level, cause }) => `${level} ${cause}`))).toEqual(
    new Set(['warning secrets are in plain text in the output']),
  );
  expect(found[0]!.fix).toMatch(/^set secrets: SecretDelivery\.sops\(/);
  expect(JSON.stringify(found)).not.toMatch(/(?:bind|client|login)-words/);
});

test('a program that chooses plain text has none of these warnings', () => {
  const found = aboutSecrets(withSecrets(SecretDelivery.plainText()).validate());
  expect(found).toHaveLength(3);
  expect(new Set(found.map(({ suppressed }) => suppressed))).toEqual(
    new Set(['SecretDelivery.plainText()']),
  );
});

/** The fields of a manifest that hold a secret in plain text. */
function fieldsOf(manifest: object): readonly string[] {
  const whole = { metadata: { name: 'given', namespace: 'default' }, ...manifest } as Manifest;
  return judgeOn([PLAIN_SECRET_RULE], [whole])
    .filter(({ rule }) => rule === RULE)
    .map(({ path }) => path);
}

const secret = (data: { readonly [key: string]: string }, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'given', namespace: 'default', ...metadata },
  stringData: data,
});

test.each<[string, object, readonly string[]]>([
  [
    'a URL with credentials in any object',
    { apiVersion: 'v1', kind: 'ConfigMap', data: { proxy: 'http://ana:words@proxy.example.com' } },
    ['data.proxy'],
  ],
  [
    'a password, not the words next to it',
    secret({ username: 'ana', type: 'basic', password: 'words' }),
    ['stringData.password'],
  ],
  [
    'a private key',
    secret({ 'tls.crt': 'public', 'tls.key': '-----BEGIN PRIVATE KEY-----' }),
    ['stringData.tls.key'],
  ],
])('finds %s', (_, manifest, fields) => {
  expect(fieldsOf(manifest)).toEqual(fields);
});

const GRAFANA = { apiVersion: 'grafana.integreatly.org/v1beta1', kind: 'Grafana' };

test('finds a password next to settings that are none', () => {
  const config = {
    'auth': { disable_login_form: 'true', strategy: 'anonymous' },
    'auth.proxy': { enable_login_token: 'false', header_name: 'X-User' },
    'security': { admin_password: 'start' },
  };
  expect(fieldsOf({ ...GRAFANA, spec: { config } })).toEqual([
    'spec.config.security.admin_password',
  ]);
});

test('takes sealed values for none, and reads the template that they are put into', () => {
  const spec = {
    encryptedData: { userdata: 'AgBy3i4OJSWK+PiTySYZZA9rO43c/4gXyN6wJQ==' },
    template: { data: { userdata: '#cloud-config\npassword: login-words\n' } },
  };
  const sealed = { apiVersion: 'bitnami.com/v1alpha1', kind: 'SealedSecret', spec };
  expect(fieldsOf(sealed)).toEqual(['spec.template.data.userdata']);
  // the same field of another kind
  expect(fieldsOf({ ...sealed, kind: 'Vault' })).toContain('spec.encryptedData.userdata');
});

test.each<[string, object]>([
  [
    'what another program fills in',
    {
      ...GRAFANA,
      spec: {
        token: '${TOKEN}',
        password: '{{ .password }}',
        secret: '<templated>',
        headers: { Authorization: 'Bearer ${env:token}' },
      },
    },
  ],
  ['a placeholder in a Secret', secret({ password: '${PASSWORD}' })],
  [
    'values of a chart that name Secrets',
    {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      spec: {
        valuesContent:
          'adminToken:\n  existingSecret: vault-admin-token\n  existingSecretKey: token\ningress:\n  tlsSecret: vault-tls\n',
      },
    },
  ],
  [
    'a hash that is made to be committed',
    secret(
      { password: 'aGFzaA==', salt: 'c2FsdA==' },
      { annotations: { 'cattle.io/password-hash': 'pbkdf2sha3512' } },
    ),
  ],
  [
    'an object of a server',
    secret(
      { password: 'words' },
      { uid: '7d0f0c0e-0000-4000-8000-000000000000', resourceVersion: '1' },
    ),
  ],
  [
    'user data without a secret',
    secret({ userdata: '#cloud-config\npackages: [qemu-guest-agent]\n' }),
  ],
  ['a late value', secret({ token: '${late:a/b}' })],
])('finds nothing in %s', (_, manifest) => {
  expect(fieldsOf(manifest)).toEqual([]);
});

test('is one finding of a proxy whose password the program puts in, and one cause with all others', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const password = SecretValue.unsafePlainText('hunter2-hunter2');
  HarvesterSetting.httpProxy(dc1, 'proxy', {
    httpProxy: `http://me:${password}@proxy.example.com:3128`,
    noProxy: ['10.0.0.0/8'],
  });
  configMap(dc1, 'one', { x: `${password}` });
  configMap(dc1, 'two', { x: `${password}` });
  const found = app.validate().filter(({ level }) => level === 'warning');
  expect(found.map(({ rule, object }) => `${rule} ${object!.name}`).sort()).toEqual([
    'harvester-setting/secret-in-manifest http-proxy',
    'program/secret-in-plain-text one',
    'program/secret-in-plain-text two',
  ]);
  expect(textReport(found)).toMatch(/\n0 errors, 1 warning, from 3 findings$/);
});

test('is one warning of a registration token that the program puts in', () => {
  const app = newApp();
  new HarvesterImport(newRancher(app), 'import', {
    harvester: newHarvester(app),
    registrationToken: TokenSource.value(SecretValue.unsafePlainText('a'.repeat(54))),
  });
  const found = app.validate().filter(({ level }) => level === 'warning');
  expect(found.length).toBeGreaterThan(1);
  expect(new Set(found.map(({ cause }) => cause))).toEqual(new Set([PLAIN_SECRET_CAUSE]));
  expect(textReport(found)).toMatch(/\n0 errors, 1 warning, from \d findings$/);
});
