import { gunzipSync, gzipSync } from 'zlib';
import { APP, Trial, appliedThen, fake, writes } from './_running';
import { Manifest } from '../../../src/core/manifest/manifest';
import { applySetId } from '../../../src/engine/fields/apply-set';
import { FORMER_SCHEMA } from '../../../src/engine/inventory/inventory';
import { writtenDigest } from '../../../src/engine/inventory/standing';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';

/* eslint-disable @typescript-eslint/no-explicit-any */

const HARVESTER = 'harvesterhci.io/v1beta1';
const PARENT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'cdk8s-harvester-default',
};
const FORMER = { ...PARENT, namespace: 'default' };

function program(...names: readonly string[]): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const name of ['stays', ...names]) {
    small.object('dc1', 'v1', 'ConfigMap', `team-a/${name}`, { data: { key: name } });
  }
  return small;
}

const contentOf = (live: any): any =>
  JSON.parse(gunzipSync(Buffer.from(live.binaryData.inventory, 'base64')).toString('utf8'));

function edit(cluster: FakeCluster, change: (content: any) => void, ref = PARENT): void {
  cluster.change(ref, (live) => {
    const content = contentOf(live);
    change(content);
    live.binaryData.inventory = gzipSync(JSON.stringify(content)).toString('base64');
  });
}

const vm = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'db', namespace: 'team-b' },
  spec: {},
};
const ntp = {
  apiVersion: HARVESTER,
  kind: 'Setting',
  metadata: { name: 'ntp-servers' },
  value: 'admins',
};

/**
 * What another tenant and the administrator have on the cluster; all of it is named by the
 * attacker, with its UID.
 */
function victims(cluster: FakeCluster): { readonly entries: readonly object[] } {
  const objects: (readonly [Manifest, 'delete' | 'reset' | 'keep'])[] = [
    [vm, 'delete'],
    [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'team-b' } },
      'delete',
    ],
    [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } }, 'delete'],
    [ntp, 'reset'],
  ];
  const entries = objects.map(([manifest, policy]) => {
    const { uid } = cluster.seed(manifest).metadata;
    const {
      apiVersion,
      kind,
      metadata: { name, namespace },
    } = manifest;
    return { id: `dc1//${kind}/${name}`, apiVersion, kind, name, namespace, uid, policy };
  });
  return { entries };
}

function expectUnharmed(cluster: FakeCluster): void {
  expect(cluster.has('kubevirt.io/v1', 'VirtualMachine', 'db', 'team-b')).toBe(true);
  expect(cluster.has('v1', 'Secret', 'password', 'team-b')).toBe(true);
  expect(cluster.has('v1', 'Namespace', 'team-b')).toBe(true);
  expect(cluster.live(HARVESTER, 'Setting', 'ntp-servers').value).toBe('admins');
}

