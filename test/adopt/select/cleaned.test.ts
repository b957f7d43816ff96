import { cleaned } from '../../../src/adopt/select/cleaned';
import { Manifest, annotationsOf, labelsOf } from '../../../src/core/manifest/manifest';
import { withFamilies } from '../../support/recordings';

const withMetadata = (kind: string, metadata: object, body: object = {}): Manifest =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, ...body }) as Manifest;

test('drops what servers write of every object', () => {
  expect(
    cleaned(
      withMetadata(
        'ConfigMap',
        {
          namespace: 'shop',
          uid: 'u',
          resourceVersion: '1',
          generation: 1,
          creationTimestamp: 'x',
          managedFields: [],
          finalizers: ['x'],
          ownerReferences: [],
          generateName: 'a-',
        },
        { data: { a: '1' }, status: { x: 1 } },
      ),
    ),
  ).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop' },
    data: { a: '1' },
  });
});

test('drops the labels and annotations of controllers and tools, and keeps those of users', () => {
  const {
    metadata: { labels, annotations },
  } = cleaned(
    withMetadata('ConfigMap', {
      labels: {
        'team': 'a',
        'objectset.rio.cattle.io/hash': 'x',
        'cattle.io/creator': 'norman',
        'app.kubernetes.io/managed-by': 'Helm',
        'applyset.kubernetes.io/part-of': 'x',
      },
      annotations: {
        'field.cattle.io/description': 'Shop',
        'field.cattle.io/publicEndpoints': '[]',
        'lifecycle.cattle.io/create.x': 'true',
        'cattle.io/timestamp': 'x',
        'objectset.rio.cattle.io/owner-name': 'x',
        'meta.helm.sh/release-name': 'x',
        'meta.helm.sh/release-namespace': 'y',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'field.cattle.io/no-creator-rbac': 'true',
        'field.cattle.io/creatorId': 'u-ana',
      },
    }),
  );
  expect(labels).toEqual({ team: 'a' });
  expect(annotations).toEqual({
    'field.cattle.io/description': 'Shop',
    'field.cattle.io/no-creator-rbac': 'true',
  });
});

test('keeps a label of Helm that its user wrote, and drops maps that are empty then', () => {
  expect(
    cleaned(
      withMetadata('ConfigMap', {
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'cattle.io/status': 'x' },
      }),
    ).metadata,
  ).toEqual({ name: 'a', labels: { 'app.kubernetes.io/managed-by': 'Helm' } });
});

test('drops the project label of a Namespace that Rancher copied from the annotation', () => {
  const copied = (annotation: string): Manifest =>
    cleaned(
      withMetadata(
        'Namespace',
        {
          labels: { 'field.cattle.io/projectId': 'p-1', 'kubernetes.io/metadata.name': 'a' },
          annotations: { 'field.cattle.io/projectId': annotation },
        },
        { spec: { finalizers: ['kubernetes'] } },
      ),
    );
  expect(copied('c-1:p-1')).toEqual({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'a', annotations: { 'field.cattle.io/projectId': 'c-1:p-1' } },
  });
  expect(copied('c-1:p-2').metadata.labels).toEqual({ 'field.cattle.io/projectId': 'p-1' });
});

test('drops fields of a kind that only servers write', () => {
  expect(
    cleaned(
      withMetadata(
        'Service',
        {},
        { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [] } },
      ),
    ).spec,
  ).toEqual({ ports: [] });
  expect(
    cleaned(withMetadata('Service', {}, { spec: { clusterIP: 'None', clusterIPs: ['None'] } }))
      .spec,
  ).toEqual({ clusterIP: 'None', clusterIPs: ['None'] });
  expect(
    cleaned({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'a' },
      value: 'x',
      default: 'y',
      source: '',
      customized: false,
    }),
  ).toEqual({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'a' },
    value: 'x',
  });
});

test('drops nulls, and keeps empty maps and lists, which may mean something', () => {
  expect(
    cleaned(
      withMetadata(
        'Pod',
        {},
        { spec: { a: null, volumes: [{ emptyDir: {}, x: null }], list: [], text: '' } },
      ),
    ).spec,
  ).toEqual({ volumes: [{ emptyDir: {} }], list: [], text: '' });
});

test('keeps the Secret that a registration token names in its status', () => {
  const token = cleaned({
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata: { name: 'a' },
    status: { token: 'hush', tokenSecretName: 's' },
  });
  expect(token.status).toEqual({ tokenSecretName: 's' });
});

/**
 * Of engines, of the creator, of the address that Harvester chose, and one that was applied later
 * in the scenario.
 */
const MARKS = [
  'argocd.argoproj.io/',
  'kustomize.toolkit.fluxcd.io/',
  'helm.sh/',
  'cdk8s-harvester/',
  'applyset.kubernetes.io/',
  'field.cattle.io/creatorId',
  'harvesterhci.io/mac-address',
  'cattle.io/force',
];

describe('of recorded objects', () => {
  const recorded = withFamilies().flatMap(({ title, objects }) =>
    objects
      .filter(({ states }) => states.length > 0)
      .map(
        (object) =>
          [
            `${title} ${object.object}`,
            object.applied as Manifest,
            object.states[object.states.length - 1].object as Manifest,
          ] as const,
      ),
  );

  test('keeps all labels and annotations that were applied, and adds none', () => {
    const isMark = (key: string): boolean => MARKS.some((mark) => key.startsWith(mark));
    for (const [title, applied, live] of recorded) {
      const clean = cleaned(live);
      for (const read of [labelsOf, annotationsOf]) {
        const [wanted, found] = [Object.keys(read(applied)), Object.keys(read(clean))];
        expect([
          title,
          wanted.filter((key) => !isMark(key) && !found.includes(key) && key in read(live)),
        ]).toEqual([title, []]);
        expect([title, found.filter((key) => !wanted.includes(key) && !isMark(key))]).toEqual([
          title,
          [],
        ]);
      }
    }
  });

  test('changes nothing the second time, and no field of the content that was applied', () => {
    for (const [title, applied, live] of recorded) {
      const clean = cleaned(live);
      expect([title, cleaned(clean)]).toEqual([title, clean]);
      const { metadata: _, status: __, default: ___, ...content } = applied;
      const kept = Object.keys(content).filter(
        (key) => live[key] !== undefined && live[key] !== null && key !== 'spec',
      );
      expect([
        title,
        kept.filter((key) => JSON.stringify(clean[key]) !== JSON.stringify(live[key])),
      ]).toEqual([title, []]);
    }
  });
});
