import { appOf } from '../../../src/engine/fields/apply-set';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { ApiError } from '../../../src/engine/transport/api';
import { SmallProgram } from '../graph/_assemblies';
import { APP, Trial, fake, writes } from '../run/_running';

const CLUSTER = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
const CREDENTIAL = 'rancher//Secret/cattle-global-data/cc-prod';
const REGISTRY = 'rancher//Secret/fleet-default/registry';
const WRITTEN = 'apply Cluster fleet-default/shop';

/** A guest cluster that names Secrets which the program does not declare. */
function guest(spec: object = {}, rkeConfig: object = {}): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop', {
    spec: { cloudCredentialSecretName: 'cattle-global-data:cc-prod', ...spec, rkeConfig },
  });
  return program;
}

/** The same, by a construct that refers to the credential. */
function byConstruct(program: SmallProgram): SmallProgram {
  const { assembly } = program;
  const known = {
    target: 'rancher',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'cattle-global-data',
    name: 'cc-prod',
    construct: 'rancher/prod-credential',
  };
  return Object.defineProperty(program, 'assembly', { value: { ...assembly, known: [known] } });
}

function secret(namespace: string, name: string, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, ...metadata } };
}

/** What a Standard User creates through Rancher's API, with all marks that a user can set. */
function prepare(trial: Trial, manager = 'rancher', metadata: object = {}): void {
  trial.clusters.rancher.seed(
    secret('cattle-global-data', 'cc-prod', {
      annotations: { 'field.cattle.io/creatorId': 'u-mallory' },
      labels: { 'cattle.io/creator': 'norman' },
      ...metadata,
    }),
    manager,
    manager.startsWith('cdk8s') ? 'Apply' : 'Update',
  );
}

function recreate(trial: Trial): void {
  const { objects } = trial.clusters.rancher;
  const [key] = [...objects].find(([, { metadata }]) => metadata.name === 'cc-prod')!;
  objects.delete(key);
  prepare(trial);
}

const failuresOf = async (trial: Trial, adopt?: readonly string[]): Promise<string> =>
  (await trial.apply({ acceptExisting: adopt })).failed.map(({ message }) => message).join('\n');

describe('a credential that the program names and does not declare', () => {
  test('is refused by plan and apply, with its writers, the construct, and what they decide', async () => {
    const trial = new Trial(byConstruct(guest()));
    prepare(trial);
    const step = (await trial.plan()).steps.find(({ id }) => id === CLUSTER)!;
    const says =
      'Secret cattle-global-data/cc-prod, which spec.cloudCredentialSecretName (rancher/prod-credential) names, is of someone else: ' +
      'created by u-mallory (field.cattle.io/creatorId); created by norman (cattle.io/creator); written by rancher. ' +
      'The user who wrote it decides on which Harvester Rancher creates the machines, and with which account. Fix: find out who wrote it; ' +
      `delete it if you do not know it; declare it in the program, or, to use it as it is, set --accept-existing '${CREDENTIAL}'`;
    expect(step.refused).toBe(says);
    expect(await failuresOf(trial)).toContain(says);
    expect(writes(trial.clusters.rancher)).not.toContain(WRITTEN);
  });

  test('is refused although it carries the marks of this app', async () => {
    const trial = new Trial(guest());
    prepare(trial, APP.fieldManager);
    expect(await failuresOf(trial)).toContain('is of someone else');
  });

  test('is used once it is accepted, is not asked about again, and is refused when it was recreated', async () => {
    const trial = new Trial(guest());
    prepare(trial);
    expect(await failuresOf(trial, [CREDENTIAL])).toBe('');
    expect(trial.told).toContain('of someone else (created by u-mallory');
    expect(writes(trial.clusters.rancher)).toContain(WRITTEN);
    trial.forget();
    expect(await failuresOf(trial)).toBe('');
    expect(trial.told).not.toContain('u-mallory');
    recreate(trial);
    expect(await failuresOf(trial)).toContain(
      'was recreated by someone else since it was accepted (its UID changed from',
    );
  });

  test('is refused together with all others that the object names', async () => {
    const trial = new Trial(
      guest(
        {},
        {
          etcd: { s3: { cloudCredentialName: 'cattle-global-data:cc-s3' } },
          registries: { configs: { 'r.example.com': { authConfigSecretName: 'registry' } } },
          machineSelectorConfig: [
            { config: { 'cloud-provider-config': 'secret://fleet-default:cloud' } },
          ],
          machineSelectorFiles: [{ fileSources: [{ secret: { name: 'files' } }] }],
        },
      ),
    );
    const { rancher } = trial.clusters;
    prepare(trial);
    rancher.seed(secret('cattle-global-data', 'cc-s3'));
    for (const name of ['registry', 'cloud', 'files']) {
      rancher.seed(secret('fleet-default', name));
    }
    const says = await failuresOf(trial);
    for (const id of [
      CREDENTIAL,
      'rancher//Secret/cattle-global-data/cc-s3',
      REGISTRY,
      'rancher//Secret/fleet-default/cloud',
      'rancher//Secret/fleet-default/files',
    ]) {
      expect(says).toContain(`--accept-existing '${id}'`);
    }
  });

  test('that does not exist yet is reported, since anyone can create it', async () => {
    const trial = new Trial(guest());
    expect(await failuresOf(trial)).toBe('');
    expect(trial.told).toContain(
      'Secret cattle-global-data/cc-prod, which spec.cloudCredentialSecretName names, does not exist yet: the user who creates it decides on which Harvester',
    );
  });

  test('that this identity cannot read is refused, unless it is accepted', async () => {
    const trial = new Trial(guest());
    prepare(trial);
    trial.clusters.rancher.fault = ({ verb, what }) =>
      verb === 'read' && what === 'Secret cattle-global-data/cc-prod'
        ? new ApiError('forbidden', 'secrets "cc-prod" is forbidden', 403)
        : undefined;
    const step = (await trial.plan()).steps.find(({ id }) => id === CLUSTER)!;
    expect(step.refused).toContain('secrets "cc-prod" is forbidden. Fix: allow this identity');
    expect(await failuresOf(trial)).toContain('cannot check who wrote Secret');
    expect(await failuresOf(trial, [CREDENTIAL])).toBe('');
    expect(trial.told).toContain('without reading it, as you accepted');
    expect(await failuresOf(trial, [`${CREDENTIAL}=a-uid`])).toBe('');
    expect(await failuresOf(trial, [`${CREDENTIAL}-2=a-uid`])).toContain('cannot check who wrote');
  });
});

