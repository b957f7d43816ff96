import { Manifest } from '../../../src/core/manifest/manifest';
import { VALUE_RULES } from '../../../src/core/shape/shape.rules';
import { PROVISIONING_CLUSTER_RULES } from '../../../src/rancher/cluster/provisioning-cluster.rules';
import { Judging, brief, cluster, judgeOn, managementCluster } from '../../support/judging';

const ID = 'provisioning.cattle.io/management-cluster-name';
const NO_RBAC = 'field.cattle.io/no-creator-rbac';
const CREATOR = 'field.cattle.io/creatorId';
const PRINCIPAL = 'field.cattle.io/creator-principal-name';

const findings = (manifests: Manifest[], judging?: Judging) =>
  judgeOn(PROVISIONING_CLUSTER_RULES, manifests, judging);
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));
const update = (before: Manifest, after: Manifest, judging: Judging = {}) =>
  rules([after], { before: [before], live: [before], ...judging });

test('an import as it should be has no finding', () => {
  const dc1 = cluster(
    'dc1',
    {},
    {
      labels: { 'provider.cattle.io': 'harvester' },
      annotations: { [ID]: 'c-m-harvdc01', [NO_RBAC]: 'true' },
    },
  );
  expect(rules([dc1], { version: '2.13.8' })).toEqual([]);
  expect(rules([dc1])).toEqual([]);
});

describe('name', () => {
  test.each(['a', '-dc1', 'Dc1', 'dc.1', 'dc_1', 'x'.repeat(64), 'local', 'c-abcde'])(
    '%s is refused at creation',
    (name) => {
      const [finding] = findings([cluster(name)]).filter(({ rule }) => rule === 'cluster/name');
      expect(finding).toMatchObject({ level: 'error', path: 'metadata.name' });
      expect(finding?.message).toContain('cluster name must be between 2 and 63 characters');
    },
  );

  test('a name that the server makes up is not judged, a missing one is not shown', () => {
    expect(rules([cluster('', {}, { generateName: 'cl-' })])).toEqual([]);
    const [finding] = findings([cluster('')]);
    expect(finding).toMatchObject({ rule: 'cluster/name', level: 'error' });
    expect(finding).not.toHaveProperty('value');
  });

  test.each(['dc', 'c-abcdef', 'c-abcd', 'x'.repeat(63), '0dc'])('%s is fine', (name) => {
    expect(rules([cluster(name)])).toEqual([]);
  });

  test('a name that exists is not asked again', () => {
    expect(rules([cluster('c-abcde')], { live: [cluster('c-abcde')] })).toEqual([]);
  });

  test('accepts a legacy name with its management cluster', () => {
    expect(rules([cluster('c-abcde')], { live: [managementCluster('c-abcde')] })).toEqual([]);
  });

  test('accepts local in fleet-local', () => {
    expect(rules([cluster('local', {}, { namespace: 'fleet-local' })])).toEqual([]);
  });
});

describe('namespace', () => {
  test('warns of a namespace that is not a known Fleet workspace', () => {
    expect(rules([cluster('dc1', {}, { namespace: 'elsewhere' })])).toEqual([
      'warning cluster/namespace metadata.namespace',
    ]);
  });

  test('a workspace of the program is fine', () => {
    const workspace = {
      apiVersion: 'management.cattle.io/v3',
      kind: 'FleetWorkspace',
      metadata: { name: 'elsewhere' },
    };
    expect(rules([cluster('dc1', {}, { namespace: 'elsewhere' }), workspace])).toEqual([]);
  });
});

