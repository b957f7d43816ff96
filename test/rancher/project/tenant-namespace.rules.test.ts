import {
  ID,
  IMPORT,
  Tenancy,
  briefOf,
  findingsOf,
  namespace,
  project,
  tenant,
} from '../../support/tenancy';

const PATH = 'metadata.annotations[field.cattle.io/projectId]';
const QUOTA = 'metadata.annotations[field.cattle.io/resourceQuota]';
const CONTAINERS = 'metadata.annotations[field.cattle.io/containerDefaultResourceLimit]';
const rules = (tenancy: Tenancy) => briefOf('tenant-namespace/', tenancy);
const setting = (url: string) => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'cluster-registration-url' },
  value: JSON.stringify({ url }),
});

test('a Namespace in a project that is declared is in order', () => {
  expect(rules({ rancher: [IMPORT, project()], harvester: [tenant('payments-vms')] })).toEqual([]);
});

test.each(['', 'payments', `${ID}/payments`, ':payments', `${ID}:`, `${ID}:a:b`])(
  'refuses %s as a project ID',
  (id) => {
    expect(rules({ harvester: [tenant('a', id)] })).toEqual([
      `error tenant-namespace/project-id ${PATH}`,
    ]);
  },
);

test('accepts a bad project ID that does not change, as Rancher does', () => {
  const bad = tenant('a', 'payments');
  expect(rules({ harvester: [bad], harvesterBefore: [bad] })).toEqual([]);
  expect(rules({ harvester: [bad], harvesterBefore: [tenant('a', 'other')] })).toContain(
    `error tenant-namespace/project-id ${PATH}`,
  );
});

describe('a project that is nowhere', () => {
  const one = tenant('a', `${ID}:paymnets`);

  test('is an error over the whole program', () => {
    const [error] = findingsOf('tenant-namespace/', {
      rancher: [IMPORT, project()],
      harvester: [one],
    });
    expect(error).toMatchObject({
      rule: 'tenant-namespace/unknown-project',
      level: 'error',
      path: PATH,
      value: `"${ID}:paymnets"`,
    });
    expect(error.message).toBe(
      'must be a declared or live project: otherwise Rancher grants no permissions in the namespace and applies no quota',
    );
    expect(error.fix).toBe(
      `declare Project paymnets in namespace ${ID}, or pass it with --world if it is live`,
    );
  });

  test('may be live', () => {
    expect(rules({ rancher: [IMPORT], live: [project('paymnets')], harvester: [one] })).toEqual([]);
  });

  test('may be one whose name Rancher made up, or of a cluster that is elsewhere', () => {
    expect(rules({ rancher: [IMPORT], harvester: [tenant('a', `${ID}:p-x7k2m`)] })).toEqual([
      `warning tenant-namespace/unknown-project ${PATH}`,
    ]);
    expect(rules({ rancher: [IMPORT], harvester: [tenant('a', 'c-m-other:payments')] })).toEqual([
      `warning tenant-namespace/unknown-project ${PATH}`,
    ]);
  });

  test("is not judged without Rancher's manifests, or with late IDs", () => {
    expect(rules({ harvester: [one] })).toEqual([]);
    expect(rules({ rancher: [IMPORT], harvester: [tenant('a', '${late:id}:payments')] })).toEqual(
      [],
    );
  });
});

describe('the project of another cluster', () => {
  test('gives nothing on the management cluster', () => {
    expect(rules({ rancher: [IMPORT, project(), tenant('a')] })).toEqual([
      `error tenant-namespace/other-cluster ${PATH}`,
    ]);
    expect(rules({ rancher: [IMPORT, tenant('a', 'local:p-abcde')] })).toEqual([]);
  });

  test('gives nothing on a Harvester that is registered by another id', () => {
    const [error] = findingsOf('tenant-namespace/', {
      rancher: [IMPORT, project()],
      harvester: [tenant('a'), setting('https://r.example.com/v3/import/${late:t}_c-m-dc2.yaml')],
    });
    expect(error).toMatchObject({ rule: 'tenant-namespace/other-cluster', level: 'error' });
    expect(error.message).toBe(
      `must be a project of c-m-dc2, the cluster of the namespace, not of ${ID}`,
    );
    expect(
      rules({
        rancher: [IMPORT, project()],
        harvester: [
          tenant('a'),
          setting(`https://r.example.com/v3/import/${'t'.repeat(54)}_${ID}.yaml`),
        ],
      }),
    ).toEqual([]);
    expect(
      rules({
        rancher: [IMPORT, project()],
        harvester: [tenant('a'), setting('https://r.example.com/v3/import/t_${late:id}.yaml')],
      }),
    ).toEqual([]);
  });
});

test('system namespaces belong to no tenant', () => {
  for (const name of ['harvester-system', 'kube-system', 'harvester-public']) {
    expect(rules({ rancher: [IMPORT, project()], harvester: [tenant(name)] })).toEqual([
      `warning tenant-namespace/system ${PATH}`,
    ]);
  }
  expect(rules({ rancher: [IMPORT, project()], harvester: [tenant('default')] })).toEqual([]);
});

