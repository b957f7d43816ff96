import { readFileSync } from 'fs';
import { Duration, Lazy, Testing } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { asRetained } from '../../../src/core/kind/retention';
import { TaintEffect, TolerationOperator } from '../../../src/core/manifest/taint';
import { SecretValue } from '../../../src/core/value/secret-value';
import { AgentScheduling, ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { PreemptionPolicy } from '../../../src/rancher/cluster/provisioning-cluster.check';
import {
  HarvesterImport,
  HarvesterImportProps,
} from '../../../src/rancher/import/harvester-import';
import {
  DeclaredTokenOptions,
  RegistrationToken,
  TokenSource,
} from '../../../src/rancher/import/registration-token';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { SERVER, newApp, newHarvester, newRancher } from '../../support/programs';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr';
const OWN_TOKEN = TokenSource.value(SecretValue.unsafePlainText(TOKEN));
const CA = readFileSync('examples/import-air-gapped/ca.pem', 'utf8');

interface World {
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly caCertificates?: string;
}

function importOf(
  props: Partial<HarvesterImportProps> = {},
  world: World = {},
): { app: HarvesterApp; imported: HarvesterImport } {
  const app = newApp();
  const rancher = newRancher(app, world.rancherVersion, { caCertificates: world.caCertificates });
  const harvester = newHarvester(app, world.harvesterVersion);
  return { app, imported: new HarvesterImport(rancher, 'import', { harvester, ...props }) };
}

describe('with a token of its own', () => {
  test('is complete at synthesis: nothing is late', () => {
    const { app, imported } = importOf({
      registrationToken: OWN_TOKEN,
      clusterId: ClusterId.fixed('c-m-harvdc05'),
    });
    expect(written(app)).toEqual({
      // Rancher's own: no engine may delete it
      'rancher/Namespace/c-m-harvdc05': asRetained({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'c-m-harvdc05' },
      }),
      'rancher/Secret/crt-token-gitops': {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'crt-token-gitops', namespace: 'c-m-harvdc05' },
        type: 'Opaque',
        data: { token: Buffer.from(TOKEN).toString('base64') },
      },
      'rancher/Cluster/dc1': {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        metadata: {
          name: 'dc1',
          namespace: 'fleet-default',
          labels: { 'provider.cattle.io': 'harvester' },
          annotations: {
            'provisioning.cattle.io/management-cluster-name': 'c-m-harvdc05',
            'field.cattle.io/no-creator-rbac': 'true',
          },
        },
        spec: {},
      },
      'dc1/Setting/cluster-registration-url': {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Setting',
        metadata: { name: 'cluster-registration-url' },
        value: `{"url":"${SERVER}/v3/import/${TOKEN}_c-m-harvdc05.yaml","insecureSkipTLSVerify":false}`,
      },
    });
    expect(assemblyOf(app).lateValues).toEqual([]);
    expect(imported.registrationToken.isKnown).toBe(true);
    expect(app.findings.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('warns of the token in plain text on both clusters, without showing it', () => {
    const { app } = importOf({ registrationToken: OWN_TOKEN });
    app.synth();
    expect(app.findings.map(({ target, level }) => [target, level]).sort()).toEqual([
      ['dc1', 'warning'],
      ['rancher', 'warning'],
    ]);
    expect(JSON.stringify(app.findings)).not.toContain(TOKEN);
  });

  test.each(['2.13.7', '2.14.3', '2.12.12'])(
    'is refused on Rancher %s, which does not find tokens by Secret',
    (rancherVersion) => {
      expect(() => importOf({ registrationToken: OWN_TOKEN }, { rancherVersion })).toThrow(
        /2\.13\.8, 2\.14\.4, 2\.15\.0 or later, got .*TokenSource\.rancherDefault/,
      );
    },
  );

  test.each(['2.13.8', '2.14.4', '2.15.0', '2.15.3'])(
    'is accepted on Rancher %s',
    (rancherVersion) => {
      expect(
        written(importOf({ registrationToken: OWN_TOKEN }, { rancherVersion }).app)[
          'rancher/Secret/crt-token-gitops'
        ].data,
      ).toEqual({ token: Buffer.from(TOKEN).toString('base64') });
    },
  );

  test.each([
    ['under_score', 'underscore'],
    ['with space', 'characters'],
    ['', 'is empty'],
  ])('that is %j is refused without showing it', (token, message) => {
    expect(() =>
      importOf({ registrationToken: TokenSource.value(SecretValue.unsafePlainText(token)) }),
    ).toThrow(message);
    if (token) {
      expect(() =>
        importOf({ registrationToken: TokenSource.value(SecretValue.unsafePlainText(token)) }),
      ).not.toThrow(token);
    }
  });

  test('in a Secret of another tool leaves only the Setting with a late value', () => {
    const { app } = importOf({
      registrationToken: TokenSource.secret({ name: 'sealed' }),
      clusterId: ClusterId.fixed('c-m-harvdc05'),
    });
    expect(Object.keys(written(app)).sort()).toEqual([
      'rancher/Cluster/dc1',
      'rancher/Namespace/c-m-harvdc05',
    ]);
    const { lateValues, objects } = assemblyOf(app);
    expect(lateValues).toEqual([
      expect.objectContaining({
        sensitive: true,
        type: 'token',
        source: expect.objectContaining({
          resolver: 'secret-key',
          namespace: 'c-m-harvdc05',
          name: 'crt-token-sealed',
          path: 'token',
        }),
      }),
    ]);
    expect(
      objects.filter(({ template }: any) => template).map(({ template }: any) => template.value),
    ).toEqual([
      `{"url":"${SERVER}/v3/import/\${late:${lateValues[0].id}}_c-m-harvdc05.yaml","insecureSkipTLSVerify":false}`,
    ]);
  });
});

describe('with a token of Rancher', () => {
  test('waits for the URL of the default token, which is correct on every version', () => {
    const { app } = importOf();
    expect(Object.keys(written(app))).toEqual(['rancher/Cluster/dc1']);
    const { lateValues, edges } = assemblyOf(app);
    expect(lateValues).toEqual([
      expect.objectContaining({
        id: 'rancher.import.token.url',
        sensitive: true,
        type: 'url',
        source: expect.objectContaining({
          resolver: 'registration-url',
          kind: 'ClusterRegistrationToken',
          name: 'default-token',
        }),
      }),
    ]);
    // the token comes after the Cluster that Rancher creates it for, the Setting after the token
    expect(edges).toEqual(
      expect.arrayContaining([
        {
          from: 'late:rancher.import.token.url',
          to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
          type: 'applied',
        },
        {
          from: 'dc1/harvesterhci.io/Setting//cluster-registration-url',
          to: 'late:rancher.import.token.url',
          type: 'value',
        },
      ]),
    );
  });

  test('declared by the program is a ClusterRegistrationToken', () => {
    const { app, imported } = importOf({
      registrationToken: TokenSource.declared({
        ttl: Duration.hours(1),
        gracePeriod: Duration.minutes(10),
      }),
    });
    expect(written(app)['rancher/ClusterRegistrationToken/gitops']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'ClusterRegistrationToken',
      metadata: { name: 'gitops', namespace: imported.clusterId },
      spec: { clusterName: imported.clusterId, ttl: 60, gracePeriod: 10 },
    });
  });

  test.each<[DeclaredTokenOptions, string | undefined]>([
    [{ name: 'system' }, 'Rancher creates for every cluster'],
    [{ name: 'default-token' }, 'Rancher creates for every cluster'],
    [{ name: 'crt-token-x' }, undefined],
    [{ ttl: Duration.minutes(5) }, '30 minutes'],
    [{ ttl: Duration.hours(1), gracePeriod: Duration.hours(1) }, 'must be less than ttl'],
    [{ ttl: Duration.seconds(90) }, 'whole number of minutes'],
  ])('declared with %j is checked', (options, message) => {
    const declare = () => importOf({ registrationToken: TokenSource.declared(options) });
    if (message) {
      expect(declare).toThrow(message);
    } else {
      expect(Object.keys(written(declare().app))).toContain(
        `rancher/ClusterRegistrationToken/${options.name}`,
      );
    }
  });

  test('with a lifetime is refused on a version without the field', () => {
    expect(() =>
      importOf(
        { registrationToken: TokenSource.declared({ ttl: Duration.hours(1) }) },
        { rancherVersion: '2.13.7' },
      ),
    ).toThrow('2.13.8, 2.14.4, 2.15.0 or later');
  });
});

describe('the management cluster ID', () => {
  test('is derived from Fleet workspace and name, the same in every synthesis, in the form of Rancher', () => {
    const [first, second] = [importOf().imported.clusterId, importOf().imported.clusterId];
    expect(first).toBe(second);
    expect(first).toMatch(/^c-m-[a-z2-7]{8}$/);
    expect(importOf({ name: 'other' }).imported.clusterId).not.toBe(first);
    expect(importOf({ fleetWorkspace: 'other' }).imported.clusterId).not.toBe(first);
  });

  test.each([
    ['c-abcde', 'legacy'],
    ['local', 'legacy'],
    ['C_Bad', 'must consist of'],
    [`c-m-${'x'.repeat(70)}`, 'has 74'],
  ])('%s is refused', (id, message) => {
    expect(() => importOf({ clusterId: ClusterId.fixed(id) })).toThrow(message);
  });

  test('is refused twice in a program', () => {
    const app = newApp();
    const rancher = newRancher(app);
    for (const id of ['dc1', 'dc2']) {
      new HarvesterImport(rancher, id, {
        harvester: newHarvester(app, '1.7.2', id),
        clusterId: ClusterId.fixed('c-m-samesame'),
      });
    }
    expect(() => app.synth()).toThrow(/cluster\/id-taken/);
  });

  test('cannot be chosen below 2.8.0, with a fix', () => {
    expect(() =>
      importOf({ clusterId: ClusterId.fixed('c-m-harvdc05') }, { rancherVersion: '2.7.9' }),
    ).toThrow(/2\.8\.0 or later, got 2\.7\.9.*ClusterId\.late/);
  });

  test('is late by default below 2.8.0', () => {
    const { app } = importOf({}, { rancherVersion: '2.7.9' });
    const cluster = written(app)['rancher/Cluster/dc1'];
    expect(cluster.metadata.annotations).toBeUndefined();
    expect(
      assemblyOf(app)
        .lateValues.map(({ type }: any) => type)
        .sort(),
    ).toEqual(['name', 'url']);
  });

  test('of an existing import is kept, legacy IDs too', () => {
    const rancher = newRancher(newApp());
    expect(HarvesterImport.fromClusterId(rancher, 'a', { clusterId: 'c-x7k2p' }).clusterId).toBe(
      'c-x7k2p',
    );
    expect(() => HarvesterImport.fromClusterId(rancher, 'b', { clusterId: 'My Cluster' })).toThrow(
      '[rancher/b] clusterId: must be a management cluster ID, got "My Cluster"',
    );
  });
});

describe('by version', () => {
  test.each([
    ['1.7.1', `${SERVER}/v3/import/${TOKEN}_c-m-harvdc05.yaml`],
    [
      '1.7.2',
      `{"url":"${SERVER}/v3/import/${TOKEN}_c-m-harvdc05.yaml","insecureSkipTLSVerify":false}`,
    ],
  ])('the Setting of Harvester %s has its form', (harvesterVersion, value) => {
    const { app } = importOf(
      { registrationToken: OWN_TOKEN, clusterId: ClusterId.fixed('c-m-harvdc05') },
      { harvesterVersion },
    );
    expect(written(app)['dc1/Setting/cluster-registration-url'].value).toBe(value);
  });

  test('writes no-creator-rbac from 2.10.0, unless adopted.creatorRbac is set', () => {
    const annotation = (version: string, creatorRbac?: boolean) =>
      written(importOf({ adopted: { creatorRbac } }, { rancherVersion: version }).app)[
        'rancher/Cluster/dc1'
      ].metadata.annotations['field.cattle.io/no-creator-rbac'];
    expect([annotation('2.9.12'), annotation('2.10.0'), annotation('2.13.8', true)]).toEqual([
      undefined,
      'true',
      undefined,
    ]);
  });

  test('refuses scheduling and webhook of agents on versions without them', () => {
    expect(() =>
      importOf(
        { clusterAgent: { scheduling: { priorityClass: { priority: 5 } } } },
        { rancherVersion: '2.10.0' },
      ),
    ).toThrow(/clusterAgent\.scheduling.*2\.11\.0/);
    expect(() => importOf({ webhook: { replicas: 2 } })).toThrow(/webhook.*2\.15\.0/);
    expect(
      written(importOf({ webhook: { replicas: 2 } }, { rancherVersion: '2.15.0' }).app)[
        'rancher/Cluster/dc1'
      ].spec.webhookDeploymentCustomization,
    ).toEqual({ replicaCount: 2 });
  });

  test('reports values that the definition refuses by their props', () => {
    const given = {
      clusterAgent: { requests: { cpu: 'much' }, scheduling: { priorityClass: { priority: 0.5 } } },
      webhook: { replicas: 0.5 },
    };
    expect(
      messageOf(() => importOf(given, { rancherVersion: '2.15.0' }))
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(
      [
        'clusterAgent.scheduling.priorityClass.priority',
        'webhook.replicas',
        'clusterAgent.requests.cpu',
      ].map((prop) => `[rancher/import] ${prop}`),
    );
  });

  test('writes a disruption budget of the webhook, and refuses a priority class', () => {
    const { app } = importOf(
      { webhook: { scheduling: { minAvailable: '1' } } },
      { rancherVersion: '2.15.0' },
    );
    expect(written(app)['rancher/Cluster/dc1'].spec.webhookDeploymentCustomization).toEqual({
      podDisruptionBudget: { minAvailable: '1' },
    });
    const scheduling: AgentScheduling = { priorityClass: { priority: 5 } };
    expect(
      messageOf(() => importOf({ webhook: { scheduling } }, { rancherVersion: '2.15.0' })).split(
        '\n',
      ),
    ).toEqual([
      '[rancher/import] webhook.scheduling.priorityClass: cannot be set for the webhook, got {"priority":5}: webhookDeploymentCustomization has no priority class, ' +
        'only minAvailable or maxUnavailable. Fix: remove it, or set it in clusterAgent or fleetAgent',
    ]);
  });
});

test.each([
  ['a ClusterRegistrationToken', TokenSource.declared(), 'rancher/ClusterRegistrationToken/gitops'],
  ['a Secret', OWN_TOKEN, 'rancher/Secret/crt-token-gitops'],
])('labels and annotations of a RegistrationToken are those of %s', (_what, token, key) => {
  const { app, rancher, cluster } = tenantWorld('2.15.0');
  new RegistrationToken(rancher, 'token', {
    cluster,
    source: token,
    labels: { team: 'a' },
    annotations: { note: 'b' },
  });
  expect(written(app)[key].metadata).toMatchObject({
    labels: { team: 'a' },
    annotations: { note: 'b' },
  });
});

test('writes a private certificate authority of Rancher to additional-ca, before the registration', () => {
  const { app } = importOf({ registrationToken: OWN_TOKEN }, { caCertificates: CA });
  expect(written(app)['dc1/Setting/additional-ca'].value).toBe(CA);
  expect(assemblyOf(app).edges).toContainEqual({
    from: 'dc1/harvesterhci.io/Setting//cluster-registration-url',
    to: 'dc1/harvesterhci.io/Setting//additional-ca',
    type: 'ready',
  });
});

test('writes environment and placement of agents to the provisioning Cluster', () => {
  const { app } = importOf({
    description: 'first',
    labels: { site: 'a' },
    annotations: { note: 'b' },
    agentEnvVars: { HTTPS_PROXY: 'http://proxy:3128', A: '1' },
    clusterAgent: {
      tolerations: [
        { key: 'x', operator: TolerationOperator.EXISTS, effect: TaintEffect.NO_SCHEDULE },
      ],
      requests: { cpu: '100m' },
      limits: { memory: '512Mi' },
      scheduling: {
        priorityClass: { priority: 5, preemptionPolicy: PreemptionPolicy.NEVER },
        minAvailable: '1',
      },
    },
  });
  const { metadata, spec } = written(app)['rancher/Cluster/dc1'];
  expect(metadata.labels).toEqual({ 'site': 'a', 'provider.cattle.io': 'harvester' });
  expect(metadata.annotations).toMatchObject({
    'note': 'b',
    'field.cattle.io/description': 'first',
  });
  expect(spec).toEqual({
    agentEnvVars: [
      { name: 'A', value: '1' },
      { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
    ],
    clusterAgentDeploymentCustomization: {
      appendTolerations: [{ key: 'x', operator: 'Exists', effect: 'NoSchedule' }],
      overrideResourceRequirements: { requests: { cpu: '100m' }, limits: { memory: '512Mi' } },
      schedulingCustomization: {
        priorityClass: { value: 5, preemptionPolicy: 'Never' },
        podDisruptionBudget: { minAvailable: '1' },
      },
    },
  });
});

test('refuses NO_PROXY with spaces, with the path and a fix', () => {
  const { app } = importOf({ agentEnvVars: { NO_PROXY: 'localhost, 10.0.0.0/8' } });
  expect(() => app.synth()).toThrow(
    /cluster\/no-proxy[^]*spec\.agentEnvVars[^]*whitespace[^]*at: rancher\/import\/Resource/,
  );
});

test('refuses labels and annotations that the construct writes', () => {
  expect(() =>
    importOf({
      labels: { 'provider.cattle.io': 'x' },
      annotations: { 'field.cattle.io/description': 'y' },
    }),
  ).toThrow(
    /labels\[provider\.cattle\.io\][^]*\n\[rancher\/import\] annotations\[field\.cattle\.io\/description\]/,
  );
});

test('refuses to import a Harvester twice', () => {
  const { imported } = importOf();
  expect(
    () =>
      new HarvesterImport(imported.node.scope!, 'again', {
        harvester: imported.harvester!,
        name: 'again',
      }),
  ).toThrow('cannot be imported twice');
  expect(
    new HarvesterImport(imported.node.scope!, 'third', {
      harvester: imported.harvester!,
      name: 'third',
      register: false,
    }).name,
  ).toBe('third');
});

test('reports an unset secret with the construct that reads it', () => {
  delete process.env.NO_SUCH_TOKEN;
  const { app } = importOf({
    registrationToken: TokenSource.value(SecretValue.fromEnv('NO_SUCH_TOKEN')),
  });
  expect(() => app.synth()).toThrow(/\[?rancher\/import[\s\S]*NO_SUCH_TOKEN/);
});

test('works in a plain cdk8s App without late values', () => {
  const app = Testing.app();
  const rancher = newRancher(app);
  new HarvesterImport(rancher, 'import', {
    harvester: newHarvester(app),
    registrationToken: OWN_TOKEN,
  });
  expect(
    Testing.synth(rancher)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['Cluster', 'Namespace', 'Secret']);
  new HarvesterImport(rancher, 'late', { harvester: newHarvester(app, '1.7.2', 'dc2') });
  expect(() => Testing.synth(rancher)).toThrow('needs HarvesterApp');
});

test('refuses late names', () => {
  expect(() => importOf({ name: '${late:x}' })).toThrow(
    '[rancher/import] name: must be a literal string',
  );
  expect(() => importOf({ fleetWorkspace: Lazy.any({ produce: () => 'x' }) as never })).toThrow(
    'fleetWorkspace: must be a literal string',
  );
});

test('refuses a Harvester of another app, and a target that is not a Harvester', () => {
  const app = newApp();
  const rancher = newRancher(app);
  expect(() => new HarvesterImport(rancher, 'a', { harvester: newHarvester(newApp()) })).toThrow(
    'must belong to the same app',
  );
  expect(() => new HarvesterImport(rancher, 'b', { harvester: rancher as never })).toThrow(
    'harvester: must be a Harvester target, got "rancher": it is a rancher target',
  );
});

test('shares the Namespace between tokens of one cluster, and refuses a token of another Rancher', () => {
  const { app, imported } = importOf({ registrationToken: OWN_TOKEN });
  new RegistrationToken(imported, 'Second', {
    cluster: imported,
    source: TokenSource.secret({ name: 'second' }),
  });
  expect(Object.keys(written(app)).filter((id) => id.includes('Namespace'))).toHaveLength(1);
  const other = new RancherChart(app, 'other', {
    version: '2.13.8',
    serverUrl: 'https://other.example.com',
  });
  expect(() => new RegistrationToken(other, 'token', { cluster: imported })).toThrow(
    'must be a cluster of Rancher other, not of rancher',
  );
});

test('allows one management cluster ID on two Ranchers', () => {
  const app = newApp();
  for (const site of ['a', 'b']) {
    const rancher = new RancherChart(app, `rancher-${site}`, {
      version: '2.13.8',
      serverUrl: `https://${site}.example.com`,
    });
    new HarvesterImport(rancher, 'import', {
      harvester: newHarvester(app, '1.7.2', site),
      name: 'prod',
      registrationToken: OWN_TOKEN,
    });
  }
  app.synth();
  expect(app.findings.filter(({ level }) => level === 'error')).toEqual([]);
});

test('records the effect of deletion with each object', () => {
  const { app } = importOf({ registrationToken: OWN_TOKEN });
  app.synth();
  const policies = Object.fromEntries(
    assemblyOf(app).objects.map(({ kind, deletion }: any) => [kind, deletion.policy]),
  );
  expect(policies).toEqual({
    Cluster: 'delete',
    Namespace: 'keep',
    Secret: 'delete',
    Setting: 'reset',
  });
  expect(
    assemblyOf(app).objects.find(({ kind }: any) => kind === 'Cluster').deletion.reason,
  ).toContain('never delete its namespace cattle-system');
});

test('refuses an import outside of a Rancher chart', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(() => new HarvesterImport(dc1, 'import', { harvester: dc1 })).toThrow('HarvesterImport');
});
