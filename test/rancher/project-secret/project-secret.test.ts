import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import {
  ProjectCertificate,
  ProjectRegistryLogin,
  ProjectRegistrySecret,
  ProjectSecret,
  ProjectSecretProps,
} from '../../../src/rancher/project-secret/project-secret';
import { HarvesterTesting } from '../../../src/testing/testing';
import { CERTIFICATE, KEY } from '../../core/go/_pem';
import { newRancher } from '../../support/programs';
import { briefOf } from '../../support/tenancy';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written, writtenObjects } from '../../support/written';

const text = (value: string) => SecretValue.unsafePlainText(value);
const decoded = (value: string) => Buffer.from(value, 'base64').toString('utf8');
const LOGIN: ProjectRegistryLogin = {
  registry: 'registry.example.com:5000',
  username: 'ana',
  password: text('s3cret-word'),
};

function world(version?: string) {
  const tenant = tenantWorld(version);
  return {
    ...tenant,
    project: new TenantProject(tenant.rancher, 'payments', {
      cluster: tenant.cluster,
      tenantNamespaces: [{ name: 'payments-vms' }],
    }),
  };
}

function secretOf(props: Partial<ProjectSecretProps> = {}, version?: string) {
  const { app, rancher, project } = world(version);
  new ProjectSecret(rancher, 'database', {
    project,
    data: { password: text('s3cret-word') },
    ...props,
  });
  return { secret: written(app)['rancher/Secret/database'], assembly: assemblyOf(app) };
}

test('a Secret of a project is in the namespace of its bindings with the label of the project, after the Project', () => {
  const { secret, assembly } = secretOf({
    description: 'for all',
    labels: { team: 'a' },
    annotations: { note: 'x' },
    type: 'example.com/db',
  });
  expect(secret).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'database',
      namespace: 'c-m-harvdc05-payments',
      labels: { 'team': 'a', 'management.cattle.io/project-scoped-secret': 'payments' },
      annotations: { 'note': 'x', 'field.cattle.io/description': 'for all' },
    },
    type: 'example.com/db',
    data: { password: Buffer.from('s3cret-word').toString('base64') },
  });
  expect(assembly.edges).toContainEqual({
    from: assembly.objects.find(({ name }: any) => name === 'database').id,
    to: 'rancher/management.cattle.io/Project/c-m-harvdc05/payments',
    type: 'applied',
  });
  expect(assembly.findings.filter(({ level }: any) => level === 'error')).toEqual([]);
});

test('its file comes after that of its Project, for tools that apply files in their order', () => {
  const { app, rancher, project } = world();
  new ProjectSecret(rancher, 'database', { project, data: { password: text('x') } });
  const names = writtenObjects(app)
    .filter(({ target }) => target === 'rancher')
    .map(({ object }) => `${object.kind} ${object.metadata.name}`);
  expect(names.indexOf('Secret database')).toBeGreaterThan(names.indexOf('Project payments'));
});

test('the label is an error before Rancher 2.12.0 in manifests that no construct wrote', () => {
  const labeled = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'a',
      namespace: 'b',
      labels: { 'management.cattle.io/project-scoped-secret': 'payments' },
    },
  };
  expect(briefOf('project-secret/', { rancher: [labeled], version: '2.11.5' })).toEqual([
    'error project-secret/version metadata.labels[management.cattle.io/project-scoped-secret]',
  ]);
});

test("before Rancher 2.12.0 it has the form of Rancher's API", () => {
  const {
    secret: { metadata },
  } = secretOf({}, '2.11.5');
  expect(metadata).toMatchObject({
    labels: { 'cattle.io/creator': 'norman' },
    annotations: { 'field.cattle.io/projectId': 'c-m-harvdc05:payments' },
  });
  expect(metadata.labels).not.toHaveProperty('management.cattle.io/project-scoped-secret');
});

test('a Secret of the project Default waits for its name', () => {
  const { app, rancher, cluster } = world();
  new ProjectSecret(rancher, 'database', {
    project: TenantProject.defaultOf(rancher, 'default', { cluster }),
    data: { a: text('x') },
  });
  expect(Object.keys(written(app))).not.toContain('rancher/Secret/database');
  expect(
    assemblyOf(app).objects.find(({ name }: any) => name === 'database').template.metadata.labels,
  ).toEqual({ 'management.cattle.io/project-scoped-secret': '${late:rancher.default.name}' });
});

test('registry credentials are a config of Docker', () => {
  const { app, rancher, project } = world();
  new ProjectRegistrySecret(rancher, 'mirror', { project, logins: [LOGIN] });
  const secret = written(app)['rancher/Secret/mirror'];
  expect(secret.type).toBe('kubernetes.io/dockerconfigjson');
  expect(JSON.parse(decoded(secret.data['.dockerconfigjson']))).toEqual({
    auths: {
      'registry.example.com:5000': {
        username: 'ana',
        password: 's3cret-word',
        auth: Buffer.from('ana:s3cret-word').toString('base64'),
      },
    },
  });
});

