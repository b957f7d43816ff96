import { groupOf, kindKey } from '../../../../src/core/manifest/manifest';
import { ApiError } from '../../../../src/engine/transport/api';
import { FakeCluster } from '../../../support/fake-cluster';
import { withFamilies } from '../../../support/recordings';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial, appliedThen } from '../_running';

const MANAGEMENT = 'management.cattle.io/v3';
const HARVESTER = 'harvesterhci.io/v1beta1';
const KUBEVIRT = 'kubevirt.io/v1';

/** An owner as a server names it. */
type Owner = readonly [apiVersion: string, kind: string, path: string];

/** An object that a server gives an owner, and that owner. */
interface OwnedKind {
  readonly what: string;
  readonly target: 'rancher' | 'dc1';
  readonly owned: readonly [apiVersion: string, kind: string, path: string, content?: object];
  readonly owner: Owner;
  /** Where the owner was seen: a recording, or the source. */
  readonly source: string;
}

/**
 * The kinds of programs whose objects a server gives an owner. Rancher makes more, such as the Roles
 * of a Project, which no program declares.
 */
const OWNED: readonly OwnedKind[] = [
  {
    what: 'a GlobalRoleBinding, of its role',
    target: 'rancher',
    owned: [MANAGEMENT, 'GlobalRoleBinding', 'grb-root', { globalRoleName: 'admin' }],
    owner: [MANAGEMENT, 'GlobalRole', 'admin'],
    source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding/mutator.go',
  },
  {
    what: 'a password in plain text, of its User',
    target: 'rancher',
    owned: ['v1', 'Secret', 'cattle-local-user-passwords/u-ana', { data: { password: 'cA==' } }],
    owner: [MANAGEMENT, 'User', 'u-ana'],
    source: 'rancher/webhook:pkg/resources/core/v1/secret/mutator.go',
  },
  {
    what: 'a UserAttribute, of its User',
    target: 'rancher',
    owned: [MANAGEMENT, 'UserAttribute', 'u-ana'],
    owner: [MANAGEMENT, 'User', 'u-ana'],
    source: 'rancher/rancher:pkg/user/manager.go',
  },
  {
    what: 'a FleetWorkspace, of its Namespace',
    target: 'rancher',
    owned: [MANAGEMENT, 'FleetWorkspace', 'team'],
    owner: ['v1', 'Namespace', 'team'],
    source: 'rancher/rancher:pkg/controllers/provisioningv2/fleetworkspace/controller.go',
  },
  {
    what: 'a machine configuration, of its Cluster',
    target: 'rancher',
    owned: ['rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'fleet-default/nc-shop-cp'],
    owner: ['provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop'],
    source: 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go',
  },
  {
    what: 'a version of a template, of its template',
    target: 'dc1',
    owned: [HARVESTER, 'VirtualMachineTemplateVersion', 'default/web-2'],
    owner: [HARVESTER, 'VirtualMachineTemplate', 'default/web'],
    source: 'harvester/harvester:pkg/controller/master/template/template_version_controller.go',
  },
  {
    what: 'a claim of a PCI device, of its device',
    target: 'dc1',
    owned: ['devices.harvesterhci.io/v1beta1', 'PCIDeviceClaim', 'node1-000004010'],
    owner: ['devices.harvesterhci.io/v1beta1', 'PCIDevice', 'node1-000004010'],
    source: 'harvester/pcidevices:pkg/webhook/pcideviceclaim.go',
  },
  {
    what: 'a claim of a USB device, of its device',
    target: 'dc1',
    owned: ['devices.harvesterhci.io/v1beta1', 'USBDeviceClaim', 'node1-usb-1'],
    owner: ['devices.harvesterhci.io/v1beta1', 'USBDevice', 'node1-usb-1'],
    source: 'test/recordings/rancher-2.15.0-harvester-1.8.2-families/harvester-hosts.json',
  },
  {
    what: 'any object, of an object that others made',
    target: 'dc1',
    owned: ['v1', 'ConfigMap', 'default/owned'],
    owner: ['apps/v1', 'Deployment', 'default/web'],
    source: 'kubernetes/kubernetes:pkg/controller/garbagecollector/garbagecollector.go',
  },
];

const placeOf = (path: string) => {
  const [name, namespace] = path.split('/').reverse();
  return namespace === undefined ? { name } : { name, namespace };
};

const idOf = (
  target: string,
  [apiVersion, kind, path]: readonly [string, string, string, ...unknown[]],
) => {
  const { name, namespace = '' } = placeOf(path);
  return `${target}/${kindKey(groupOf(apiVersion), kind)}/${namespace}/${name}`;
};

const base = (): SmallProgram => {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  small.configMap('stays', 'rancher');
  small.configMap('stays', 'dc1');
  return small;
};

function declare(small: SmallProgram, target: string, object: OwnedKind['owned'] | Owner): void {
  const [apiVersion, kind, path, content] = object as OwnedKind['owned'];
  small.object(target, apiVersion, kind, path, content as { [field: string]: unknown });
}

/** Names an owner on a live object, as a server does. */
function giveOwner(
  cluster: FakeCluster,
  owned: OwnedKind['owned'],
  owner: Owner,
  uid: string,
): void {
  const [apiVersion, kind, path] = owned;
  cluster.change({ apiVersion, kind, ...placeOf(path) }, (live) => {
    const { name } = placeOf(owner[2]);
    live.metadata.ownerReferences = [{ apiVersion: owner[0], kind: owner[1], name, uid }];
  });
}

const exists = (
  cluster: FakeCluster,
  [apiVersion, kind, path]: readonly [string, string, string, ...unknown[]],
) => {
  const { name, namespace } = placeOf(path);
  return cluster.has(apiVersion, kind, name, namespace);
};

describe.each(OWNED)('$what', ({ target, owned, owner }) => {
  const id = idOf(target, owned);

  /** Applied, given its owner, which exists, and then removed from the program. */
  const removed = async (): Promise<{ trial: Trial; cluster: FakeCluster }> => {
    const before = base();
    declare(before, target, owned);
    const trial = await appliedThen(before, base());
    const cluster = trial.clusters[target];
    const [apiVersion, kind, path] = owner;
    const { metadata } = cluster.seed({ apiVersion, kind, metadata: placeOf(path) }, 'rancher');
    giveOwner(cluster, owned, owner, metadata.uid);
    return { trial, cluster };
  };

  test('is deleted when it leaves the program, while its owner remains', async () => {
    const { trial, cluster } = await removed();
    const step = (await trial.plan()).steps.find((each) => each.id === id);
    expect(step).toMatchObject({ action: 'prune', reason: 'is no longer declared' });
    expect((await trial.apply()).failed).toEqual([]);
    expect(exists(cluster, owned)).toBe(false);
    expect(exists(cluster, owner)).toBe(true);
    expect(await trial.inventory(target)).not.toContain(id);
  });

  test('is deleted by destroy', async () => {
    const { trial, cluster } = await removed();
    expect((await trial.destroy()).failed).toEqual([]);
    expect(exists(cluster, owned)).toBe(false);
  });
});

test('knows each kind that a recorded server gave an owner', () => {
  const known = new Set(OWNED.map(({ owned: [, kind], owner }) => `${kind} of ${owner[1]}`));
  const recorded = withFamilies().flatMap(({ objects }) =>
    objects.flatMap(({ states }) =>
      states.flatMap(({ object: { kind, metadata } }) =>
        (metadata?.ownerReferences ?? []).map((owner) => `${kind} of ${String(owner.kind)}`),
      ),
    ),
  );
  expect(recorded).toContain('GlobalRoleBinding of GlobalRole');
  expect([...new Set(recorded)].filter((each) => !known.has(each))).toEqual([]);
});

const TEMPLATE = [HARVESTER, 'VirtualMachineTemplate', 'default/web'] as const;
const VERSION = [
  HARVESTER,
  'VirtualMachineTemplateVersion',
  'default/web-1',
  {
    spec: { templateId: 'default/web' },
  },
] as const;

const REFUSAL = 'Cannot delete the default templateVersion';

/** A webhook that refuses to delete one kind of object, and a garbage collector. */
function refusing(cluster: FakeCluster, kind: string, of: Owner, message: string): void {
  cluster.fault = ({ verb, what }) =>
    verb === 'delete' && what.startsWith(`${kind} `) && exists(cluster, of)
      ? new ApiError('invalid', `admission webhook "x" denied the request: ${message}`, 400)
      : undefined;
}

/** Deletes what an object owned, once it is gone. */
function collect(cluster: FakeCluster, uid: string): void {
  for (const [key, object] of [...cluster.objects]) {
    const owners: { uid: string }[] = object.metadata.ownerReferences ?? [];
    if (owners.some((owner) => owner.uid === uid)) {
      cluster.objects.delete(key);
    }
  }
}

describe('an object that the server refuses to delete before its owner', () => {
  const applied = async (after: SmallProgram, uidOf = (uid: string) => uid): Promise<Trial> => {
    const before = base();
    declare(before, 'dc1', TEMPLATE);
    declare(before, 'dc1', VERSION);
    const trial = await appliedThen(before, after);
    const { dc1 } = trial.clusters;
    const { uid } = dc1.live(TEMPLATE[0], TEMPLATE[1], 'web', 'default').metadata;
    giveOwner(dc1, VERSION, TEMPLATE, uidOf(uid));
    refusing(dc1, 'VirtualMachineTemplateVersion', TEMPLATE, REFUSAL);
    dc1.reactions.push((object) => {
      if (object.kind === 'VirtualMachineTemplate' && object.metadata.deletionTimestamp) {
        collect(dc1, object.metadata.uid);
      }
    });
    return trial;
  };
  const id = idOf('dc1', VERSION);

  test.each(['apply', 'destroy'] as const)('is deleted with it by %s', async (command) => {
    const trial = await applied(base());
    expect((await trial[command]()).failed).toEqual([]);
    expect(trial.told).toContain(`is deleted with ${idOf('dc1', TEMPLATE)}`);
    expect(trial.states(id).at(-1)).toBe('deleted');
    expect([TEMPLATE, VERSION].map((object) => exists(trial.clusters.dc1, object))).toEqual([
      false,
      false,
    ]);
    if (command === 'apply') {
      expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/default/stays']);
    }
  });

  test.each<[what: string, after: SmallProgram, uidOf: (uid: string) => string]>([
    [
      'while the owner remains',
      (() => {
        const small = base();
        declare(small, 'dc1', TEMPLATE);
        return small;
      })(),
      (uid) => uid,
    ],
    ['whose owner is another object of that name', base(), () => 'another'],
  ])('fails %s, and remains in the inventory', async (_, after, uidOf) => {
    const trial = await applied(after, uidOf);
    expect((await trial.apply()).failed).toMatchObject([
      { id, message: expect.stringContaining(REFUSAL) },
    ]);
    expect(await trial.inventory('dc1')).toContain(id);
  });
});

describe('a restore, which Harvester refuses to delete while its virtual machine exists', () => {
  const MACHINE = [KUBEVIRT, 'VirtualMachine', 'default/web'] as const;
  const RESTORE = [HARVESTER, 'VirtualMachineRestore', 'default/web-restore'] as const;
  const id = idOf('dc1', RESTORE);

  const applied = async (after: SmallProgram): Promise<Trial> => {
    const before = base();
    declare(before, 'dc1', MACHINE);
    declare(before, 'dc1', RESTORE);
    const trial = await appliedThen(before, after);
    const { dc1 } = trial.clusters;
    giveOwner(
      dc1,
      RESTORE,
      MACHINE,
      dc1.live(MACHINE[0], MACHINE[1], 'web', 'default').metadata.uid,
    );
    refusing(dc1, 'VirtualMachineRestore', MACHINE, 'the restored VM web exists');
    dc1.reactions.push((object) => {
      if (object.kind === 'VirtualMachine' && object.metadata.deletionTimestamp) {
        collect(dc1, object.metadata.uid);
      }
    });
    return trial;
  };

  test('is kept, as the plan shows, and deleted with its machine later', async () => {
    const after = base();
    declare(after, 'dc1', MACHINE);
    const trial = await applied(after);
    expect((await trial.plan()).steps.find((step) => step.id === id)).toMatchObject({
      action: 'keep',
      reason: expect.stringContaining('is deleted with VirtualMachine web'),
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect(await trial.inventory('dc1')).toContain(id);
    trial.declared = base();
    expect((await trial.apply({ pruneMachines: true })).failed).toEqual([]);
    expect(exists(trial.clusters.dc1, RESTORE)).toBe(false);
    expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/default/stays']);
  });

  test('is kept with a machine that is kept', async () => {
    const trial = await applied(base());
    const { kept = [] } = await trial.apply();
    expect(kept.map((each) => each.id)).toEqual([idOf('dc1', MACHINE)]);
    expect(await trial.inventory('dc1')).toContain(id);
    expect(exists(trial.clusters.dc1, RESTORE)).toBe(true);
  });
});

test('the garbage collector follows no owner in another namespace', async () => {
  const before = base();
  const [owner, owned] = [
    ['v1', 'ConfigMap', 'elsewhere/owner'],
    ['v1', 'ConfigMap', 'default/owned'],
  ] as const;
  declare(before, 'dc1', owner);
  declare(before, 'dc1', owned);
  const trial = await appliedThen(before, base());
  const { dc1 } = trial.clusters;
  giveOwner(dc1, owned, owner, dc1.live('v1', 'ConfigMap', 'owner', 'elsewhere').metadata.uid);
  dc1.fault = ({ verb, what }) =>
    verb === 'delete' && what === 'ConfigMap default/owned'
      ? new ApiError('invalid', 'admission webhook "x" denied the request: no', 400)
      : undefined;
  expect((await trial.apply()).failed).toMatchObject([{ id: idOf('dc1', owned) }]);
});

test('warns of a binding that it does not delete, since it still gives access', async () => {
  const before = base();
  const binding = OWNED[0].owned;
  declare(before, 'rancher', binding);
  const trial = await appliedThen(before, base());
  trial.clusters.rancher.change(
    { apiVersion: MANAGEMENT, kind: 'GlobalRoleBinding', name: 'grb-root' },
    (live) => {
      live.metadata.uid = 'recreated';
    },
  );
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.events).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      message: expect.stringMatching(
        /GlobalRoleBinding grb-root was recreated.*still gives access/,
      ),
    }),
  );
});