describe('who edits the inventory', () => {
  test.each<[what: string, run: (trial: Trial) => Promise<{ readonly failed: readonly object[] }>]>(
    [
      ['an apply', async (trial) => trial.apply({ pruneMachines: true })],
      ['a destroy', async (trial) => trial.destroy()],
    ],
  )('cannot have objects of others deleted or reset by %s', async (_, run) => {
    const trial = new Trial(program());
    await trial.apply();
    const { dc1 } = trial.clusters;
    const { entries } = victims(dc1);
    edit(dc1, (content) => {
      content.entries.push(...entries);
    });
    trial.forget();
    expect((await run(trial)).failed).toEqual([]);
    expectUnharmed(dc1);
    expect(trial.told).toContain(
      'is not managed by this app: it does not have the label applyset.kubernetes.io/part-of of this app',
    );
  });

  test('cannot turn what is left alone into what is deleted', async () => {
    const small = program();
    small.object('dc1', 'v1', 'ConfigMap', 'team-a/kept');
    small.objects[1] = {
      ...small.objects[1],
      deletion: { policy: 'keep', reason: 'it belongs to another program' },
    };
    const trial = await appliedThen(small, program());
    const { dc1 } = trial.clusters;
    edit(dc1, (content) => {
      for (const entry of content.entries) {
        entry.policy = 'delete';
      }
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect(dc1.has('v1', 'ConfigMap', 'kept', 'team-a')).toBe(true);
  });

  test('cannot have an object deleted that another field manager made and that only carries the label', async () => {
    const trial = new Trial(program());
    await trial.apply();
    const { dc1 } = trial.clusters;
    const theirs = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'theirs',
        namespace: 'team-b',
        labels: { 'applyset.kubernetes.io/part-of': applySetId(APP) },
      },
    };
    const { uid } = dc1.seed(theirs, 'kubectl', 'Apply').metadata;
    edit(dc1, (content) => {
      content.entries.push({
        id: 'x',
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'team-b',
        name: 'theirs',
        uid,
        policy: 'delete',
      });
    });
    await trial.apply();
    expect(dc1.has('v1', 'ConfigMap', 'theirs', 'team-b')).toBe(true);
    expect(trial.told).toContain('has no fields of the field manager cdk8s-harvester');
  });
});

describe('who reads the inventory', () => {
  const setting = (password: string): Manifest => ({
    apiVersion: HARVESTER,
    kind: 'Setting',
    metadata: { name: 'containerd-registry' },
    value: JSON.stringify({ password }),
  });

  async function applied(): Promise<any> {
    const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
    const {
      apiVersion,
      kind,
      metadata: { name },
      ...fields
    } = setting('summer2026');
    small.object('dc1', apiVersion, kind, name, fields);
    small.objects[0] = {
      ...small.objects[0],
      deletion: { policy: 'reset', reason: '' },
      othersWrite: ['value'],
    };
    const trial = new Trial(small);
    trial.clusters.dc1.seed({ apiVersion, kind, metadata: { name } }, 'harvester');
    trial.clusters.dc1.reactions.push((object) => {
      if (object.kind === 'Setting') {
        (object as any).status = { conditions: [{ type: 'configured', status: 'True' }] };
      }
    });
    expect((await trial.apply()).failed).toEqual([]);
    return trial;
  }

  test('cannot try out passwords with what it holds', async () => {
    const [first, second] = [await applied(), await applied()];
    const [read, other] = [first, second].map((trial) =>
      contentOf(trial.clusters.dc1.live('v1', 'ConfigMap', PARENT.name, PARENT.namespace)),
    );
    const [{ written }] = read.entries;
    expect(written).toMatch(/^[0-9a-f]{64}$/);
    // the right guess gives another digest, and the same program elsewhere, too
    expect(written).not.toBe(writtenDigest(setting('summer2026'), ['value']));
    expect(written).not.toBe(other.entries[0].written);
    expect(JSON.stringify(read)).not.toContain(
      first.clusters.dc1.live('v1', 'Secret', PARENT.name, PARENT.namespace).data.key,
    );
  });

  test('distinguishes an edit of the program from a change on the cluster by the digest', async () => {
    const trial = await applied();
    const { dc1 } = trial.clusters;
    dc1.seed({ ...setting(''), value: '{}' }, 'harvester');
    trial.forget();
    expect((await trial.apply()).failed).toEqual([]);
    expect(writes(dc1)).toEqual([]);
  });
});

