import { createHash } from 'crypto';
import { QuickClock, Trial, writes } from './_running';
import { PLAIN, render } from '../../../src/core/text/screen';
import { removalBlocks } from '../../../src/engine/plan/render-plan';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';

const PROVISIONING = 'provisioning.cattle.io/v1';
const HARVESTER = 'harvesterhci.io/v1beta1';

/** An import with its Setting, a guest, its credential and a network. */
function platform(): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/dc1', {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
    spec: {},
  });
  program.object('rancher', 'v1', 'Namespace', 'c-m-dc1');
  program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1');
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: { cloudCredentialSecretName: 'cattle-global-data:cc-dc1', rkeConfig: {} },
  });
  program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/prod');
  program.object('dc1', HARVESTER, 'Setting', 'cluster-registration-url', {
    value: 'https://rancher/v3/import/t_c-m-dc1.yaml',
  });
  const policies: { [id: string]: 'reset' | 'keep' } = {
    'dc1/harvesterhci.io/Setting//cluster-registration-url': 'reset',
    'rancher//Namespace//c-m-dc1': 'keep',
  };
  program.objects.forEach((object, index) => {
    const policy = policies[object.id];
    if (policy) {
      program.objects[index] = { ...object, deletion: { policy, reason: 'so it is' } };
    }
  });
  return program;
}

/** Carries out Settings as Harvester does. */
function harvester(cluster: FakeCluster): void {
  cluster.seed(
    { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'cluster-registration-url' } },
    'harvester',
  );
  cluster.reactions.push((object) => {
    if (object.kind === 'Setting') {
      const hash = createHash('sha224')
        .update(String(object.value ?? ''))
        .digest('hex');
      (object.metadata as { annotations?: object }).annotations = { 'harvesterhci.io/hash': hash };
    }
  });
}

async function applied(): Promise<Trial> {
  const trial = new Trial(platform());
  harvester(trial.clusters.dc1);
  const { failed } = await trial.apply();
  expect(failed).toEqual([]);
  trial.forget();
  return trial;
}

test('deletes everything: the guest first, then its credential and network, the Setting before the import', async () => {
  const trial = await applied();
  const order: string[] = [];
  for (const cluster of Object.values(trial.clusters)) {
    cluster.before = async ({ verb, what }) => {
      if ((verb === 'delete' || verb === 'apply') && !what.includes('cdk8s-harvester-')) {
        order.push(`${verb} ${what}`);
      }
    };
  }
  const summary = await trial.destroy();
  expect(summary).toMatchObject({ failed: [], skipped: [], pending: [] });
  const at = (what: string): number => order.findIndex((each) => each === what);
  expect([...order].sort()).toEqual([
    'apply Setting cluster-registration-url',
    'delete Cluster fleet-default/dc1',
    'delete Cluster fleet-default/shop',
    'delete NetworkAttachmentDefinition default/prod',
    'delete Secret cattle-global-data/cc-dc1',
  ]);
  expect(at('delete Cluster fleet-default/shop')).toBe(0);
  expect(at('apply Setting cluster-registration-url')).toBeLessThan(
    at('delete Cluster fleet-default/dc1'),
  );
  const { rancher, dc1 } = trial.clusters;
  expect(dc1.live(HARVESTER, 'Setting', 'cluster-registration-url').value).toBe('');
  expect(rancher.has('v1', 'Namespace', 'c-m-dc1')).toBe(true);
  for (const cluster of [rancher, dc1]) {
    expect(
      cluster.live('v1', 'ConfigMap', 'cdk8s-harvester-default', 'kube-system'),
    ).toBeUndefined();
  }
  expect(
    rancher.live('coordination.k8s.io/v1', 'Lease', 'cdk8s-harvester-default', 'kube-system'),
  ).toBeUndefined();
});

