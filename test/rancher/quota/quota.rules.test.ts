import { ID, Tenancy, briefOf, findingsOf, project, tenant } from '../../support/tenancy';

const rules = (tenancy: Tenancy) => briefOf('quota/', tenancy);
const quota = (whole?: object, namespaceDefault?: object, rest: object = {}) =>
  project('payments', {
    ...(whole ? { resourceQuota: { limit: whole } } : {}),
    ...(namespaceDefault ? { namespaceDefaultResourceQuota: { limit: namespaceDefault } } : {}),
    ...rest,
  });
const own = (limit: object) => ({ 'field.cattle.io/resourceQuota': JSON.stringify({ limit }) });

describe('the quota of a Project', () => {
  test('needs a default for namespaces', () => {
    const [error] = findingsOf('quota/', { rancher: [quota({ limitsCpu: '32' })] });
    expect(error).toMatchObject({
      rule: 'quota/project',
      level: 'error',
      path: 'spec.namespaceDefaultResourceQuota',
    });
    expect(error.message).toContain('required when resourceQuota is set');
    expect(rules({ rancher: [quota(undefined, { limitsCpu: '1' })] })).toEqual([
      'error quota/project spec.resourceQuota',
    ]);
  });

  test.each([
    [
      { limitsCpu: '32', limitsMemory: '1Gi' },
      { limitsCpu: '4' },
      'spec.namespaceDefaultResourceQuota.limit.limitsMemory',
    ],
    [{ limitsCpu: '32' }, { limitsCpu: '4', pods: '3' }, 'spec.resourceQuota.limit.pods'],
    [
      { limitsCpu: '32' },
      { limitsCpu: '33000m' },
      'spec.namespaceDefaultResourceQuota.limit.limitsCpu',
    ],
    [
      { limitsCpu: '-1' },
      { limitsCpu: '-1' },
      'spec.namespaceDefaultResourceQuota.limit.limitsCpu',
    ],
  ])('%j with default %j is refused', (whole, namespaceDefault, path) => {
    expect(rules({ rancher: [quota(whole, namespaceDefault)] })).toContain(
      `error quota/project ${path}`,
    );
  });

  test('limits what Rancher knows, by quantities', () => {
    expect(rules({ rancher: [quota({ cpus: '1' }, { cpus: '1' })] })).toEqual([
      'error quota/project spec.namespaceDefaultResourceQuota.limit.cpus',
      'error quota/project spec.resourceQuota.limit.cpus',
    ]);
    expect(rules({ rancher: [quota({ limitsMemory: '8 GB' }, { limitsMemory: '1Gi' })] })).toEqual([
      'error quota/project spec.resourceQuota.limit.limitsMemory',
    ]);
  });

  test('accepts the same amount in different units', () => {
    expect(
      rules({
        rancher: [
          quota(
            { limitsCpu: '32000m', limitsMemory: '131072Mi' },
            { limitsCpu: '32', limitsMemory: '128Gi' },
          ),
        ],
      }),
    ).toEqual([]);
  });

  test('limits other resources from 2.14 on', () => {
    const extended = { extended: { 'requests.nvidia.com/gpu': '2' } };
    expect(rules({ rancher: [quota(extended, extended)] })).toEqual([
      'error quota/extended spec.namespaceDefaultResourceQuota.limit.extended',
      'error quota/extended spec.resourceQuota.limit.extended',
    ]);
    expect(rules({ rancher: [quota(extended, extended)], version: '2.14.0' })).toEqual([]);
  });
});

test('defaults of containers request no more than they limit', () => {
  const limits = {
    requestsCpu: '1',
    limitsCpu: '500m',
    requestsMemory: '1Mi',
    limitsMemory: '1Mi',
  };
  expect(
    rules({ rancher: [quota(undefined, undefined, { containerDefaultResourceLimit: limits })] }),
  ).toEqual(['error quota/containers spec.containerDefaultResourceLimit.requestsCpu']);
  const [refused] = findingsOf('quota/containers', {
    rancher: [quota(undefined, undefined, { containerDefaultResourceLimit: limits })],
  });
  // seen on Rancher 2.15.0
  expect(refused!.message).toContain('requested CPU 1 is greater than limit 500m');
});

test('defaults of containers may be some of the four, but not negative', () => {
  const judged = (containerDefaultResourceLimit: object): string[] =>
    rules({ rancher: [quota(undefined, undefined, { containerDefaultResourceLimit })] });
  // Rancher 2.15.0 accepts both, and then cannot write the LimitRange of the second
  expect(judged({ limitsCpu: '1' })).toEqual([]);
  expect(judged({ requestsCpu: '-1' })).toEqual([
    'error quota/containers spec.containerDefaultResourceLimit.requestsCpu',
  ]);
});

describe('the sum of the namespaces', () => {
  const whole = quota({ limitsCpu: '32' }, { limitsCpu: '8' });

  test('is no more than the Project, those with the default counted', () => {
    const [error] = findingsOf('quota/sum', {
      rancher: [whole],
      harvester: [tenant('a', undefined, own({ limitsCpu: '28' })), tenant('b')],
    });
    expect(error).toMatchObject({
      level: 'error',
      path: 'spec.resourceQuota.limit.limitsCpu',
      value: '"32"',
    });
    expect(error.message).toContain(
      "must be at least the sum of the quotas of the project's namespaces: a 28, b 8",
    );
    expect(error.object).toMatchObject({ kind: 'Project', name: 'payments' });
    expect(
      rules({
        rancher: [whole],
        harvester: [tenant('a', undefined, own({ limitsCpu: '24' })), tenant('b')],
      }),
    ).toEqual([]);
  });

  test('counts only what is in the project, and what its default limits', () => {
    expect(
      rules({
        rancher: [whole],
        harvester: [
          tenant('a', undefined, own({ pods: '99' })),
          tenant('b', `${ID}:other`, own({ limitsCpu: '99' })),
        ],
      }),
    ).toEqual([]);
  });

  test('is reported at one namespace if the Project is live', () => {
    const [first, ...more] = findingsOf('quota/sum', {
      live: [whole],
      harvester: [tenant('a', undefined, own({ limitsCpu: '28' })), tenant('b')],
    });
    expect(more).toEqual([]);
    expect(first).toMatchObject({ object: { kind: 'Namespace', name: 'a' }, path: '' });
    expect(first.message).toMatch(
      /^is in a project whose spec\.resourceQuota\.limit\.limitsCpu must be at least/,
    );
  });

  test('is not judged for late values', () => {
    expect(
      rules({
        rancher: [whole],
        harvester: [tenant('a', undefined, { 'field.cattle.io/resourceQuota': '${late:x}' })],
      }),
    ).toEqual([]);
  });
});
