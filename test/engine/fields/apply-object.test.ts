import { OURS, entry, live, widget } from './_objects';
import { Manifest } from '../../../src/core/manifest/manifest';
import { ApplyRequest } from '../../../src/engine/cluster/cluster';
import { ObjectRequest, adoption, applyObject } from '../../../src/engine/fields/apply-object';
import { rewriteOf } from '../../../src/engine/fields/managed-fields';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';

const OLD = { apiVersion: 'example.com/v1' };
const MANIFEST = widget({ spec: { a: '1' } });
const UNDECLARED = new ApiError(
  'invalid',
  'failed to convert new object: .spec.c: field not declared in schema',
  500,
);

/** A cluster that gives the answers one after the other, and what it was asked. */
function answering(...answers: readonly (Error | 'ok')[]): {
  cluster: FakeCluster;
  asked: string[];
} {
  const asked: string[] = [];
  const cluster = new FakeCluster();
  const left = [...answers];
  cluster.apply = async (_: Manifest, { dryRun, force }: ApplyRequest) => {
    asked.push(`${dryRun ? 'dry run' : 'apply'}${force ? ' by force' : ''}`);
    const answer = left.shift() ?? 'ok';
    if (answer !== 'ok') {
      throw answer;
    }
    return { object: live([]), created: false, warnings: [] };
  };
  cluster.patch = async (_, operations) => {
    asked.push(`patch ${operations.map(({ op, path }) => `${op} ${path}`).join(', ')}`);
    return live([]);
  };
  return { cluster, asked };
}

const PATCH = 'patch test /metadata/resourceVersion, add /metadata/managedFields';

function request(
  entries: ReturnType<typeof entry>[],
  more: Partial<ObjectRequest> = {},
): ObjectRequest {
  const object = live(entries);
  return {
    fieldManager: OURS,
    live: object,
    rewrite: rewriteOf(object, MANIFEST, { fieldManager: OURS, ...more }),
    ...more,
  };
}

test('without anything to rewrite, one request is made', async () => {
  const { cluster, asked } = answering();
  await applyObject(
    cluster,
    MANIFEST,
    request([entry('kubectl', 'Apply', {}, OLD)], { migrateManagedFields: true }),
  );
  expect(asked).toEqual(['apply']);
});

describe('fields of another field manager', () => {
  const kubectl = entry('kubectl', 'Apply', { 'f:spec': {} });

  test('is tried before anything is written', async () => {
    const { cluster, asked } = answering();
    const { rewritten } = await applyObject(
      cluster,
      MANIFEST,
      request([kubectl], { takeFieldsFrom: ['kubectl'] }),
    );
    expect(asked).toEqual(['dry run', PATCH, 'apply']);
    expect(rewritten!.takenFrom).toEqual(['kubectl']);
  });

  test('may conflict with the managers that they are taken from, and with no other', async () => {
    const conflict = (...managers: string[]) =>
      new ApiError(
        'conflict',
        'Apply failed',
        409,
        'Conflict',
        managers.map((manager) => ({ manager, field: '.spec.a' })),
      );
    const { cluster, asked } = answering(conflict('kubectl'));
    await applyObject(cluster, MANIFEST, request([kubectl], { takeFieldsFrom: ['kubectl'] }));
    expect(asked).toEqual(['dry run', PATCH, 'apply']);

    const other = answering(conflict('kubectl', 'rancher'));
    await expect(
      applyObject(other.cluster, MANIFEST, request([kubectl], { takeFieldsFrom: ['kubectl'] })),
    ).rejects.toMatchObject({ failure: 'conflict', conflicts: [{ manager: 'rancher' }] });
    expect(other.asked).toEqual(['dry run']);
  });

  test('is left as it is where a webhook refuses', async () => {
    const { cluster, asked } = answering(
      new ApiError('invalid', 'admission webhook "x" denied the request', 403),
    );
    await expect(
      applyObject(
        cluster,
        MANIFEST,
        request([kubectl], { takeFieldsFrom: ['kubectl'], force: true }),
      ),
    ).rejects.toThrow('denied');
    expect(asked).toEqual(['dry run by force']);
  });

  test('is not held back where a dry run is not possible', async () => {
    const { cluster, asked } = answering();
    const setting: Manifest = {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'backup-target' },
      value: '',
    };
    await applyObject(cluster, setting, request([kubectl], { takeFieldsFrom: ['kubectl'] }));
    expect(asked).toEqual([PATCH, 'apply']);

    const webhook = answering(
      new ApiError('invalid', 'admission webhook "x" does not support dry run', 400),
    );
    await applyObject(
      webhook.cluster,
      MANIFEST,
      request([kubectl], { takeFieldsFrom: ['kubectl'] }),
    );
    expect(webhook.asked).toEqual(['dry run', PATCH, 'apply']);
  });
});