test('waits for finalizers, reports what holds an object, and keeps the credential until then', async () => {
  const trial = await applied();
  const { rancher } = trial.clusters;
  const shop = {
    apiVersion: PROVISIONING,
    kind: 'Cluster',
    namespace: 'fleet-default',
    name: 'shop',
  };
  rancher.change(shop, (object) => {
    object.metadata.finalizers = ['wrangler.cattle.io/provisioning-cluster-remove'];
  });
  const { failed, skipped } = await trial.destroy({ timeoutMs: 30_000 });
  expect(failed).toHaveLength(1);
  expect(failed[0].message).toContain(
    'rancher/provisioning.cattle.io/Cluster/fleet-default/shop: still exists after 30 s: held by the finalizers wrangler.cattle.io/provisioning-cluster-remove; ' +
      'Rancher is still deleting it',
  );
  expect(skipped.map(({ id }) => id)).toContain('rancher//Secret/cattle-global-data/cc-dc1');
  expect(rancher.has('v1', 'Secret', 'cc-dc1', 'cattle-global-data')).toBe(true);
  expect(await trial.inventory('rancher')).toContain(
    'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
  );
  // a second run continues
  rancher.change(shop, (object) => {
    object.metadata.finalizers = [];
  });
  expect((await trial.destroy()).failed).toEqual([]);
  expect(rancher.live('v1', 'Secret', 'cc-dc1', 'cattle-global-data')).toBeUndefined();
});

test('reports that permissions remain while an agent is gone, and does not offer to remove the finalizer', async () => {
  const trial = await applied();
  const shop = { apiVersion: PROVISIONING, kind: 'Cluster', namespace: 'fleet-default' };
  trial.clusters.rancher.change({ ...shop, name: 'shop' }, (object) => {
    object.metadata.finalizers = [
      'clusterscoped.controller.cattle.io/cluster-prtb-sync_c-m-harvdc01',
    ];
  });
  const { failed } = await trial.destroy({ timeoutMs: 30_000 });
  expect(failed[0].message).toContain(
    'its members keep their permissions on the cluster until then. Rancher removes it while the cluster is connected',
  );
  expect(failed[0].message).toContain('do not remove the finalizer: the permissions would remain');
  expect(failed[0].message).not.toContain('--remove-finalizer');
});

test('never deletes a credential that another cluster uses without the option', async () => {
  const trial = await applied();
  trial.clusters.rancher.seed({
    apiVersion: PROVISIONING,
    kind: 'Cluster',
    metadata: { name: 'other', namespace: 'fleet-default' },
    spec: { cloudCredentialSecretName: 'cattle-global-data:cc-dc1' },
  });
  const { failed } = await trial.destroy();
  expect(failed.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      'Cluster fleet-default/other uses it: without it, Rancher can neither create nor delete the machines. Fix: delete or move that first, ' +
        "keep this object with Retention.of(construct).retain(), or delete it anyway with --accept-in-use 'rancher//Secret/cattle-global-data/cc-dc1'",
    ),
  ]);
  await trial.destroy({ acceptInUse: ['rancher//Secret/cattle-global-data/cc-dc1'] });
  expect(
    trial.clusters.rancher.live('v1', 'Secret', 'cc-dc1', 'cattle-global-data'),
  ).toBeUndefined();
});

test('touches nothing that its inventory does not name', async () => {
  const trial = new Trial(platform());
  harvester(trial.clusters.dc1);
  trial.clusters.rancher.seed({
    apiVersion: PROVISIONING,
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: { rkeConfig: {} },
  });
  await trial.destroy();
  expect([...writes(trial.clusters.rancher), ...writes(trial.clusters.dc1)]).toEqual([]);
  expect(trial.told).toContain('was not applied by this app');
});

test('keeps a Setting that an earlier run reset, since it already has its default value', async () => {
  const trial = await applied();
  await trial.destroy();
  const before = (JSON.parse(trial.told) as object[]).length;
  await trial.destroy();
  const settings = (JSON.parse(trial.told) as { id?: string; state?: string; message?: string }[])
    .slice(before)
    .filter(({ id }) => id?.includes('/Setting/'));
  expect(settings).toContainEqual(
    expect.objectContaining({ state: 'kept', message: 'already has its default value' }),
  );
  expect(settings).not.toContainEqual(
    expect.objectContaining({ message: 'was not applied by this app' }),
  );
});

