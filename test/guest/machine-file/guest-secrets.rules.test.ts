import { GUEST_SECRET_RULES } from '../../../src/guest/machine-file/machine-file.rules';
import { Judging, brief, judgeOn } from '../../support/judging';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function findings(fields: object, judging: Judging = {}): ReturnType<typeof judgeOn> {
  return judgeOn(
    GUEST_SECRET_RULES,
    [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a', namespace: 'fleet-default' },
        ...fields,
      },
    ],
    judging,
  );
}

test('a password of a registry in plain text is a warning that does not show it', () => {
  const found = findings({
    type: 'kubernetes.io/basic-auth',
    data: { username: base64('ana'), password: base64('pa55') },
  });
  expect(brief(found)).toEqual(['warning guest-secret/plain data.password']);
  expect(found[0]).toMatchObject({
    message: 'must not be a secret in plain text, which everyone who can read the manifests sees',
  });
  expect(JSON.stringify(found)).not.toMatch(new RegExp(`pa55|${base64('pa55')}`));
});

test.each([
  [
    "Rancher's own form",
    {
      type: 'rke.cattle.io/auth-config',
      stringData: { auth: 'YTpi', identityToken: 't', username: 'u' },
    },
    ['stringData.auth', 'stringData.identityToken'],
  ],
  [
    'a key',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': base64('c'), 'tls.key': base64('k') } },
    ['data.tls.key'],
  ],
  [
    'S3',
    {
      data: {
        's3credentialConfig-accessKey': base64('a'),
        's3credentialConfig-secretKey': base64('s'),
      },
    },
    ['data.s3credentialConfig-secretKey'],
  ],
  [
    'a kubeconfig',
    { data: { 'harvestercredentialConfig-kubeconfigContent': base64('k') } },
    ['data.harvestercredentialConfig-kubeconfigContent'],
  ],
  [
    'files of nodes',
    {
      metadata: {
        name: 'a',
        annotations: { 'rke.cattle.io/object-authorized-for-clusters': 'shop' },
      },
      data: { content: base64('x') },
    },
    ['data.content'],
  ],
])('%s', (_, fields, paths) => {
  expect(findings(fields).map(({ path }) => path)).toEqual(paths);
});

test.each([
  { type: 'kubernetes.io/basic-auth', data: { password: '${late:rancher.password|base64}' } },
  { type: 'kubernetes.io/basic-auth' },
  { type: 'Opaque', data: { password: base64('x') } },
  { type: 'constructor', data: { a: 1 } },
  { type: 1, data: [], stringData: 'x', metadata: { name: 'a', annotations: null } },
  {
    metadata: { name: 'a', annotations: { 'rke.cattle.io/object-authorized-for-clusters': null } },
    data: { content: 5 },
  },
])('%j has no finding', (fields) => {
  expect(findings(fields)).toEqual([]);
});

test('on other clusters than Rancher such Secrets are not judged', () => {
  expect(
    findings(
      { type: 'kubernetes.io/tls', data: { 'tls.key': base64('k') } },
      { kind: 'harvester' },
    ),
  ).toEqual([]);
});