describe('managers of versions that are gone', () => {
  const rancher = entry('rancher', 'Update', { 'f:spec': {} }, OLD);

  test('are named, with what to do', async () => {
    const { cluster, asked } = answering(UNDECLARED);
    await expect(applyObject(cluster, MANIFEST, request([rancher]))).rejects.toMatchObject({
      failure: 'invalid',
      message:
        `${UNDECLARED.message}; the managed fields of Widget x/w use apiVersions that the server no longer converts to: rancher (example.com/v1). ` +
        'Fix: set --migrate-managed-fields to give them example.com/v2; nothing else changes',
    });
    expect(asked).toEqual(['apply']);
  });

  test('are migrated where it is requested, once the server reported the conflict', async () => {
    const { cluster, asked } = answering(UNDECLARED);
    const { rewritten } = await applyObject(
      cluster,
      MANIFEST,
      request([rancher], { migrateManagedFields: true }),
    );
    expect(asked).toEqual(['apply', PATCH, 'apply']);
    expect(rewritten!.migrated).toEqual(['rancher (example.com/v1)']);
  });

  test('are not migrated if they are adopted anyway', async () => {
    const { cluster, asked } = answering(UNDECLARED);
    await applyObject(cluster, MANIFEST, request([rancher], { takeFieldsFrom: ['rancher'] }));
    expect(asked).toEqual(['dry run', PATCH, 'apply']);
  });

  test('are still named next to one that is adopted, and are migrated with it', async () => {
    const kubectl = entry('kubectl', 'Apply', { 'f:spec': {} }, OLD);
    const refused = answering(UNDECLARED);
    await expect(
      applyObject(
        refused.cluster,
        MANIFEST,
        request([rancher, kubectl], { takeFieldsFrom: ['kubectl'] }),
      ),
    ).rejects.toThrow(/converts to: rancher \(example\.com\/v1\)\./);
    expect(refused.asked).toEqual(['dry run']);
    const { cluster, asked } = answering(UNDECLARED);
    const { rewritten } = await applyObject(
      cluster,
      MANIFEST,
      request([rancher, kubectl], { takeFieldsFrom: ['kubectl'], migrateManagedFields: true }),
    );
    expect(asked).toEqual(['dry run', PATCH, 'apply']);
    expect(rewritten).toMatchObject({
      takenFrom: ['kubectl'],
      migrated: ['rancher (example.com/v1)'],
    });
  });

  test.each([
    [
      'a field of the program that no version has',
      new ApiError(
        'invalid',
        'failed to create typed patch object (x/w; v2, Kind=Widget): .spec.q: field not declared in schema',
        500,
      ),
      rancher,
    ],
    [
      'managers that all have the version of the program',
      UNDECLARED,
      entry('rancher', 'Update', { 'f:spec': {} }),
    ],
    [
      'another failure',
      new ApiError('forbidden', 'failed to convert new object: no', 403),
      rancher,
    ],
  ])('are not blamed for %s', async (_, error, manager) => {
    const { cluster, asked } = answering(error);
    await expect(
      applyObject(cluster, MANIFEST, request([manager], { migrateManagedFields: true })),
    ).rejects.toBe(error);
    expect(asked).toEqual(['apply']);
  });
});

describe('an object without managers', () => {
  test('is checked only where fields from before the first apply are to be adopted', async () => {
    const { cluster, asked } = answering();
    expect(
      await adoption(live(undefined), MANIFEST, cluster, {
        fieldManager: OURS,
        takeFieldsFrom: ['kubectl'],
      }),
    ).toBeUndefined();
    expect(
      await adoption(live(undefined), MANIFEST, cluster, { fieldManager: OURS }),
    ).toBeUndefined();
    expect(
      await adoption(live([entry('a', 'Update', {})]), MANIFEST, cluster, {
        fieldManager: OURS,
        takeFieldsFrom: ['before-first-apply'],
      }),
    ).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('is asked about by its name alone', async () => {
    const cluster = new FakeCluster();
    let sent: unknown;
    cluster.apply = async (manifest: Manifest, options: ApplyRequest) => {
      sent = { manifest, dryRun: options.dryRun };
      return {
        object: live([entry('before-first-apply', 'Update', { 'f:spec': { 'f:a': {} } })]),
        created: false,
        warnings: [],
      };
    };
    const rewrite = await adoption(live(undefined), MANIFEST, cluster, {
      fieldManager: OURS,
      takeFieldsFrom: ['before-first-apply'],
    });
    expect(sent).toEqual({
      manifest: {
        apiVersion: 'example.com/v2',
        kind: 'Widget',
        metadata: { name: 'w', namespace: 'x' },
      },
      dryRun: true,
    });
    expect(rewrite).toMatchObject({
      takenFrom: ['before-first-apply'],
      object: { metadata: { managedFields: [{ manager: OURS, operation: 'Apply' }] } },
    });
  });
});