describe('creator annotations', () => {
  const annotated = (annotations: object) => cluster('dc1', {}, { annotations });

  test('creatorId and no-creator-rbac exclude each other from 2.10 on', () => {
    expect(
      rules([annotated({ [NO_RBAC]: 'true', [CREATOR]: 'u-ana' })], { version: '2.13.8' }),
    ).toEqual([`error cluster/creator-and-none metadata.annotations[${CREATOR}]`]);
    expect(
      rules([annotated({ [NO_RBAC]: 'true', [CREATOR]: 'u-ana' })], { version: '2.9.12' }),
    ).toEqual([`warning cluster/no-creator-rbac-ignored metadata.annotations[${NO_RBAC}]`]);
  });

  test('what annotations say is not shown', () => {
    const all = [
      ...findings([
        annotated({ [CREATOR]: 'u-secret', [PRINCIPAL]: 'local://u-secret' }),
        cluster('dc2', {}, { annotations: { [PRINCIPAL]: 'local://u-secret', [NO_RBAC]: 'true' } }),
      ]),
      ...findings([annotated({ [CREATOR]: 'u-secret' })], { before: [annotated({})] }),
    ];
    expect(new Set(all.map(({ rule }) => rule))).toEqual(
      new Set(['cluster/creator-replaced', 'cluster/creator-principal', 'cluster/creator-changed']),
    );
    expect(JSON.stringify(all)).not.toContain('u-secret');
  });

  test('a creatorId at creation is replaced, so it is a warning', () => {
    expect(rules([annotated({ [CREATOR]: 'u-ana' })])).toEqual([
      `warning cluster/creator-replaced metadata.annotations[${CREATOR}]`,
    ]);
  });

  test('a creatorId may be kept or removed, not changed or added', () => {
    expect(update(annotated({ [CREATOR]: 'u-ana' }), annotated({ [CREATOR]: 'u-ana' }))).toEqual(
      [],
    );
    expect(update(annotated({ [CREATOR]: 'u-ana' }), annotated({}))).toEqual([]);
    expect(update(annotated({ [CREATOR]: 'u-ana' }), annotated({ [CREATOR]: 'u-bob' }))).toEqual([
      `error cluster/creator-changed metadata.annotations[${CREATOR}]`,
    ]);
    expect(update(annotated({}), annotated({ [CREATOR]: 'u-bob' }))).toEqual([
      `error cluster/creator-changed metadata.annotations[${CREATOR}]`,
    ]);
    expect(update(annotated({}), annotated({ [NO_RBAC]: 'true' }))).toEqual([
      `warning cluster/creator-changed metadata.annotations[${NO_RBAC}]`,
    ]);
  });

  test('a principal without a creator never becomes a management cluster', () => {
    expect(rules([annotated({ [NO_RBAC]: 'true', [PRINCIPAL]: 'local://u-ana' })])).toEqual([
      `error cluster/creator-principal metadata.annotations[${PRINCIPAL}]`,
    ]);
  });
});

