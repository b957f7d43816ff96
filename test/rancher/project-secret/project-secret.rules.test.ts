import { ID, IMPORT, Tenancy, briefOf, findingsOf, project, tenant } from '../../support/tenancy';

const LABEL = 'management.cattle.io/project-scoped-secret';
const rules = (tenancy: Tenancy) => briefOf('project-secret/', tenancy);
const secret = (
  namespace: string,
  {
    labels = { [LABEL]: 'payments' },
    annotations = {},
    name = 'database',
  }: { labels?: object; annotations?: object; name?: string } = {},
) =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels, annotations },
    type: 'Opaque',
  }) as never;
const COPY = { annotations: { 'management.cattle.io/project-scoped-secret-copy': 'true' } };

test('a Secret in the namespace of its project is in order', () => {
  expect(
    rules({
      rancher: [IMPORT, project(), secret(`${ID}-payments`)],
      harvester: [tenant('payments-vms')],
    }),
  ).toEqual([]);
});

test('elsewhere it is not copied', () => {
  const [error] = findingsOf('project-secret/', {
    rancher: [IMPORT, project(), secret('fleet-default')],
  });
  expect(error).toMatchObject({
    rule: 'project-secret/namespace',
    level: 'error',
    path: 'metadata.namespace',
  });
  expect(error.message).toBe(
    `must be ${ID}-payments, the namespace of Project payments: elsewhere the Secret is not copied`,
  );
  expect(rules({ rancher: [IMPORT, project(), secret('payments')] })).toEqual([
    'warning project-secret/namespace metadata.namespace',
  ]);
});

test('finds nothing for unknown projects, late names, copies, and other clusters', () => {
  expect(rules({ rancher: [IMPORT, secret('fleet-default')] })).toEqual([]);
  expect(
    rules({
      rancher: [IMPORT, project(), secret('${late:x}'), secret('fleet-default', COPY)],
      harvester: [secret('payments-vms')],
    }),
  ).toEqual([]);
});

test('Rancher overwrites a Secret of its name, except for its own copies', () => {
  const of = (other: unknown) =>
    rules({
      rancher: [IMPORT, project(), secret(`${ID}-payments`)],
      harvester: [tenant('payments-vms'), other as never],
    });
  expect(of(secret('payments-vms', { labels: {} }))).toEqual([
    'error project-secret/overwrites metadata.name',
  ]);
  expect([
    of(secret('payments-vms', COPY)),
    of(secret('payments-vms', { labels: {}, name: 'other' })),
    of(secret('elsewhere', { labels: {} })),
  ]).toEqual([[], [], []]);
});