test('accepts the projects of system namespaces on a server', () => {
  const read = (name: string, of: string) =>
    namespace(name, { 'field.cattle.io/projectId': of }, { uid: 'a', resourceVersion: '1' });
  expect(
    rules({
      rancher: [IMPORT],
      harvester: [
        read('kube-system', `${ID}:p-abcde`),
        read('harvester-system', `${ID}:p-abcde`),
        read('default', `${ID}:p-fghij`),
      ],
    }),
  ).toEqual([]);
  expect(
    rules({
      rancher: [IMPORT],
      harvester: [tenant('kube-system', `${ID}:p-abcde`)],
      harvesterBefore: [namespace('kube-system')],
    }),
  ).toEqual([
    `warning tenant-namespace/system ${PATH}`,
    `warning tenant-namespace/unknown-project ${PATH}`,
  ]);
});

test('the label alone does nothing', () => {
  const labelled = namespace('a', {}, { labels: { 'field.cattle.io/projectId': 'payments' } });
  expect(rules({ harvester: [labelled] })).toEqual([
    'warning tenant-namespace/label-alone metadata.labels[field.cattle.io/projectId]',
  ]);
});

test('warns of a removed project', () => {
  const [warning] = findingsOf('tenant-namespace/unassigned', {
    harvester: [namespace('a')],
    harvesterBefore: [tenant('a')],
  });
  expect(warning).toMatchObject({ level: 'warning', path: PATH });
  expect(warning.message).toBe(
    `is removed: members of ${ID}:payments lose the namespace with its virtual machines, and its quota is removed`,
  );
  expect(rules({ harvester: [tenant('a', `${ID}:web`)], harvesterBefore: [tenant('a')] })).toEqual([
    `warning tenant-namespace/unassigned ${PATH}`,
  ]);
});

describe('deleting a Namespace', () => {
  test('of the system is refused', () => {
    for (const name of [
      'harvester-system',
      'cattle-system',
      'local',
      'harvester-public',
      'longhorn-system',
    ]) {
      expect(rules({ harvesterBefore: [namespace(name)] })).toEqual([
        'error tenant-namespace/deleted',
      ]);
    }
    expect(rules({ before: [namespace('harvester-public')] })).toEqual([]);
  });

  test('of a tenant warns of what is deleted', () => {
    const [warning] = findingsOf('tenant-namespace/', {
      harvesterBefore: [tenant('payments-vms')],
    });
    expect(warning).toMatchObject({
      rule: 'tenant-namespace/deleted',
      level: 'warning',
      fix: 'keep it, unless this is intended',
    });
    expect(warning.message).toBe(
      `is deleted with everything in it, virtual machines and volumes of ${ID}:payments too`,
    );
    expect(rules({ harvesterBefore: [namespace('other')] })).toEqual([]);
  });
});

describe('quotas', () => {
  const withQuota = (text: string) =>
    tenant('a', undefined, { 'field.cattle.io/resourceQuota': text });
  const limited = project('payments', {
    resourceQuota: { limit: { limitsCpu: '32' } },
    namespaceDefaultResourceQuota: { limit: { limitsCpu: '8' } },
  });

  test.each([
    ['{"limit":', QUOTA],
    ['[]', QUOTA],
    ['{"limitsCpu":"1"}', QUOTA],
    ['{"limit":{"cpu":"1"}}', `${QUOTA}.limit.cpu`],
    ['{"limit":{"limitsCpu":"much"}}', `${QUOTA}.limit.limitsCpu`],
  ])('%s is an error', (text, path) => {
    expect(rules({ rancher: [limited], harvester: [withQuota(text)] })).toContain(
      `error tenant-namespace/quota ${path}`,
    );
  });

  test('limit what the project limits', () => {
    expect(
      rules({
        rancher: [limited],
        harvester: [withQuota('{"limit":{"limitsCpu":"4","pods":"9"}}')],
      }),
    ).toEqual([`warning tenant-namespace/quota-dropped ${QUOTA}.limit.pods`]);
    expect(
      rules({ rancher: [project()], harvester: [withQuota('{"limit":{"limitsCpu":"4"}}')] }),
    ).toEqual([`warning tenant-namespace/quota-dropped ${QUOTA}`]);
    expect(
      rules({
        harvester: [
          namespace('a', { 'field.cattle.io/resourceQuota': '{"limit":{"limitsCpu":"4"}}' }),
        ],
      }),
    ).toEqual([`warning tenant-namespace/quota-dropped ${QUOTA}`]);
  });

  test('of containers request no more than they limit', () => {
    const one = tenant('a', undefined, {
      'field.cattle.io/containerDefaultResourceLimit':
        '{"requestsCpu":"1","limitsCpu":"500m","cpu":"1"}',
    });
    const expected = [
      `error tenant-namespace/containers ${CONTAINERS}.requestsCpu`,
      `warning tenant-namespace/containers ${CONTAINERS}.cpu`,
    ];
    expect(rules({ rancher: [project()], harvester: [one] })).toEqual(expected);
    expect(rules({ rancher: [project()], harvester: [one], version: '2.10.0' })).toEqual(
      expected.map((line) => line.replace('error', 'warning')).sort(),
    );
    expect(
      rules({
        harvester: [
          tenant('a', undefined, { 'field.cattle.io/containerDefaultResourceLimit': 'x' }),
        ],
      }),
    ).toEqual([`error tenant-namespace/containers ${CONTAINERS}`]);
  });
});
