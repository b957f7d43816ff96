import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { Registries, RegistryAuth, RegistryTls } from '../../../src/guest/registries/registries';
import { CERTIFICATE, KEY, OTHER_KEY } from '../../core/go/_pem';
import { CA } from '../../support/certificates';
import { assemblyOf as assembly, written } from '../../support/written';
import { customCluster, refusal } from '../cluster/_clusters';

const secret = (text: string) => SecretValue.unsafePlainText(text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

function objectsOf(registries: Registries): Record<string, any> {
  return written(customCluster({ registries }).app);
}

test('mirrors and their rewrites are written as containerd takes them', () => {
  const objects = objectsOf({
    mirrors: {
      'docker.io': {
        endpoints: ['https://mirror.example.com'],
        rewrites: { '^rancher/(.*)': 'mirror/rancher/$1' },
      },
    },
  });
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.registries).toEqual({
    mirrors: {
      'docker.io': {
        endpoint: ['https://mirror.example.com'],
        rewrite: { '^rancher/(.*)': 'mirror/rancher/$1' },
      },
    },
  });
});

test('nothing is written where nothing is asked for', () => {
  expect(objectsOf({})['rancher/Cluster/shop'].spec.rkeConfig).not.toHaveProperty('registries');
});

test('credentials and certificates become Secrets next to the Cluster, with the authority in base64', () => {
  const objects = objectsOf({
    configs: {
      'registry.example.com': {
        auth: RegistryAuth.basic('ana', secret('pa55')),
        caCertificates: CA,
      },
      'other.example.com:5000': {
        auth: RegistryAuth.config({ identityToken: secret('t0ken') }),
        tls: RegistryTls.of(CERTIFICATE, secret(KEY)),
        insecureSkipTlsVerify: true,
      },
      'third.example.com': {
        auth: RegistryAuth.fromSecretName('theirs'),
        tls: RegistryTls.fromSecretName('their-tls'),
      },
    },
  });
  const names = Object.keys(objects)
    .filter((key) => key.includes('/Secret/'))
    .sort();
  expect(names).toEqual([
    'rancher/Secret/registryconfig-auth-shop-other-example-com-5000-72a95d',
    'rancher/Secret/registryconfig-auth-shop-registry-example-com',
    'rancher/Secret/registryconfig-tls-shop-other-example-com-5000-72a95d',
  ]);
  expect(objects[names[1]]).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'registryconfig-auth-shop-registry-example-com', namespace: 'fleet-default' },
    type: 'kubernetes.io/basic-auth',
    data: { username: base64('ana'), password: base64('pa55') },
  });
  expect(objects[names[0]]).toMatchObject({
    type: 'rke.cattle.io/auth-config',
    data: { identityToken: base64('t0ken') },
  });
  expect(objects[names[2]]).toMatchObject({
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(CERTIFICATE), 'tls.key': base64(KEY) },
  });
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.registries.configs).toEqual({
    'registry.example.com': {
      authConfigSecretName: 'registryconfig-auth-shop-registry-example-com',
      caBundle: base64(CA),
    },
    'other.example.com:5000': {
      authConfigSecretName: 'registryconfig-auth-shop-other-example-com-5000-72a95d',
      tlsSecretName: 'registryconfig-tls-shop-other-example-com-5000-72a95d',
      insecureSkipVerify: true,
    },
    'third.example.com': { authConfigSecretName: 'theirs', tlsSecretName: 'their-tls' },
  });
});

test('the Cluster waits for the Secrets', () => {
  const { app } = customCluster({
    registries: {
      configs: { 'registry.example.com': { auth: RegistryAuth.basic('ana', secret('pa55')) } },
    },
  });
  app.synth();
  expect(assembly(app).edges).toContainEqual({
    from: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    to: 'rancher//Secret/fleet-default/registryconfig-auth-shop-registry-example-com',
    type: 'applied',
  });
});

test('credentials in plain text in the output are a warning that does not show them', () => {
  const { app } = customCluster({
    registries: {
      configs: { 'registry.example.com': { auth: RegistryAuth.basic('ana', secret('pa55w0rd')) } },
    },
  });
  app.synth();
  expect(app.findings.map(({ rule, level, path }) => `${level} ${rule} ${path}`)).toEqual([
    'warning guest-secret/plain data.password',
  ]);
  expect(JSON.stringify(app.findings)).not.toMatch(new RegExp(`pa55w0rd|${base64('pa55w0rd')}`));
});

