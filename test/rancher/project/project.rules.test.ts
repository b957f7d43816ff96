import { Manifest } from '../../../src/core/manifest/manifest';
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

const rules = (tenancy: Tenancy) => briefOf('project/', tenancy);

test('a Project of a cluster that is declared is in order', () => {
  expect(rules({ rancher: [IMPORT, project()] })).toEqual([]);
});

describe('the cluster of a Project', () => {
  test('is its namespace', () => {
    const [error] = findingsOf('project/cluster', {
      rancher: [project('payments', { clusterName: 'c-m-other' })],
    });
    expect(error).toMatchObject({
      level: 'error',
      path: 'spec.clusterName',
      value: '"c-m-other"',
      fix: 'use the same ID for both',
    });
    expect(error.message).toBe(
      `must be ${ID}, the namespace of the Project (the server: "clusterName and project namespace must match")`,
    );
  });

  test('is named', () => {
    expect(rules({ rancher: [project('payments', { clusterName: undefined })] })).toEqual([
      'error project/cluster spec.clusterName',
    ]);
  });

  test('is known, where clusters are', () => {
    const other = project('payments', { clusterName: 'c-m-other' }, { namespace: 'c-m-other' });
    expect(rules({ rancher: [IMPORT, other] })).toEqual([
      'warning project/unknown-cluster spec.clusterName',
    ]);
    expect(rules({ rancher: [other] })).toEqual([]);
  });
});

describe('the name of a Project', () => {
  test.each(['Payments', 'a.b', 'x'.repeat(64)])('%s can be no Namespace', (name) => {
    expect(rules({ rancher: [project(name)] })).toContain('error project/name metadata.name');
  });

  test('is cut where it makes a long one with the id of the cluster', () => {
    const [warning] = findingsOf('project/name', { rancher: [project('x'.repeat(51))] });
    expect(warning).toMatchObject({ level: 'warning', path: 'metadata.name' });
    expect(warning.fix).toBe('use at most 50 characters, or a shorter management cluster ID');
    expect(rules({ rancher: [project('x'.repeat(50))] })).toEqual([]);
  });

  test('stands alone before 2.9.9', () => {
    expect(rules({ rancher: [project('x'.repeat(60))], version: '2.9.8' })).toEqual([]);
  });
});

test('a Project has a display name', () => {
  expect(rules({ rancher: [project('payments', { displayName: undefined })] })).toEqual([
    'error project/display-name spec.displayName',
  ]);
  expect(rules({ rancher: [project('payments', { displayName: '' })] })).toEqual([
    'warning project/display-name spec.displayName',
  ]);
});

test('what Rancher counts and makes is not written', () => {
  const own = {
    ...project('payments', { resourceQuota: { limit: {}, usedLimit: {} } }),
    status: { backingNamespace: 'x' },
  };
  expect(rules({ rancher: [own] })).toEqual([
    'warning project/server-fields spec.resourceQuota.usedLimit',
    'warning project/server-fields status',
  ]);
  expect(rules({ rancher: [own], live: [own] })).toEqual([]);
});

describe('the backing namespace', () => {
  test('is created by Rancher, or the Project cannot be created', () => {
    const [error] = findingsOf('project/backing', {
      rancher: [project(), namespace(`${ID}-payments`)],
    });
    expect(error).toMatchObject({
      rule: 'project/backing-namespace',
      level: 'error',
      path: 'metadata.name',
      value: `"${ID}-payments"`,
    });
    expect(error.message).toContain(
      `cannot be the namespace that Rancher creates for Project ${ID}/payments`,
    );
    expect(error.object).toMatchObject({ kind: 'Namespace' });
  });

  test('is the bare name in earlier versions', () => {
    expect(rules({ rancher: [project(), namespace('payments')], version: '2.9.8' })).toEqual([
      'error project/backing-namespace metadata.name',
    ]);
    expect(rules({ rancher: [project(), namespace('payments')] })).toEqual([]);
  });

  test('means nothing on another cluster', () => {
    expect(rules({ rancher: [project()], harvester: [namespace(`${ID}-payments`)] })).toEqual([]);
  });

  test('is not removed from an existing Project', () => {
    expect(rules({ rancher: [project(), namespace(`${ID}-payments`)], live: [project()] })).toEqual(
      ['warning project/backing-namespace metadata.name'],
    );
  });
});

