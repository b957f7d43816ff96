import { APP, Fields, SharedServer } from './_shared-server';
import { ANNOTATION_LAST_APPLIED } from '../../../src/core/kind/field-managers';
import { Manifest } from '../../../src/core/manifest/manifest';
import { applySetId } from '../../../src/engine/fields/apply-set';
import { describeCluster } from '../clusters';

const configMap = (name: string, data: Fields, metadata: Fields = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data,
});

describeCluster('objects that others wrote', () => {
  let server: SharedServer;

  beforeAll(async () => {
    server = await SharedServer.start();
  });

  afterAll(async () => server?.stop());

  beforeEach(() => {
    server.events.splice(0);
  });

  describe('by kubectl apply', () => {
    const adopt = { takeFieldsFrom: ['kubectl-client-side-apply'] };
    const theirs = configMap('theirs', { a: '1', b: '2', c: '3' }, { labels: { team: 'a' } });
    const ours = configMap('theirs', { a: '9', b: '2' });

    beforeAll(() => {
      server.kubectlApply(theirs);
    });

    test('conflict, unasked, which names the option', async () => {
      expect(await server.apply(ours)).toContain('.data.a is owned by kubectl-client-side-apply');
      expect(await server.apply(ours)).toMatch(
        /--force-conflicts '[^']*', or --take-fields-from kubectl-client-side-apply to adopt it$/,
      );
      expect((await server.live(theirs)).data).toEqual({ a: '1', b: '2', c: '3' });
      expect(await server.managers(theirs)).toEqual(['kubectl-client-side-apply Update v1']);
    });

    test('are planned with the fields that are removed, without writing', async () => {
      const { resourceVersion } = (await server.live(theirs)).metadata;
      expect(await server.stepOf(ours, adopt)).toMatchObject({
        action: 'update',
        takesOver: ['kubectl-client-side-apply'],
        conflicts: [],
        reason: 'adopted from kubectl-client-side-apply',
      });
      const { changes } = await server.stepOf(ours, adopt);
      expect(changes.filter(({ path }) => path.startsWith('data'))).toEqual([
        { path: 'data.a', before: '1', after: '9' },
        { path: 'data.c', before: '3' },
      ]);
      expect(changes.filter(({ path }) => !path.startsWith('data'))).toEqual([
        { path: 'metadata.labels.team', before: 'a' },
        { path: 'metadata.labels[applyset.kubernetes.io/part-of]', after: applySetId(APP) },
      ]);
      expect((await server.live(theirs)).metadata.resourceVersion).toBe(resourceVersion);
    });

    test('are adopted as planned', async () => {
      const saved = await server.plan(ours, adopt);
      expect(await server.apply(ours, { plan: saved })).toBe('');
      expect(server.messages).toEqual(['adopted from kubectl-client-side-apply']);
      const after = await server.live(theirs);
      expect(after.data).toEqual({ a: '9', b: '2' });
      expect(after.metadata.labels).not.toHaveProperty('team');
      expect(after.metadata.annotations ?? {}).not.toHaveProperty([ANNOTATION_LAST_APPLIED]);
      expect(await server.managers(theirs)).toEqual([`${APP.fieldManager} Apply v1`]);
    });

    test('are not changed in another run, with and without the option', async () => {
      expect((await server.stepOf(ours)).action).toBe('unchanged');
      expect((await server.stepOf(ours, adopt)).action).toBe('unchanged');
    });

    test('lose a field that is taken out of the program later', async () => {
      expect(await server.apply(configMap('theirs', { a: '9' }), adopt)).toBe('');
      expect((await server.live(theirs)).data).toEqual({ a: '9' });
    });

    test('keep such a field where they are only forced', async () => {
      const forced = configMap('forced', { a: '1', b: '2' });
      server.kubectlApply(forced);
      expect(
        await server.apply(forced, { forceConflicts: ['rancher//ConfigMap/default/forced'] }),
      ).toBe('');
      expect(await server.apply(configMap('forced', { a: '1' }))).toBe('');
      expect((await server.live(forced)).data).toEqual({ a: '1', b: '2' });
      // it is not too late
      expect((await server.stepOf(configMap('forced', { a: '1' }), adopt)).changes).toEqual([
        { path: 'data.b', before: '2' },
      ]);
      expect(await server.apply(configMap('forced', { a: '1' }), adopt)).toBe('');
      expect((await server.live(forced)).data).toEqual({ a: '1' });
    });
  });

  test('adopts only the fields of kubectl from a Deployment with a status and lists', async () => {
    const container = (more: Fields): Fields => ({ name: 'web', image: 'nginx', ...more });
    const deployment = (
      replicas: number | undefined,
      more: Fields,
      annotations: { [key: string]: string } = {},
    ): Manifest => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default', annotations },
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container(more)] } },
      },
    });
    server.kubectlApply(
      deployment(
        3,
        {
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
          ports: [{ containerPort: 80 }],
        },
        { note: 'by hand' },
      ),
    );
    server.kubectl(
      'patch',
      'deployment',
      'web',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"replicas":3}}',
      '--field-manager=controller',
    );
    server.kubectl('annotate', 'deployment', 'web', 'other=kept');
    const ours = deployment(undefined, { env: [{ name: 'B', value: '2' }] });
    const adopt = { takeFieldsFrom: ['kubectl-client-side-apply', 'nobody'] };
    expect((await server.stepOf(ours, adopt)).changes.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'metadata.annotations.note',
        'spec.template.spec.containers[0].env[0]',
        'spec.template.spec.containers[0].ports',
      ]),
    );
    expect(await server.apply(ours, adopt)).toBe('');
    const after = await server.live(ours);
    expect(await server.managers(ours)).toEqual([
      `${APP.fieldManager} Apply apps/v1`,
      'controller Update apps/v1 status',
      'kubectl-annotate Update apps/v1',
    ]);
    expect(after.status).toEqual({ replicas: 3 });
    expect(after.metadata.annotations).toEqual({ other: 'kept' });
    const { replicas, template } = after.spec as {
      replicas: number;
      template: { spec: { containers: Fields[] } };
    };
    // the default of the server
    expect(replicas).toBe(1);
    expect(template.spec.containers[0].env).toEqual([{ name: 'B', value: '2' }]);
    expect(template.spec.containers[0].ports).toBeUndefined();
    expect((await server.stepOf(ours, adopt)).action).toBe('unchanged');
  });

  test('removes the annotation of kubectl apply after kubectl apply --server-side', async () => {
    const theirs = configMap('both', { a: '1', b: '2' });
    server.kubectlApply(theirs);
    server.kubectlApply(theirs, '--server-side');
    expect(await server.managers(theirs)).toEqual([
      'kubectl Apply v1',
      'kubectl-last-applied Apply v1',
    ]);
    expect(await server.apply(configMap('both', { a: '1' }), { takeFieldsFrom: ['kubectl'] })).toBe(
      '',
    );
    const after = await server.live(theirs);
    expect({ data: after.data, annotations: after.metadata.annotations }).toEqual({
      data: { a: '1' },
      annotations: undefined,
    });
    expect(await server.managers(theirs)).toEqual([`${APP.fieldManager} Apply v1`]);
  });

  test('prints nothing of a Secret that kubectl repeats in an annotation', async () => {
    const secret = (stringData: Fields): Manifest => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData,
    });
    server.kubectlApply(secret({ password: 'a-canary-in-an-annotation', user: 'ana' }));
    const adopt = {
      acceptExisting: ['rancher//Secret/default/login'],
      takeFieldsFrom: ['kubectl-client-side-apply'],
    };
    const ours = secret({ password: 'another-canary' });
    const { changes } = await server.stepOf(ours, adopt);
    expect(changes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['data.password', 'data.user']),
    );
    expect(changes.map(({ path }) => path).filter((path) => path.includes('annotations'))).toEqual(
      [],
    );
    expect(JSON.stringify(await server.plan(ours, adopt))).not.toMatch(/canary|YS1jYW5hcnk/);
    expect(await server.apply(ours, adopt)).toBe('');
    expect(JSON.stringify(server.events)).not.toContain('canary');
    const {
      data,
      metadata: { annotations },
    } = await server.live(ours);
    expect({ data, annotations }).toEqual({
      data: { password: Buffer.from('another-canary').toString('base64') },
      annotations: undefined,
    });
  });

  test('by two managers: nothing is taken from one while the other is in the way', async () => {
    const theirs = configMap('two', { a: '1', b: '2' });
    server.kubectlApply(theirs);
    await server.api.apply(configMap('two', { a: '1', z: '1' }), { fieldManager: 'other-tool' });
    const before = await server.live(theirs);
    const ours = configMap('two', { a: '9' });
    expect(
      await server.stepOf(ours, { takeFieldsFrom: ['kubectl-client-side-apply'] }),
    ).toMatchObject({
      conflicts: [{ manager: 'other-tool', field: '.data.a' }],
    });
    expect(await server.apply(ours, { takeFieldsFrom: ['kubectl-client-side-apply'] })).toContain(
      '.data.a is owned by other-tool.',
    );
    expect(await server.live(theirs)).toEqual(before);
    expect(
      await server.apply(configMap('two', { a: '1' }), {
        takeFieldsFrom: ['kubectl-client-side-apply'],
      }),
    ).toBe('');
    expect((await server.live(theirs)).data).toEqual({ a: '1', z: '1' });
  });

  test('without any manager: the server names one when it is asked', async () => {
    const theirs = configMap('unmanaged', { a: '1', b: '2' });
    server.kubectlApply(theirs);
    server.kubectl(
      'patch',
      'configmap',
      'unmanaged',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]',
    );
    expect((await server.live(theirs)).metadata.managedFields ?? []).toEqual([]);
    const ours = configMap('unmanaged', { a: '9' });
    expect(await server.apply(ours)).toContain('.data.a is owned by before-first-apply');
    const adopt = { takeFieldsFrom: ['before-first-apply'] };
    expect(await server.stepOf(ours, adopt)).toMatchObject({
      takesOver: ['before-first-apply'],
      conflicts: [],
    });
    expect(await server.apply(ours, adopt)).toBe('');
    const after = await server.live(theirs);
    expect({ data: after.data, annotations: after.metadata.annotations }).toEqual({
      data: { a: '9' },
      annotations: undefined,
    });
    expect(await server.managers(theirs)).toEqual([`${APP.fieldManager} Apply v1`]);
  });

  test('are read again when someone else writes at the same time', async () => {
    const theirs = configMap('raced', { a: '1' });
    server.kubectlApply(theirs);
    const patch = server.api.patch.bind(server.api);
    let races = 1;
    server.api.patch = async (...args) => {
      if (races-- > 0) {
        server.kubectl('label', 'configmap', 'raced', 'race=won');
      }
      return patch(...args);
    };
    try {
      expect(
        await server.apply(configMap('raced', { a: '2' }), {
          takeFieldsFrom: ['kubectl-client-side-apply'],
        }),
      ).toBe('');
    } finally {
      server.api.patch = patch;
    }
    expect(server.events).toContainEqual(
      expect.objectContaining({
        state: 'waiting',
        message: expect.stringContaining('was written by another client at the same time'),
      }),
    );
    const after = await server.live(theirs);
    expect(after.metadata.labels).toMatchObject({ race: 'won' });
    expect(await server.managers(theirs)).toEqual([
      `${APP.fieldManager} Apply v1`,
      'kubectl-label Update v1',
    ]);
  });
});