describe('agent variables', () => {
  const env = (...agentEnvVars: object[]) => cluster('dc1', { agentEnvVars });

  test.each(['NO_PROXY', 'no_proxy', 'No_Proxy'])('%s with a space is refused', (name) => {
    const [finding] = findings([env({ name, value: '10.0.0.0/8, .svc' })], { version: '2.12.0' });
    expect(finding).toMatchObject({
      rule: 'cluster/no-proxy',
      level: 'error',
      path: 'spec.agentEnvVars[0].value',
    });
    expect(finding?.message).toContain('Malformed NO_PROXY environment variable value format');
    expect(JSON.stringify(finding)).not.toContain('.svc');
  });

  test.each([undefined, '2.11.16'])('a Rancher %s may take spaces', (version) => {
    expect(rules([env({ name: 'NO_PROXY', value: 'a, b' })], { version })).toEqual([
      'warning cluster/no-proxy spec.agentEnvVars[0].value',
    ]);
  });

  test('the server looks at the first one and for blanks only', () => {
    expect(
      rules([env({ name: 'NO_PROXY', value: 'a,b' }, { name: 'no_proxy', value: 'a, b' })]),
    ).toEqual(['warning cluster/no-proxy spec.agentEnvVars[1].value']);
    expect(rules([env({ name: 'NO_PROXY', value: 'a,\tb' })])).toEqual([
      'warning cluster/no-proxy spec.agentEnvVars[0].value',
    ]);
  });

  test('only warns of blanks that the server has already', () => {
    const before = env({ name: 'NO_PROXY', value: 'a, b' });
    expect(update(before, before)).toEqual(['warning cluster/no-proxy spec.agentEnvVars[0].value']);
    expect(
      update(env({ name: 'NO_PROXY', value: 'a,b' }), before, { version: '2.13.8' }),
    ).toContain('error cluster/no-proxy spec.agentEnvVars[0].value');
  });

  test('refuses variables without name or text', () => {
    expect(
      rules([
        env(
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
          { name: 'B', valueFrom: {} },
          { name: 'C', value: 1 },
          { name: '' },
        ),
      ]),
    ).toEqual([
      'error cluster/agent-env-vars spec.agentEnvVars[2].valueFrom',
      'error cluster/agent-env-vars spec.agentEnvVars[3].value',
      'error cluster/agent-env-vars spec.agentEnvVars[4].name',
      'warning cluster/agent-env-vars spec.agentEnvVars[1].name',
    ]);
  });

  test('warns of a variable without a name in an edit that Rancher does not read', () => {
    const before = env({ name: 'A', value: '1' });
    const after = env({ name: '', value: '1' });
    const [level, name] = ['warning', 'cluster/agent-env-vars spec.agentEnvVars[0].name'];
    expect(update(before, after, { version: '2.15.0' })).toContain(`${level} ${name}`);
    expect(update(before, after, { version: '2.10.3' })).toContain(`error ${name}`);
    const provisioned = (manifest: Manifest): Manifest => ({
      ...manifest,
      spec: { ...(manifest.spec as object), rkeConfig: {} },
    });
    expect(update(provisioned(before), provisioned(after), { version: '2.15.0' })).toContain(
      `error ${name}`,
    );
  });

  test('refuses a variable of another type in each edit', () => {
    const before = env({ name: 'A', value: '1' });
    expect(update(before, env({ name: 'A', value: 1 }), { version: '2.15.0' })).toContain(
      'error cluster/agent-env-vars spec.agentEnvVars[0].value',
    );
  });

  test('what may be a password is shown by nothing', () => {
    const shown = JSON.stringify(
      findings([
        env(
          { name: 'PASSWORD', value: 123456789 },
          { name: 'X=hunter2' },
          { name: 'X=hunter2' },
          { 'name': 'A', 'B=hunter2': 1 },
          { name: 424242 },
          { name: 'O', value: { a: 'hunter2' } },
        ),
      ]),
    );
    expect(shown).toContain('spec.agentEnvVars[0].value');
    expect(shown).not.toMatch(/123456789|hunter2|424242/);
  });

  test('a proxy needs NO_PROXY', () => {
    expect(
      rules([env({ name: 'A', value: 'a' }, { name: 'HTTPS_PROXY', value: 'http://proxy:3128' })]),
    ).toEqual(['warning cluster/no-proxy spec.agentEnvVars[1]']);
    expect(
      rules([
        env(
          { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
          { name: 'NO_PROXY', value: '.svc' },
        ),
      ]),
    ).toEqual([]);
    expect(rules([env({ name: 'HTTPS_PROXY', value: '' })])).toEqual([]);
  });

  test('a name in two cases is two variables', () => {
    expect(rules([env({ name: 'PROXY', value: 'a' }, { name: 'proxy', value: 'a' })])).toEqual([]);
  });
});

describe('agents', () => {
  const agent = (customization: object, field = 'clusterAgentDeploymentCustomization') =>
    cluster('dc1', { [field]: customization });
  const scheduling = (schedulingCustomization: object) => agent({ schedulingCustomization });
  const path = 'spec.clusterAgentDeploymentCustomization';
  const feature = (value: boolean | null, byDefault?: boolean): Manifest => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Feature',
    metadata: { name: 'cluster-agent-scheduling-customization' },
    spec: { value },
    ...(byDefault === undefined ? {} : { status: { default: byDefault } }),
  });
  const enabled = { version: '2.13.8', live: [feature(true)] };

  test.each([
    [[{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }], undefined],
    [[{ operator: 'Exists' }], 'name part must be non-empty'],
    [[{ key: 'a b' }], 'name part must consist of'],
    [[{ key: '/a' }], 'prefix part must be non-empty'],
  ])('tolerations %j', (appendTolerations, says) => {
    const [finding] = findings([agent({ appendTolerations })]);
    if (says === undefined) {
      expect(finding).toBeUndefined();
    } else {
      expect(finding).toMatchObject({
        rule: 'cluster/agent-placement',
        level: 'error',
        path: `${path}.appendTolerations[0].key`,
      });
      expect(finding?.message).toContain(says);
    }
  });

  test('affinities', () => {
    const overrideAffinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: '-bad', operator: 'Exists' }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
          },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'a',
              labelSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] },
            },
          },
        ],
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'a', namespaceSelector: { matchLabels: { app: 'not ok' } } },
        ],
      },
    };
    const at = 'spec.fleetAgentDeploymentCustomization.overrideAffinity';
    expect(rules([agent({ overrideAffinity }, 'fleetAgentDeploymentCustomization')])).toEqual([
      `error cluster/agent-placement ${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key`,
      `error cluster/agent-placement ${at}.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values`,
      `error cluster/agent-placement ${at}.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchLabels[app]`,
    ]);
  });

  test('resources', () => {
    const at = `${path}.overrideResourceRequirements`;
    expect(
      rules([
        agent({
          overrideResourceRequirements: {
            requests: { cpu: '1', memory: '1Gi' },
            limits: { cpu: '500m', memory: '1024Mi' },
          },
        }),
      ]),
    ).toEqual([`warning cluster/agent-resources ${at}.requests.cpu`]);
    expect(rules([agent({ overrideResourceRequirements: { limits: { cpu: 'two' } } })])).toEqual([
      `error cluster/agent-resources ${at}.limits.cpu`,
    ]);
  });

  test.each([
    [{ minAvailable: '1' }, undefined],
    [{ maxUnavailable: '50%', minAvailable: '0' }, undefined],
    [{ minAvailable: '1', maxUnavailable: '1' }, ''],
    [{ minAvailable: '0', maxUnavailable: '0' }, ''],
    [{}, ''],
    [{ minAvailable: '101%' }, '.minAvailable'],
    [{ maxUnavailable: '-1' }, '.maxUnavailable'],
    [{ maxUnavailable: 1 }, '.maxUnavailable'],
  ])('budget %j', (podDisruptionBudget, at) => {
    expect(rules([scheduling({ podDisruptionBudget })], enabled)).toEqual(
      at === undefined
        ? []
        : [
            `error cluster/agent-scheduling ${path}.schedulingCustomization.podDisruptionBudget${at}`,
          ],
    );
  });

  test('what only a structural definition refuses is a warning without a version', () => {
    const told = (version?: string) =>
      brief(
        judgeOn(
          [...PROVISIONING_CLUSTER_RULES, ...VALUE_RULES],
          [scheduling({ podDisruptionBudget: { minAvailable: '0%' } })],
          { live: [feature(true)], version },
        ),
      );
    const at = `object/field-limit ${path}.schedulingCustomization.podDisruptionBudget.minAvailable`;
    expect([told(), told('2.11.16'), told('2.13.8')]).toEqual([
      [`warning ${at}`],
      [],
      [`error ${at}`],
    ]);
  });

  test.each([
    [{ value: 1_000_000_000, preemptionPolicy: 'Never' }, undefined],
    [{ value: 1_000_000_001 }, '.value'],
    [{ value: -1_000_000_001 }, '.value'],
    [{ value: 1.5 }, '.value'],
    [{ value: 1, preemptionPolicy: 'Always' }, '.preemptionPolicy'],
    [{ value: 1, preemptionPolicy: '' }, undefined],
  ])('priority class %j', (priorityClass, at) => {
    expect(rules([scheduling({ priorityClass })], enabled)).toEqual(
      at === undefined
        ? []
        : [`error cluster/agent-scheduling ${path}.schedulingCustomization.priorityClass${at}`],
    );
  });

  test('the feature is off by default, and what it is live is not known here', () => {
    const one = scheduling({ podDisruptionBudget: { minAvailable: '1' } });
    const at = `${path}.schedulingCustomization.podDisruptionBudget`;
    expect(rules([one], { version: '2.13.8' })).toEqual([`warning cluster/agent-scheduling ${at}`]);
    expect(rules([one, feature(false)], { version: '2.13.8' })).toEqual([
      `error cluster/agent-scheduling ${at}`,
    ]);
    expect(rules([one], { version: '2.13.8', live: [feature(null, false)] })).toEqual([
      `error cluster/agent-scheduling ${at}`,
    ]);
    expect(rules([one], { version: '2.13.8', live: [feature(null, true)] })).toEqual([]);
  });

  test('accepts unchanged and removed fields while the feature is off', () => {
    const [one, two] = ['1', '2'].map((minAvailable) =>
      scheduling({ podDisruptionBudget: { minAvailable } }),
    );
    const off = { version: '2.10.12', live: [feature(false)] };
    const on211 = { ...off, version: '2.13.8' };
    expect(rules([one!], { ...on211, before: [one!] })).toEqual([]);
    expect(
      findings([two!], { ...on211, before: [one!] })
        .filter(({ level }) => level === 'error')
        .map(({ message }) => message)[0],
    ).toContain('will only permit removal of Scheduling Customization fields until reenabled');
    expect(rules([one!], off)).toEqual([
      `error cluster/agent-scheduling ${path}.schedulingCustomization`,
    ]);
  });

  test('webhook customization', () => {
    const webhook = (webhookDeploymentCustomization: object) =>
      cluster('dc1', { webhookDeploymentCustomization });
    const at = 'spec.webhookDeploymentCustomization';
    expect(
      rules([webhook({ replicaCount: 2, podDisruptionBudget: { minAvailable: '1' } })], {
        version: '2.15.0',
      }),
    ).toEqual([]);
    expect(
      rules([webhook({ replicaCount: 0, podDisruptionBudget: {} })], { version: '2.15.0' }),
    ).toEqual([
      `error cluster/webhook-customization ${at}.podDisruptionBudget`,
      `error cluster/webhook-customization ${at}.replicaCount`,
    ]);
    const [finding] = findings([webhook({ replicaCount: 2 })], { version: '2.13.8' });
    expect(finding).toMatchObject({
      rule: 'cluster/webhook-customization',
      level: 'error',
      path: at,
    });
    expect(finding?.message).toContain('unknown field');
  });
});