describe('creators', () => {
  const creator = (annotations: object, fields = {}) =>
    project('payments', {}, { annotations, ...fields });

  test('exclude no creator', () => {
    expect(
      rules({
        rancher: [
          creator({
            'field.cattle.io/creatorId': 'u-ana',
            'field.cattle.io/no-creator-rbac': 'true',
          }),
        ],
      }),
    ).toEqual(['error project/creator metadata.annotations[field.cattle.io/creatorId]']);
    expect(
      rules({
        rancher: [creator({ 'field.cattle.io/no-creator-rbac': 'true' })],
        version: '2.9.9',
      }),
    ).toEqual([
      'warning project/no-creator-rbac-ignored metadata.annotations[field.cattle.io/no-creator-rbac]',
    ]);
  });

  test('are there for their principal', () => {
    expect(
      rules({ rancher: [creator({ 'field.cattle.io/creator-principal-name': 'local://u-ana' })] }),
    ).toEqual([
      'error project/creator metadata.annotations[field.cattle.io/creator-principal-name]',
    ]);
  });

  test('have their principal, where the User is known', () => {
    const user: Manifest = {
      apiVersion: 'management.cattle.io/v3',
      kind: 'User',
      metadata: { name: 'u-ana' },
      principalIds: ['local://u-ana'],
    };
    const told = (principal: string) =>
      rules({
        rancher: [
          creator({
            'field.cattle.io/creatorId': 'u-ana',
            'field.cattle.io/creator-principal-name': principal,
          }),
          user,
        ],
      }).filter((line) => line.startsWith('error project/'));
    expect(told('local://u-ana')).toEqual([]);
    expect(told('local://u-ben')).toEqual([
      'error project/creator metadata.annotations[field.cattle.io/creator-principal-name]',
    ]);
  });

  test('stay', () => {
    const [now, old] = ['u-ben', 'u-ana'].map((id) => creator({ 'field.cattle.io/creatorId': id }));
    expect(rules({ rancher: [now], before: [old] })).toEqual([
      'error project/creator-changed metadata.annotations[field.cattle.io/creatorId]',
    ]);
    expect(rules({ rancher: [project()], before: [old] })).toEqual([]);
  });
});

describe('edits', () => {
  test('leave the cluster', () => {
    const [error] = findingsOf('project/immutable', {
      rancher: [project('payments', { clusterName: 'c-m-other' })],
      before: [project()],
    });
    expect(error).toMatchObject({ path: 'spec.clusterName' });
    expect(error.message).toBe(`cannot be changed from "${ID}" (the server: "field is immutable")`);
  });

  test('leave what the namespaces have', () => {
    const quota = (limitsCpu: string, usedLimit?: object) =>
      project('payments', {
        resourceQuota: { limit: { limitsCpu }, ...(usedLimit ? { usedLimit } : {}) },
      });
    const before = [quota('32', { limitsCpu: '20' })];
    expect(rules({ rancher: [quota('16000m')], before })).toEqual([
      'error project/quota-below-used spec.resourceQuota.limit.limitsCpu',
    ]);
    expect(rules({ rancher: [quota('20')], before })).toEqual([]);
  });
});

describe('deletions', () => {
  test('spare the System project', () => {
    expect(
      rules({
        before: [
          project(
            'p-abcde',
            {},
            { labels: { 'authz.management.cattle.io/system-project': 'true' } },
          ),
        ],
      }),
    ).toEqual(['error project/system-deleted']);
  });

  test('warn of namespaces that remain', () => {
    const [warning] = findingsOf('project/deleted', {
      before: [project()],
      harvester: [tenant('payments-vms')],
    });
    expect(warning).toMatchObject({
      level: 'warning',
      fix: 'move them to another project, or delete them',
    });
    expect(warning.message).toBe('is deleted but still has namespaces: payments-vms');
    expect(rules({ before: [project()] })).toEqual([]);
  });
});

describe('two projects with one namespace for their bindings', () => {
  const on = (cluster: string, name: string) => ({
    ...project(name),
    metadata: { name, namespace: cluster },
    spec: { displayName: name, clusterName: cluster },
  });

  test('are refused: the second one', () => {
    const [error, ...more] = findingsOf('project/backing-namespace-shared', {
      rancher: [on('c-m-a', 'b-x'), on('c-m-a-b', 'x')],
    });
    expect(more).toEqual([]);
    expect(error).toMatchObject({
      level: 'error',
      object: { name: 'x' },
      path: 'metadata.name',
      fix: 'choose another name',
    });
    expect(error.message).toContain('cannot have the namespace c-m-a-b-x of Project c-m-a/b-x');
    expect(
      findingsOf('project/backing-namespace-shared', {
        rancher: [on('c-m-a', 'x'), on('c-m-b', 'x')],
      }),
    ).toEqual([]);
  });

  test('share it in earlier versions, where it has the name of the project alone', () => {
    const both = [on('c-m-a', 'x'), on('c-m-b', 'x')];
    const [warning] = findingsOf('project/backing-namespace-shared', {
      rancher: both,
      version: '2.9.8',
    });
    expect(warning).toMatchObject({ level: 'warning', object: { namespace: 'c-m-b', name: 'x' } });
    expect(warning.message).toBe(
      'shares the namespace x with Project c-m-a/x: users who see the bindings of one see those of the other',
    );
  });

  test('that is live already counts first', () => {
    expect(
      findingsOf('project/backing-namespace-shared', {
        rancher: [on('c-m-a', 'b-x')],
        live: [on('c-m-a-b', 'x')],
      }),
    ).toHaveLength(1);
    expect(
      findingsOf('project/backing-namespace-shared', {
        rancher: [on('c-m-a', 'x')],
        live: [on('c-m-a', 'x')],
      }),
    ).toEqual([]);
  });
});