describe('who plants an inventory where earlier versions kept it', () => {
  function planted(
    cluster: FakeCluster,
    entries: readonly object[],
    clusterUids: object = {},
  ): void {
    const content = { schema: FORMER_SCHEMA, app: 'default', clusterUids, entries };
    cluster.seed(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: FORMER.name,
          namespace: FORMER.namespace,
          annotations: { 'applyset.kubernetes.io/tooling': 'cdk8s-harvester/0.1.0' },
        },
        binaryData: { inventory: gzipSync(JSON.stringify(content)).toString('base64') },
      },
      APP.fieldManager,
      'Apply',
    );
  }

  test.each([
    ['before the first apply', false],
    ['after it', true],
  ])('has nothing of others deleted, %s', async (_, before) => {
    const trial = new Trial(program());
    const { dc1 } = trial.clusters;
    if (before) {
      await trial.apply();
    }
    planted(dc1, victims(dc1).entries, { dc1: 'another cluster' });
    expect((await trial.apply({ pruneMachines: true })).failed).toEqual([]);
    expectUnharmed(dc1);
    expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/team-a/stays']);
  });

  test('cannot keep the administrator from applying', async () => {
    for (const value of [
      'AAAA',
      gzipSync('{"schema":1,"entries":[{"id":1}]}').toString('base64'),
    ]) {
      const trial = new Trial(program());
      planted(trial.clusters.dc1, []);
      trial.clusters.dc1.change(FORMER, (live) => {
        live.binaryData.inventory = value;
      });
      expect((await trial.apply()).failed).toEqual([]);
      expect(trial.told).toContain('is not read: tenants may write there');
    }
  });

  /**
   * Settings as Harvester has them, which are named with a digest: as an inventory has it whose
   * values controllers rewrite.
   */
  function settings(cluster: FakeCluster): readonly object[] {
    return ['ntp-servers', 'log-level'].map((name) => {
      const { uid } = cluster.seed(
        { apiVersion: HARVESTER, kind: 'Setting', metadata: { name }, value: 'admins' },
        'harvester',
      ).metadata;
      return {
        id: `dc1//Setting/${name}`,
        apiVersion: HARVESTER,
        kind: 'Setting',
        name,
        uid,
        policy: 'reset',
        written: 'f'.repeat(32),
      };
    });
  }

  test('cannot stop the first apply with settings that the program does not declare', async () => {
    const trial = new Trial(program());
    const { dc1 } = trial.clusters;
    planted(dc1, settings(dc1));
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.told).toContain('--former-inventory dc1');
    expect(dc1.live(HARVESTER, 'Setting', 'log-level').value).toBe('admins');
    // nor the second one
    trial.forget();
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.told).not.toContain('former');
  });

  test('cannot stop it even where the administrator lets it be read', async () => {
    for (const value of [
      'AAAA',
      gzipSync('{"schema":1,"entries":[{"id":1}]}').toString('base64'),
      undefined,
    ]) {
      const trial = new Trial(program());
      const { dc1 } = trial.clusters;
      planted(dc1, settings(dc1));
      if (value !== undefined) {
        dc1.change(FORMER, (live) => {
          live.binaryData.inventory = value;
        });
      }
      expect((await trial.apply({ formerInventory: ['dc1'] })).failed).toEqual([]);
      if (value !== undefined) {
        expect(trial.told).toContain('it is ignored');
      }
      expect(dc1.live(HARVESTER, 'Setting', 'log-level').value).toBe('admins');
    }
  });

  test('is still read on Rancher, where administrators alone write', async () => {
    const small = new SmallProgram().target('rancher', 'rancher');
    small.object('rancher', 'v1', 'ConfigMap', 'team-a/stays');
    const trial = new Trial(small);
    planted(trial.clusters.rancher, [], {});
    await trial.apply();
    expect(trial.told).not.toContain('is not read');
  });
});