test('reports missing objects as deleted, and only live ones as kept', async () => {
  const trial = await applied();
  await trial.destroy();
  const before = (JSON.parse(trial.told) as object[]).length;
  await trial.destroy();
  const told = (JSON.parse(trial.told) as { type: string; id: string; state: string }[])
    .slice(before)
    .filter(({ type }) => type === 'node');
  expect(told.length).toBeGreaterThan(0);
  for (const { id, state } of told) {
    const { target, apiVersion, kind, name, namespace } = trial.declared.objects.find(
      (object) => object.id === id,
    )!;
    expect([id, state]).toEqual([
      id,
      trial.clusters[target].live(apiVersion, kind, name, namespace) ? 'kept' : 'deleted',
    ]);
  }
});

test('asks before it deletes anything', async () => {
  const trial = await applied();
  let asked: readonly string[] = [];
  let shown = '';
  const summary = await trial.destroy({
    confirm: async ({ objects, steps }) => {
      asked = [...objects.values()].flat();
      shown = render(removalBlocks(steps), PLAIN);
      return false;
    },
  });
  expect(asked).toHaveLength(6);
  expect(shown.split('\n').sort()).toEqual([
    '  - Cluster fleet-default/dc1',
    '  - Cluster fleet-default/shop',
    '  - NetworkAttachmentDefinition default/prod',
    '  - Secret cattle-global-data/cc-dc1',
    '  0 Setting cluster-registration-url  (so it is)',
    '  = Namespace c-m-dc1  (so it is)',
    'dc1',
    'rancher',
  ]);
  expect(summary.done).toEqual([]);
  expect(writes(trial.clusters.rancher)).toEqual([]);
  expect(await trial.inventory('rancher')).toHaveLength(4);
});

test('never deletes namespaces of the system, builtin roles or definitions, whatever is in the inventory', async () => {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', 'v1', 'Namespace', 'cattle-system');
  program.object('rancher', 'management.cattle.io/v3', 'RoleTemplate', 'project-owner', {
    builtin: true,
  });
  program.object(
    'rancher',
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'widgets.example.com',
  );
  const trial = new Trial(program);
  await trial.apply();
  trial.forget();
  const { failed } = await trial.destroy();
  expect(failed).toEqual([]);
  expect(writes(trial.clusters.rancher)).toEqual([]);
  for (const words of [
    'is a namespace of the system',
    'is built into Rancher',
    'would take all objects of its kind along',
  ]) {
    expect(trial.told).toContain(words);
  }
});

test('never deletes a namespace in which virtual machines lie', async () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  program.object('dc1', 'v1', 'Namespace', 'shop-vms');
  const trial = new Trial(program);
  await trial.apply();
  trial.clusters.dc1.seed({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'vm-1', namespace: 'shop-vms' },
  });
  const { failed } = await trial.destroy();
  expect(failed[0].message).toContain(
    'dc1//Namespace//shop-vms: contains 1 VirtualMachine (vm-1), which would be lost with it',
  );
  expect(trial.clusters.dc1.has('v1', 'Namespace', 'shop-vms')).toBe(true);
});

test('ends cleanly while it waits, and continues later', async () => {
  const trial = await applied();
  trial.clusters.rancher.change(
    { apiVersion: PROVISIONING, kind: 'Cluster', namespace: 'fleet-default', name: 'shop' },
    (object) => {
      object.metadata.finalizers = ['x/y'];
    },
  );
  const stop = new AbortController();
  const clock = new QuickClock((now) => {
    if (now > 5_000) {
      stop.abort();
    }
  });
  const { interrupted, pending, failed } = await trial.destroy({ signal: stop.signal, clock });
  expect({ interrupted, failed }).toEqual({ interrupted: true, failed: [] });
  expect(pending).toContain('rancher/provisioning.cattle.io/Cluster/fleet-default/shop');
  expect(
    trial.clusters.rancher.live(
      'coordination.k8s.io/v1',
      'Lease',
      'cdk8s-harvester-default',
      'kube-system',
    ),
  ).toBeUndefined();
});