test('hosts that differ in a dot or a hyphen have Secrets of their own', () => {
  const auth = RegistryAuth.basic('ana', secret('pa55'));
  const objects = objectsOf({ configs: { 'a.b': { auth }, 'a-b': { auth }, 'A.b': { auth } } });
  expect(Object.keys(objects).filter((key) => key.includes('/Secret/'))).toHaveLength(3);
});

test('what containerd or Rancher would not take is refused, all at once', () => {
  expect(
    refusal({
      registries: {
        mirrors: {
          'docker.io': { endpoints: [] },
          'https://quay.io': { endpoints: ['mirror.example.com'] },
        },
        configs: {
          'https://quay.io/v2': { insecureSkipTlsVerify: true },
          'a.example.com': {},
          'b.example.com': { auth: RegistryAuth.config({}), caCertificates: 'x' },
        },
      },
    }).split('\n'),
  ).toEqual([
    '[rancher/shop] registries.mirrors[docker.io].endpoints: must have at least one URL. Fix: add a URL, or remove the mirror',
    '[rancher/shop] registries.mirrors[https://quay.io].endpoints[0]: must be a URL with a scheme, got "mirror.example.com". Fix: write e.g. https://mirror.example.com',
    '[rancher/shop] registries.mirrors[https://quay.io]: must be a host, not a URL. Fix: write quay.io',
    '[rancher/shop] registries.configs[https://quay.io/v2]: must be a host, not a URL. Fix: write quay.io',
    '[rancher/shop] registries.configs[a.example.com]: must have at least one prop. Fix: set auth, tls, caCertificates or insecureSkipTlsVerify, or remove the entry',
    '[rancher/shop] registries.configs[b.example.com].caCertificates: must contain a certificate in PEM form. Fix: ' +
      'give one or more certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    '[rancher/shop] registries.configs[b.example.com].auth: must have credentials. Fix: set username and password, auth or identityToken',
  ]);
});

test('a certificate and its key belong together, and neither is shown', () => {
  const message = refusal({
    registries: {
      configs: {
        'a.example.com': { tls: RegistryTls.of('CERT', secret(KEY)) },
        'b.example.com': { tls: RegistryTls.of(CERTIFICATE, secret('k3y')) },
        'c.example.com': { tls: RegistryTls.of(CERTIFICATE, secret(OTHER_KEY)) },
      },
    },
  });
  expect(message.split('\n')).toEqual([
    '[rancher/shop] registries.configs[a.example.com].tls.certificate: must contain a certificate in PEM form. Fix: ' +
      'give one or more certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    '[rancher/shop] registries.configs[b.example.com].tls.key: must be a private key in PEM form without a passphrase. Fix: set the private key of the certificate',
    '[rancher/shop] registries.configs[c.example.com].tls.key: is not the key of the certificate (the server: "tls: private key does not match public key"). Fix: ' +
      'give the key that the first certificate was made for',
  ]);
});

test('a late value in a Secret is refused before it is lost in base64', () => {
  const { cluster } = customCluster();
  const late = new LateValue(cluster, 'User', {
    description: 'user',
    source: LateSource.text('x'),
  });
  expect(() =>
    customCluster({
      registries: {
        configs: { 'a.example.com': { auth: RegistryAuth.basic(late.token, secret('pa55')) } },
      },
    }),
  ).toThrow(
    '[rancher/shop/registryconfig-auth-shop-a-example-com] data[username]: cannot contain a late value, which would be encoded before it is resolved',
  );
});

test('a secret from an empty variable is named by its key, without a value', () => {
  const auth = RegistryAuth.basic('ana', SecretValue.fromEnv('NO_SUCH_VARIABLE_HERE'));
  expect(() => objectsOf({ configs: { 'a.example.com': { auth } } })).toThrow(
    'data.password: the secret from environment variable NO_SUCH_VARIABLE_HERE is not set\n  fix: set it before synthesis',
  );
});

test('clusters and registries with long names have Secrets of their own', () => {
  const auth = RegistryAuth.basic('ana', secret('pa55'));
  const host = (letter: string) => `${letter}${'.example'.repeat(30)}.com`;
  const names = ['a', 'b'].flatMap((end) => {
    const { app } = customCluster({
      name: `${'s'.repeat(62)}${end}`,
      registries: { configs: { [host('x')]: { auth }, [host('y')]: { auth } } },
    });
    return Object.values(written(app))
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata }) => metadata.name as string);
  });
  expect(new Set(names).size).toBe(4);
  expect(names.every((name) => name.length <= 253 && /[a-z0-9]$/.test(name))).toBe(true);
});