describe('a GlobalRoleBinding that Rancher holds while one of its clusters is being deleted', () => {
  const held = async (ownerOf: (uid: string) => string): Promise<Trial> => {
    const before = base();
    declare(before, 'rancher', OWNED[0].owned);
    const trial = await appliedThen(before, base());
    const { rancher } = trial.clusters;
    const binding = { apiVersion: MANAGEMENT, kind: 'GlobalRoleBinding', name: 'grb-root' };
    rancher.change(binding, (live) => {
      live.metadata.finalizers = ['controller.cattle.io/mgmt-auth-grb-controller'];
    });
    const { uid } = rancher.live(MANAGEMENT, 'GlobalRoleBinding', 'grb-root').metadata;
    const owner = { ...binding, uid: ownerOf(uid) };
    rancher.seed({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'cattle-globalrolebinding-grb-root', ownerReferences: [owner] },
    });
    expect((await trial.apply({ timeoutMs: 60_000 })).failed).toMatchObject([
      { message: expect.stringContaining('while one of its clusters is being deleted') },
    ]);
    expect(await trial.inventory('rancher')).toContain(idOf('rancher', OWNED[0].owned));
    return trial;
  };
  const isGranted = ({ clusters: { rancher } }: Trial): boolean =>
    rancher.has(
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      'cattle-globalrolebinding-grb-root',
    );

  test('loses its permissions at once, and remains in the inventory', async () => {
    const trial = await held((uid) => uid);
    expect(isGranted(trial)).toBe(false);
    expect(trial.told).toContain('its members have lost the permissions');
  });

  test('takes no permissions of another binding', async () => {
    expect(isGranted(await held(() => 'another'))).toBe(true);
  });
});