test('does not wait for namespaces of a guest cluster that is deleted as a whole', async () => {
  const guest = (own: boolean): SmallProgram => {
    const program = new SmallProgram().target('rancher', 'rancher').target('shop', 'guest');
    program.targets[1] = {
      ...program.targets[1],
      properties: { provisioningCluster: 'fleet-default/shop' },
    };
    if (own) {
      program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
        spec: { rkeConfig: {} },
      });
    }
    program.object('shop', 'v1', 'Namespace', 'web');
    return program;
  };
  for (const own of [true, false]) {
    const trial = new Trial(guest(own));
    await trial.apply();
    trial.clusters.shop.seed({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'web' },
    });
    const { failed } = await trial.destroy();
    expect(failed.map(({ message }) => message)).toEqual(
      own
        ? []
        : [
            expect.stringContaining(
              'contains 1 PersistentVolumeClaim (data), which would be lost with it',
            ),
          ],
    );
  }
});

test('refuses options that name no object before anything is deleted', async () => {
  const trial = await applied();
  await expect(trial.destroy({ acceptInUse: ['rancher//Secret/x/y'] })).rejects.toThrow(
    '--accept-in-use: must be the ID of an object, got rancher//Secret/x/y',
  );
  await expect(trial.destroy({ forceConflicts: ['x'] })).rejects.toThrow(
    '--force-conflicts: must be the ID of an object, got x',
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
});

describe('what fails keeps only what needs it from being deleted', () => {
  const REGISTRATION = {
    apiVersion: HARVESTER,
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
  };

  test('a Setting that cannot be reset keeps nothing: the registration is reset and the import is deleted', async () => {
    const small = platform();
    small.object('dc1', HARVESTER, 'Setting', 'log-level', { value: 'debug' });
    small.objects[small.objects.length - 1] = {
      ...small.objects[small.objects.length - 1],
      deletion: { policy: 'reset', reason: '' },
    };
    const trial = new Trial(small);
    const { dc1, rancher } = trial.clusters;
    harvester(dc1);
    dc1.seed(
      { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'log-level' } },
      'harvester',
    );
    expect((await trial.apply()).failed).toEqual([]);
    dc1.fault = ({ verb, what }) =>
      verb === 'apply' && what === 'Setting log-level'
        ? new ApiError('invalid', 'not now', 422)
        : undefined;
    const { failed, skipped } = await trial.destroy();
    expect(failed.map(({ id }) => id)).toEqual(['dc1/harvesterhci.io/Setting//log-level']);
    expect(skipped).toEqual([]);
    expect(dc1.live(HARVESTER, 'Setting', 'cluster-registration-url').value).toBe('');
    expect(rancher.live(PROVISIONING, 'Cluster', 'dc1', 'fleet-default')).toBeUndefined();
    expect(await trial.inventory('dc1')).toEqual(['dc1/harvesterhci.io/Setting//log-level']);
  });

  test('an agent that Harvester does not remove after the reset keeps the import, until it is gone', async () => {
    const trial = await applied();
    const { dc1, rancher } = trial.clusters;
    const agent = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' },
    };
    const { uid } = dc1.seed(agent, 'harvester').metadata;
    const { failed } = await trial.destroy();
    expect(failed.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        "Rancher's agent still exists after 2 min: this Harvester is still connected",
      ),
    ]);
    expect(rancher.has(PROVISIONING, 'Cluster', 'dc1', 'fleet-default')).toBe(true);
    await dc1.delete({ ...agent, ...agent.metadata }, uid);
    expect((await trial.destroy()).failed).toEqual([]);
    expect(rancher.live(PROVISIONING, 'Cluster', 'dc1', 'fleet-default')).toBeUndefined();
  });

  test('a registration that cannot be reset keeps the import', async () => {
    const trial = await applied();
    const { dc1, rancher } = trial.clusters;
    dc1.fault = ({ verb, what }) =>
      verb === 'apply' && what === `Setting ${REGISTRATION.metadata.name}`
        ? new ApiError('invalid', 'not now', 422)
        : undefined;
    const { skipped } = await trial.destroy();
    expect(skipped.map(({ id }) => id)).toEqual([
      'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    ]);
    expect(rancher.has(PROVISIONING, 'Cluster', 'dc1', 'fleet-default')).toBe(true);
  });

  test('a guest cluster that is not gone keeps its own credential and machine configs, and none of another', async () => {
    const small = platform();
    const config = (name: string): string =>
      small.object(
        'rancher',
        'rke-machine-config.cattle.io/v1',
        'HarvesterConfig',
        `fleet-default/${name}`,
      );
    for (const name of ['stuck', 'goes']) {
      config(name);
      small.object('rancher', 'v1', 'Secret', `cattle-global-data/cc-${name}`);
      small.object('rancher', PROVISIONING, 'Cluster', `fleet-default/${name}`, {
        spec: {
          cloudCredentialSecretName: `cattle-global-data:cc-${name}`,
          rkeConfig: { machinePools: [{ machineConfigRef: { kind: 'HarvesterConfig', name } }] },
        },
      });
    }
    small.object('rancher', 'management.cattle.io/v3', 'AuthConfig', 'custom');
    Object.assign(small.objects.at(-1)!, {
      deletion: { policy: 'delete', reason: 'is deleted by the choice of the program' },
    });
    const trial = new Trial(small);
    harvester(trial.clusters.dc1);
    expect((await trial.apply()).failed).toEqual([]);
    const { rancher, dc1 } = trial.clusters;
    rancher.change(
      { apiVersion: PROVISIONING, kind: 'Cluster', namespace: 'fleet-default', name: 'stuck' },
      (object) => {
        object.metadata.finalizers = ['x/y'];
      },
    );
    await trial.destroy({ timeoutMs: 30_000 });
    const isThere = (apiVersion: string, kind: string, name: string, namespace?: string): boolean =>
      rancher.live(apiVersion, kind, name, namespace) !== undefined;
    expect(
      ['stuck', 'goes'].map((name) =>
        isThere('rke-machine-config.cattle.io/v1', 'HarvesterConfig', name, 'fleet-default'),
      ),
    ).toEqual([true, false]);
    expect(
      ['stuck', 'goes'].map((name) => isThere('v1', 'Secret', `cc-${name}`, 'cattle-global-data')),
    ).toEqual([true, false]);
    expect(isThere('management.cattle.io/v3', 'AuthConfig', 'custom')).toBe(false);
    // Rancher removes its machines through the import, in this network
    expect(isThere(PROVISIONING, 'Cluster', 'dc1', 'fleet-default')).toBe(true);
    expect(dc1.has('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'prod', 'default')).toBe(
      true,
    );
  });

  test('a leftover that cannot be read fails alone', async () => {
    const trial = await applied();
    const { dc1, rancher } = trial.clusters;
    trial.declared = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
    dc1.fault = ({ verb, what }) =>
      verb === 'read' && what === 'NetworkAttachmentDefinition default/prod'
        ? new ApiError('invalid', 'cannot be read', 422)
        : undefined;
    const { failed } = await trial.destroy();
    expect(failed.map(({ id }) => id)).toEqual([
      'dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/prod',
    ]);
    expect(rancher.live(PROVISIONING, 'Cluster', 'shop', 'fleet-default')).toBeUndefined();
  });
});

test('keeps what the program retains, on destroy and when it is no longer declared', async () => {
  const program = (
    deletion?: { readonly policy: 'keep'; readonly reason: string },
    ...names: string[]
  ): SmallProgram => {
    const declared = new SmallProgram().target('dc1', 'harvester');
    for (const name of names) {
      declared.object('dc1', 'v1', 'ConfigMap', `default/${name}`);
      if (deletion) {
        Object.assign(declared.objects.at(-1)!, { deletion });
      }
    }
    return declared;
  };
  const retained = { policy: 'keep', reason: 'is retained by the program' } as const;
  // the choice was not applied yet: destroy honours it all the same
  const trial = new Trial(program(undefined, 'a', 'b'));
  await trial.apply();
  trial.declared = program(retained, 'a', 'b');
  expect((await trial.destroy()).failed).toEqual([]);
  expect(trial.clusters.dc1.has('v1', 'ConfigMap', 'a', 'default')).toBe(true);
  const pruned = new Trial(program(retained, 'a', 'b'));
  await pruned.apply();
  pruned.declared = program(retained, 'a');
  expect((await pruned.apply()).failed).toEqual([]);
  expect(pruned.clusters.dc1.has('v1', 'ConfigMap', 'b', 'default')).toBe(true);
  expect(await pruned.inventory('dc1')).toEqual(['dc1//ConfigMap/default/a']);
});
