import {
  NamespaceQuota,
  bytesText,
  checkContainerLimits,
  checkNamespaceKeys,
  checkProjectQuotas,
  checkQuotaLimit,
  checkQuotaSums,
  containerLimitJson,
  cpuText,
  quotaFields,
  quotaJson,
  quotaLimitOf,
} from '../../../src/rancher/quota/quota.check';

const PATHS = { quota: 'quota', namespaceDefault: 'namespaceQuota' };

test.each([
  [2, '2'],
  [0.5, '500m'],
  [1.5, '1500m'],
  [0.0005, '1m'],
  [0, '0'],
  [0.1 + 0.2, '300m'],
])('%d cores are %s', (cores, text) => {
  expect(cpuText(cores)).toBe(text);
});

test.each([
  [128 * 1024 ** 3, '128Gi'],
  [1536 * 1024 ** 2, '1536Mi'],
  [1000, '1000'],
  [0, '0'],
  [1024 ** 5, '1Pi'],
  [1024 ** 6, '1024Pi'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test("writes keys in the order of Rancher's struct, extended ones last and sorted", () => {
  expect(
    quotaJson({
      'limitsMemory': '8Gi',
      'extended.b/y': '1',
      'pods': '5',
      'limitsCpu': '4',
      'extended.a/x': '2',
    }),
  ).toBe(
    '{"limit":{"pods":"5","limitsCpu":"4","limitsMemory":"8Gi","extended":{"a/x":"2","b/y":"1"}}}',
  );
  expect(containerLimitJson({ limitsMemory: '1Gi', requestsCpu: '100m' })).toBe(
    '{"requestsCpu":"100m","limitsMemory":"1Gi"}',
  );
});

test('a quota survives the way into a manifest and back', () => {
  const limit = { 'limitsCpu': '4', 'extended.requests.nvidia.com/gpu': '2' };
  expect(quotaLimitOf(quotaFields(limit))).toEqual(limit);
  expect(
    quotaLimitOf({ pods: 5, limitsCpu: '', limitsMemory: null, secrets: {}, extended: 'x' }),
  ).toEqual({ pods: '5', extended: 'x' });
  expect(quotaLimitOf(null)).toEqual({});
});

test('both quotas of a project name the same resources', () => {
  const problems = checkProjectQuotas(
    PATHS,
    { limitsCpu: '4', pods: '9' },
    { limitsCpu: '2', secrets: '1' },
  );
  expect(problems.map(({ path, says }) => [path, says])).toEqual([
    [
      'namespaceQuota.pods',
      'resource quota and namespace default quota do not have the same resources defined',
    ],
    [
      'quota.secrets',
      'resource quota and namespace default quota do not have the same resources defined',
    ],
  ]);
  expect(checkProjectQuotas(PATHS, { limitsCpu: '4' }, { limitsCpu: '4000m' })).toEqual([]);
  expect(checkProjectQuotas(PATHS, undefined, undefined)).toEqual([]);
});

test('one of both alone is what the server refuses', () => {
  expect(checkProjectQuotas(PATHS, { limitsCpu: '4' }, undefined)[0]).toMatchObject({
    path: 'namespaceQuota',
    says: 'required when resourceQuota is set',
  });
  expect(checkProjectQuotas(PATHS, undefined, { limitsCpu: '4' })[0]).toMatchObject({
    path: 'quota',
  });
});

test('a default must not be larger than the whole, whatever the units', () => {
  expect(
    checkProjectQuotas(
      PATHS,
      { limitsMemory: '1Gi', limitsCpu: '1' },
      { limitsMemory: '1025Mi', limitsCpu: '1000m' },
    ),
  ).toEqual([
    expect.objectContaining({
      path: 'namespaceQuota.limitsMemory',
      value: '1025Mi',
      says: 'namespace default quota limit exceeds project limit on fields: limitsMemory',
    }),
  ]);
});

test('amounts are quantities, not negative, of resources that Rancher knows', () => {
  expect(
    checkQuotaLimit('quota', {
      'limitsCpu': 'much',
      'pods': '-1',
      'cpu': '2',
      'extended.x/y': '1',
      'secrets': '${late:a}',
    }).map(({ path, message }) => [path, message]),
  ).toEqual([
    ['quota.limitsCpu', 'must be a Kubernetes quantity'],
    ['quota.pods', 'must be 0 or more'],
    ['quota.cpu', 'must be a resource that Rancher limits'],
  ]);
});

test('requests of containers must not be larger than their limits', () => {
  expect(
    checkContainerLimits('d', {
      requestsCpu: '2',
      limitsCpu: '1',
      requestsMemory: '1Gi',
      limitsMemory: '1Gi',
    }),
  ).toEqual([
    expect.objectContaining({
      path: 'd.requestsCpu',
      says: 'requestsCpu (2) cannot be greater than limitsCpu (1)',
    }),
  ]);
});

test('refuses namespaces that exceed the project, with the quota of each', () => {
  const namespaces: NamespaceQuota[] = [
    { namespace: 'a', limit: { limitsCpu: '20', pods: '1' } },
    { namespace: 'b', limit: { limitsCpu: '12500m' } },
  ];
  expect(checkQuotaSums('quota', { limitsCpu: '32', pods: '1' }, namespaces)).toEqual([
    expect.objectContaining({
      path: 'quota.limitsCpu',
      value: '32',
      message: "must be at least the sum of the quotas of the project's namespaces: a 20, b 12500m",
    }),
  ]);
  // decimal fractions add up
  const tenths = ['100m', '200m'].map((limitsCpu, index) => ({
    namespace: `n${index}`,
    limit: { limitsCpu },
  }));
  expect(checkQuotaSums('quota', { limitsCpu: '300m' }, tenths)).toEqual([]);
});

test('what the project does not limit is dropped from a namespace', () => {
  expect(
    checkNamespaceKeys('q', { pods: '1', limitsCpu: '1' }, { limitsCpu: '1' }).map(
      ({ path }) => path,
    ),
  ).toEqual(['q.pods']);
});