describe('a credential that needs no consent', () => {
  test('is one that another app wrote, as its inventory shows', async () => {
    const other = appOf('platform');
    const platform = new SmallProgram().target('rancher', 'rancher');
    platform.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-prod');
    const clusters = { rancher: fake('uid-of-rancher') };
    expect((await new Trial(platform, clusters).apply({ app: other })).failed).toEqual([]);
    expect((await readInventory(clusters.rancher, other))?.entries).toHaveLength(1);
    const trial = new Trial(guest(), clusters);
    expect(await failuresOf(trial)).toBe('');
    // the field manager alone shows nothing
    recreate(trial);
    trial.clusters.rancher.change(secret('cattle-global-data', 'cc-prod'), ({ metadata }) => {
      metadata.managedFields = [{ manager: other.fieldManager, operation: 'Apply' }];
      metadata.uid = 'forged';
    });
    expect(await failuresOf(trial)).toContain('was recreated by someone else');
  });

  test.each([
    [
      'declares it',
      (program: SmallProgram) => {
        program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-prod');
      },
    ],
    [
      'declares what makes it',
      (program: SmallProgram) => {
        program.object(
          'rancher',
          'external-secrets.io/v1',
          'ExternalSecret',
          'cattle-global-data/cc-prod',
          { spec: {} },
        );
      },
    ],
  ])('is one of a program that %s', async (_, add) => {
    const program = guest();
    add(program);
    const trial = new Trial(program);
    const steps = (await trial.plan()).steps.find(({ id }) => id === CLUSTER)!;
    expect(steps.preconditions?.map(({ id }) => id) ?? []).not.toContain('named-secrets');
  });
});

test('an --accept-existing of a Secret that no object names is an error', async () => {
  const trial = new Trial(guest());
  prepare(trial);
  await expect(
    trial.apply({ acceptExisting: ['rancher//Secret/cattle-global-data/cc-typo'] }),
  ).rejects.toThrow(
    '--accept-existing: must be the ID of an object, got rancher//Secret/cattle-global-data/cc-typo',
  );
});

test('the Secret of encrypted volumes on a Harvester decides the passphrase', async () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  program.object('dc1', 'storage.k8s.io/v1', 'StorageClass', 'encrypted', {
    provisioner: 'driver.longhorn.io',
    parameters: {
      'csi.storage.k8s.io/provisioner-secret-name': 'passphrase',
      'csi.storage.k8s.io/provisioner-secret-namespace': 'default',
      'csi.storage.k8s.io/node-stage-secret-name': '${pvc.name}',
      'csi.storage.k8s.io/node-stage-secret-namespace': 'default',
    },
  });
  const trial = new Trial(program);
  trial.clusters.dc1.seed(secret('default', 'passphrase'));
  const says = await failuresOf(trial);
  expect(says).toContain('decides with which passphrase the volumes are encrypted');
  expect(says).not.toContain('pvc.name');
});
