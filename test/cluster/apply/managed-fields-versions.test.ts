import { APP, Fields, SharedServer } from './_shared-server';
import { Manifest } from '../../../src/core/manifest/manifest';
import { describeCluster } from '../clusters';

const GROUP = 'example.com';

const widget = (version: string, name: string, spec: Fields): Manifest => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec,
});

/** A definition with versions, each with its fields; the last one is what etcd keeps. */
function definition(
  plural: string,
  kind: string,
  versions: { readonly [version: string]: readonly string[] },
): Manifest {
  const names = Object.keys(versions);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: names.map((name) => ({
        name,
        served: true,
        storage: name === names.at(-1),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: Object.fromEntries(
                  versions[name].map((field) => [field, { type: 'string' }]),
                ),
              },
            },
          },
        },
      })),
    },
  };
}

// on a control plane of its own: definitions come and go
describeCluster('objects whose managers have versions that are gone', () => {
  let server: SharedServer;

  beforeAll(async () => {
    server = await SharedServer.start();
  });

  afterAll(async () => server?.stop());

  beforeEach(() => {
    server.events.splice(0);
  });

  const both = definition('widgets', 'Widget', { v1: ['a', 'b'], v2: ['a', 'b', 'c'] });
  const onlyNew = definition('widgets', 'Widget', { v2: ['a', 'b', 'c'] });
  const migrate = { migrateManagedFields: true };

  async function define(manifest: Manifest): Promise<void> {
    await server.api.apply(manifest, { fieldManager: 'test', force: true });
    const names = (manifest.spec as { versions: { name: string }[] }).versions.map(
      ({ name }) => name,
    );
    // the API server serves a definition some time after it accepted it
    for (const deadline = Date.now() + 300_000; ;) {
      const { versions } = (await server.api
        .get(`/apis/${GROUP}`)
        .catch(() => ({ versions: [] }))) as { versions: { version: string }[] };
      if (
        names.every((name) => versions.some(({ version }) => version === name)) &&
        versions.length === names.length
      ) {
        break;
      }
      if (Date.now() > deadline) {
        throw new Error(`${GROUP} does not serve ${names.join(', ')}`);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000);
    });
  }

  test('a manager of an older version that lacks a field: a hint, and with the option it is migrated', async () => {
    await define(both);
    await server.api.apply(widget('v1', 'lacking', { b: '1' }), { fieldManager: 'other' });
    const ours = widget('v2', 'lacking', { a: '1', c: '1' });
    const hint =
      'field not declared in schema; the managed fields of Widget default/lacking use apiVersions that the server no longer converts to: ' +
      'other (example.com/v1). Fix: set --migrate-managed-fields to give them example.com/v2; nothing else changes';
    expect(await server.apply(ours)).toContain(hint);
    expect((await server.stepOf(ours)).refused).toContain(hint);
    expect(await server.managers(ours)).toEqual(['other Apply example.com/v1']);
    expect(await server.stepOf(ours, migrate)).toMatchObject({
      action: 'update',
      migrates: ['other (example.com/v1)'],
      changes: expect.arrayContaining([{ path: 'spec.c', after: '1' }]),
    });
    expect(await server.apply(ours, migrate)).toBe('');
    expect(server.messages).toEqual(['managed fields migrated: other (example.com/v1)']);
    const after = await server.live(ours);
    expect(after.spec).toEqual({ a: '1', b: '1', c: '1' });
    expect(await server.managers(ours)).toEqual([
      `${APP.fieldManager} Apply example.com/v2`,
      'other Apply example.com/v2',
    ]);
    expect((await server.stepOf(ours, migrate)).action).toBe('unchanged');
  });

  test('migrates fields of this program that have an older version, and keeps the ownership', async () => {
    expect(await server.apply(widget('v1', 'own', { a: '1', b: '1' }))).toBe('');
    const ours = widget('v2', 'own', { a: '1', c: '1' });
    expect(await server.apply(ours)).toContain(
      `${APP.fieldManager} (example.com/v1). Fix: set --migrate-managed-fields`,
    );
    expect(await server.apply(ours, migrate)).toBe('');
    expect((await server.live(ours)).spec).toEqual({ a: '1', c: '1' });
  });

  test('needs no migration for an adopted manager', async () => {
    const theirs = widget('v1', 'adopted', { a: '1', b: '1' });
    server.kubectlApply(theirs, '--server-side');
    const ours = widget('v2', 'adopted', { a: '2', c: '1' });
    expect(await server.stepOf(ours, { takeFieldsFrom: ['kubectl'] })).toMatchObject({
      action: 'update',
      takesOver: ['kubectl'],
      conflicts: [],
    });
    expect(await server.apply(ours, { takeFieldsFrom: ['kubectl'] })).toBe('');
    const after = await server.live(ours);
    expect(after.spec).toEqual({ a: '2', c: '1' });
    expect(await server.managers(ours)).toEqual([`${APP.fieldManager} Apply example.com/v2`]);
  });

  test('does not blame managers for a field that no version has', async () => {
    const wrong = await server.apply(widget('v2', 'lacking', { a: '1', nosuch: '1' }), migrate);
    expect(wrong).toContain('.spec.nosuch: field not declared in schema');
    expect(wrong).not.toContain('managed fields');
  });

  test('suggests the option for a removed version, and migrates with it', async () => {
    await server.api.apply(widget('v1', 'old', { b: '1' }), { fieldManager: 'other' });
    await define(onlyNew);
    const ours = widget('v2', 'old', { a: '1' });
    expect(await server.apply(ours)).toContain(
      'request to convert CR to an invalid group/version: example.com/v1; the managed fields of Widget default/old',
    );
    expect(await server.stepOf(ours, migrate)).toMatchObject({
      migrates: ['other (example.com/v1)'],
    });
    const saved = await server.plan(ours, migrate);
    expect(await server.apply(ours, { plan: saved })).toBe('');
    expect(await server.managers(ours)).toEqual([
      `${APP.fieldManager} Apply example.com/v2`,
      'other Apply example.com/v2',
    ]);
    expect((await server.live(ours)).spec).toEqual({ a: '1', b: '1' });
  });

  test('accepts a field that was removed within a version', async () => {
    await server.api.apply(widget('v2', 'shrunk', { b: '1', c: '1' }), { fieldManager: 'other' });
    await define(definition('widgets', 'Widget', { v2: ['a', 'b'] }));
    expect(await server.apply(widget('v2', 'shrunk', { a: '1' }))).toBe('');
    expect((await server.live(widget('v2', 'shrunk', {}))).spec).toEqual({ a: '1', b: '1' });
  });
});
