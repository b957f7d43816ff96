import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import { REGISTRATION_RULES } from '../../../src/rancher/import/registration-token.rules';

const RANCHER = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' } as const;

function setting(value: string, harvester = 'dc1'): JudgedObject {
  return {
    target: { name: harvester, kind: 'harvester', harvesterVersion: '1.7.2' },
    manifest: {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'cluster-registration-url' },
      value,
    },
  };
}

function url(token: string, clusterId: string): string {
  return JSON.stringify({
    url: `https://rancher.example.com/v3/import/${token}_${clusterId}.yaml`,
    insecureSkipTLSVerify: false,
  });
}

function cluster(id: string | undefined): JudgedObject {
  const annotations = id ? { 'provisioning.cattle.io/management-cluster-name': id } : undefined;
  return {
    target: RANCHER,
    manifest: {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name: 'dc', namespace: 'fleet-default', annotations },
    },
  };
}

function secret(namespace: string, data: { [key: string]: string }): JudgedObject {
  return {
    target: RANCHER,
    manifest: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'crt-token-gitops', namespace },
      data,
    },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const rulesOf = (...objects: JudgedObject[]): string[] =>
  judge(REGISTRATION_RULES, new World(objects)).map(({ rule }) => rule);

test('accepts a registration with a cluster of the program', () => {
  expect(
    rulesOf(
      setting(url('tok', 'c-m-a')),
      cluster('c-m-a'),
      secret('c-m-a', { token: base64('tok') }),
    ),
  ).toEqual([]);
});

test('finds nothing without any cluster, nor in an empty Setting', () => {
  expect(rulesOf(setting(url('tok', 'c-m-a')))).toEqual([]);
  expect(rulesOf(setting(''), cluster('c-m-a'))).toEqual([]);
  expect(rulesOf(setting('{"url":""}'), cluster('c-m-a'))).toEqual([]);
});

test('warns of an ID without a cluster, unless an ID is unknown', () => {
  expect(rulesOf(setting(url('tok', 'c-m-b')), cluster('c-m-a'))).toEqual([
    'registration/unknown-cluster',
  ]);
  expect(rulesOf(setting(url('tok', 'c-m-b')), cluster(undefined))).toEqual([]);
});

test('reads a plain URL, too', () => {
  expect(
    rulesOf(setting('https://rancher.example.com/v3/import/tok_c-m-b.yaml'), cluster('c-m-a')),
  ).toEqual(['registration/unknown-cluster']);
});

test('warns of a token that no Secret contains, without showing it', () => {
  const findings = judge(
    REGISTRATION_RULES,
    new World([
      setting(url('other', 'c-m-a')),
      cluster('c-m-a'),
      secret('c-m-a', { token: base64('secrettoken') }),
    ]),
  );
  expect(findings.map(({ rule }) => rule)).toEqual(['registration/wrong-token']);
  expect(JSON.stringify(findings)).not.toMatch(/secrettoken|other/);
});

describe('a registration URL that is late as a whole', () => {
  const chart = { ...RANCHER, serverUrl: 'https://rancher.example.com' };
  const declared = (id: string, target: JudgedTarget = chart): JudgedObject => ({
    ...cluster(id),
    target,
  });
  const late = (managedAs?: string, harvester = 'dc1', version = '1.7.2'): JudgedObject => {
    const { manifest, target } = setting(JSON.stringify({ url: '${late:dc1.url}' }), harvester);
    return {
      manifest,
      target: { ...target, harvesterVersion: version, ...(managedAs ? { managedAs } : {}) },
    };
  };

  test('is that of the import, on the Rancher of the chart', () => {
    expect(rulesOf(late('rancher/c-m-a'), declared('c-m-a'))).toEqual([]);
    expect(rulesOf(late('rancher/c-m-b'), declared('c-m-a'))).toEqual([
      'registration/unknown-cluster',
    ]);
    expect(rulesOf(late('rancher/c-m-a'), late('rancher/c-m-a', 'dc2'), declared('c-m-a'))).toEqual(
      ['registration/cluster-shared', 'registration/cluster-shared'],
    );
    expect(
      rulesOf(
        late('rancher/c-m-a', 'dc1', '1.8.0'),
        declared('c-m-a', { ...chart, rancherVersion: '2.13.0' }),
      ),
    ).toEqual(['registration/unsupported-versions']);
  });

  test('is that of its own Rancher, where another one has a cluster of the same ID', () => {
    const old = declared('c-m-a', {
      ...chart,
      name: 'old',
      serverUrl: 'https://old.example.com',
      rancherVersion: '2.13.0',
    });
    expect(
      rulesOf(
        late('rancher/c-m-a', 'dc1', '1.8.0'),
        old,
        declared('c-m-a', { ...chart, rancherVersion: '2.14.1' }),
      ),
    ).toEqual([]);
  });

  test('is not compared if the program does not import the Harvester', () => {
    expect(rulesOf(late(), declared('c-m-a'))).toEqual([]);
  });
});

test('accepts a late token', () => {
  expect(
    rulesOf(
      setting(url('${late:x}', 'c-m-a')),
      cluster('c-m-a'),
      secret('c-m-a', { token: base64('tok') }),
    ),
  ).toEqual([]);
  expect(rulesOf(setting(url('${late:x}', 'c-m-b')), cluster('c-m-a'))).toEqual([
    'registration/unknown-cluster',
  ]);
});

test('warns of a Rancher that is too old for the Harvester', () => {
  const old: JudgedObject = {
    ...cluster('c-m-a'),
    target: { ...RANCHER, rancherVersion: '2.8.5' },
  };
  expect(rulesOf(setting(url('tok', 'c-m-a')), old)).toEqual(['registration/unsupported-versions']);
});

test('refuses two Harvesters in one cluster, on both', () => {
  expect(rulesOf(setting(url('tok', 'c-m-a'), 'dc1'), setting(url('tok', 'c-m-a'), 'dc2'))).toEqual(
    ['registration/cluster-shared', 'registration/cluster-shared'],
  );
});

test('warns of a Harvester that registers with itself', () => {
  const own = (vip: string): string[] => {
    const registering = setting(
      JSON.stringify({
        url: 'https://10.0.0.10/v3/import/tok_c-m-a.yaml',
        insecureSkipTLSVerify: false,
      }),
    );
    return rulesOf({ ...registering, target: { ...registering.target, vip } }, cluster('c-m-a'));
  };
  expect(own('10.0.0.10')).toEqual(['registration/with-itself']);
  expect(own('10.0.0.11')).toEqual([]);
});