describe('edits', () => {
  test('refuses to add or remove rkeConfig', () => {
    expect(
      update(
        cluster('dc1'),
        cluster('dc1', { rkeConfig: {}, kubernetesVersion: 'v1.33.6+rke2r1' }),
      ),
    ).toEqual(['error cluster/rke-config-changed spec.rkeConfig']);
    expect(update(cluster('dc1', { rkeConfig: {} }), cluster('dc1', { rkeConfig: null }))).toEqual([
      'error cluster/rke-config-changed spec.rkeConfig',
    ]);
    const local = (spec: object) => cluster('local', spec, { namespace: 'fleet-local' });
    expect(update(local({}), local({ rkeConfig: {} }))).toEqual([]);
  });

  test('an edit of an import does nothing from 2.11 on', () => {
    const before = {
      ...cluster(
        'dc1',
        { localClusterAuthEndpoint: {} },
        { annotations: { 'objectset.rio.cattle.io/hash': 'x' } },
      ),
      status: { ready: true },
    };
    const after = cluster(
      'dc1',
      { agentEnvVars: [{ name: 'A', value: '1' }] },
      { labels: { a: 'b' } },
    );
    const [finding] = findings([after], { before: [before], version: '2.13.8' });
    expect(finding).toMatchObject({
      rule: 'cluster/import-create-only',
      level: 'warning',
      path: 'spec.agentEnvVars',
    });
    expect(finding?.message).toContain('(spec.agentEnvVars, metadata.labels.a)');
    expect(update(before, after, { version: '2.10.12' })).toEqual([]);
    expect(update(before, cluster('dc1', {}), { version: '2.13.8' })).toEqual([]);
  });

  test('local is never deleted', () => {
    const before = [cluster('local', {}, { namespace: 'fleet-local' }), cluster('dc1')];
    expect(rules([], { before })).toEqual(['error cluster/local-deleted']);
  });
});

test('an auth endpoint of an import is ignored', () => {
  expect(rules([cluster('dc1', { localClusterAuthEndpoint: { enabled: true } })])).toEqual([
    'warning cluster/auth-endpoint-import spec.localClusterAuthEndpoint',
  ]);
});