test('registry credentials are synthesized in a build without secrets, and with them in a process that also tests', () => {
  const password = SecretValue.fromEnv('WORD_OF_ANA');
  const config = (): object => {
    const { app, rancher, project } = world();
    new ProjectRegistrySecret(rancher, 'mirror', { project, logins: [{ ...LOGIN, password }] });
    return JSON.parse(decoded(written(app)['rancher/Secret/mirror'].data['.dockerconfigjson']))
      .auths[LOGIN.registry];
  };
  const known = (word: string): object => ({
    username: 'ana',
    password: word,
    auth: Buffer.from(`ana:${word}`).toString('base64'),
  });
  try {
    process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
    expect(config()).toEqual(known('placeholder-environment-variable-WORD_OF_ANA'));
    delete process.env.CDK8S_HARVESTER_SECRETS;
    HarvesterTesting.app();
    process.env.WORD_OF_ANA = 's3cret-word';
    expect(config()).toEqual(known('s3cret-word'));
  } finally {
    delete process.env.CDK8S_HARVESTER_SECRETS;
    delete process.env.WORD_OF_ANA;
  }
});

test('registry credentials of a live cluster wait for it', () => {
  const { app, rancher, project } = world();
  const late = new LateValue(rancher, 'word', {
    description: 'word',
    source: LateSource.secretKey('c', {
      target: rancher,
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'a',
      name: 'b',
    }),
  });
  new ProjectRegistrySecret(rancher, 'mirror', {
    project,
    logins: [{ ...LOGIN, password: SecretValue.fromLate(late) }],
  });
  app.synth();
  const { lateValues, objects } = assemblyOf(app);
  expect(objects.find(({ name }: any) => name === 'mirror').template.data).toEqual({
    '.dockerconfigjson': '${late:rancher.mirror.config|base64}',
  });
  expect(lateValues.find(({ id }: any) => id === 'rancher.mirror.config')).toMatchObject({
    sensitive: true,
    source: {
      text: '{"auths":{"registry.example.com:5000":{"username":"ana","password":"${late:rancher.word}","auth":"${late:rancher.mirror.auth0|base64}"}}}',
    },
  });
  expect(lateValues.find(({ id }: any) => id === 'rancher.mirror.auth0').source.text).toBe(
    'ana:${late:rancher.word}',
  );
});

test('a certificate is a pair', () => {
  const { app, rancher, project } = world();
  new ProjectCertificate(rancher, 'tls', {
    project,
    certificate: CERTIFICATE,
    privateKey: text(KEY),
  });
  const secret = written(app)['rancher/Secret/tls'];
  expect([secret.type, decoded(secret.data['tls.crt']), decoded(secret.data['tls.key'])]).toEqual([
    'kubernetes.io/tls',
    CERTIFICATE,
    KEY,
  ]);
});

test('refuses what is wrong, without showing a secret', () => {
  expect(() => secretOf({ data: {} })).toThrow('data: cannot be empty. Fix: add a value');
  expect(() => secretOf({ data: { 'a b': text('x') }, name: 'B' })).toThrow(
    /name: must be a valid object name[^]*data\[a b\]: must have a key of letters/,
  );
  expect(() => secretOf({ type: 'kubernetes.io/service-account-token' })).toThrow(
    'type: cannot be that of a token',
  );
  expect(() => secretOf({ labels: { 'management.cattle.io/project-scoped-secret': 'x' } })).toThrow(
    'labels[management.cattle.io/project-scoped-secret]: cannot be set',
  );
  const { app, rancher, project } = world();
  const registry = (id: string, logins: ProjectRegistryLogin[]) =>
    new ProjectRegistrySecret(rancher, id, { project, logins });
  expect(() => registry('a', [])).toThrow('logins: cannot be empty');
  expect(() =>
    registry('b', [
      { ...LOGIN, registry: 'https://registry.example.com', username: 'a:b' },
      LOGIN,
      LOGIN,
    ]),
  ).toThrow(
    /logins\[0\]\.registry: must be a host [^]*logins\[0\]\.username: must be a text without a colon[^]*logins\[2\]\.registry: cannot have two logins/,
  );
  expect(
    () =>
      new ProjectCertificate(rancher, 'c', {
        project,
        certificate: CERTIFICATE,
        privateKey: text('s3cret-word'),
      }),
  ).toThrow(/privateKey: must be a private key in PEM form without a passphrase\./);
  expect(
    () =>
      new ProjectCertificate(rancher, 'd', { project, certificate: 'x', privateKey: text(KEY) }),
  ).toThrow('certificate: must contain a certificate in PEM form');
  const other = newRancher(app.node.tryFindChild('rancher')! as never);
  expect(() => new ProjectSecret(other, 'e', { project, data: { a: text('x') } })).toThrow(
    'must be a cluster of Rancher',
  );
});