describe('an inventory of an earlier version', () => {
  const OLD = { formerInventory: ['dc1'] };

  /**
   * A cluster with the state of an earlier version: the inventory in its previous place, members
   * with its label.
   */
  async function upgraded(): Promise<Trial> {
    const trial = new Trial(program('old'), {
      rancher: fake('uid-of-rancher'),
      dc1: fake('uid-of-dc1'),
    });
    await trial.apply(OLD);
    const former = applySetId({ parent: APP.formerParent });
    for (const cluster of Object.values(trial.clusters)) {
      const live = cluster.live('v1', 'ConfigMap', PARENT.name, PARENT.namespace);
      const content = { ...contentOf(live), schema: FORMER_SCHEMA };
      await cluster.delete(PARENT, live.metadata.uid);
      cluster.seed(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            ...FORMER,
            labels: { 'applyset.kubernetes.io/id': former },
            annotations: live.metadata.annotations,
          } as any,
          binaryData: { inventory: gzipSync(JSON.stringify(content)).toString('base64') },
        },
        APP.fieldManager,
        'Apply',
      );
      for (const object of cluster.objects.values()) {
        if (object.metadata.labels?.['applyset.kubernetes.io/part-of']) {
          object.metadata.labels['applyset.kubernetes.io/part-of'] = former;
        }
      }
    }
    trial.forget();
    return trial;
  }

  const placeOf = (cluster: FakeCluster): string[] =>
    ['default', 'kube-system'].filter((namespace) =>
      cluster.live('v1', 'ConfigMap', PARENT.name, namespace),
    );

  test('is moved, and what it names is pruned; nothing else is written', async () => {
    const trial = await upgraded();
    trial.declared = program();
    expect((await trial.apply(OLD)).failed).toEqual([]);
    expect(writes(trial.clusters.dc1)).toEqual(['delete ConfigMap team-a/old']);
    expect(placeOf(trial.clusters.dc1)).toEqual(['kube-system']);
    expect(
      contentOf(trial.clusters.dc1.live('v1', 'ConfigMap', PARENT.name, 'kube-system')).replaces,
    ).toBeUndefined();
  });

  test('is lost at no point of the move', async () => {
    let crashes = 0;
    for (let at = 0; at < 12; at++) {
      const trial = await upgraded();
      trial.declared = program();
      const { dc1 } = trial.clusters;
      let count = 0;
      dc1.fault = ({ verb, what }) =>
        (verb === 'apply' || verb === 'delete') &&
        what.includes('cdk8s-harvester-') &&
        count++ >= at
          ? new Error('the process died')
          : undefined;
      const died = await trial.apply(OLD).then(
        () => false,
        () => true,
      );
      crashes += died ? 1 : 0;
      dc1.fault = undefined;
      expect(placeOf(dc1)).not.toEqual([]);
      expect((await trial.apply(OLD)).failed).toEqual([]);
      expect(dc1.live('v1', 'ConfigMap', 'old', 'team-a')).toBeUndefined();
      expect(placeOf(dc1)).toEqual(['kube-system']);
    }
    expect(crashes).toBeGreaterThan(1);
  });

  test('is moved by a destroy, too, and then deleted', async () => {
    const trial = await upgraded();
    expect((await trial.destroy(OLD)).failed).toEqual([]);
    expect(placeOf(trial.clusters.dc1)).toEqual([]);
    expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'stays', 'team-a')).toBeUndefined();
  });

  test('reports no change for the previous label, and renews it with the next change', async () => {
    const trial = await upgraded();
    await trial.apply(OLD);
    expect(writes(trial.clusters.dc1)).toEqual([]);
    trial.declared = program('old');
    trial.declared.manifests.set('dc1//ConfigMap/team-a/old', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'old', namespace: 'team-a' },
      data: { key: 'new' },
    });
    await trial.apply(OLD);
    expect(
      trial.clusters.dc1.live('v1', 'ConfigMap', 'old', 'team-a').metadata.labels[
        'applyset.kubernetes.io/part-of'
      ],
    ).toBe(applySetId(APP));
  });

  test('is left alone, with a warning, where tenants may write and no one asks for it', async () => {
    const trial = await upgraded();
    trial.declared = program();
    await trial.apply();
    expect(trial.told).toContain(
      'is not read: tenants may write there. Fix: if an earlier version applied to dc1, check the list and set --former-inventory dc1, once',
    );
    expect(trial.clusters.dc1.has('v1', 'ConfigMap', 'old', 'team-a')).toBe(true);
  });
});
