import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Size } from 'cdk8s';
import { parse, stringify } from 'yaml';
import { apply, plan } from '../../../src/commands';
import { Manifest, valueAt } from '../../../src/core/manifest/manifest';
import { appOf } from '../../../src/engine/fields/apply-set';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { CloudConfigSecret } from '../../../src/guest/cloud-provider/cloud-config-secret';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { rbacOf } from '../../../src/report/rbac/rbac';
import { tempFolder } from '../../support/temp';
import { standInForClusterApi } from '../families/guests';
import { wrongAnswers } from '../lab/access';
import { kubeconfigFiles } from '../lab/kubeconfigs';
import { Lab, TARGETS } from '../lab/lab';
import { Charts, Walk } from '../walk/walk';

const SERVER = 'https://10.10.0.10:6443';
const BY_HAND = { fieldManager: 'live-scenarios' } as const;

/** A platform, and a tenant with a program, an app, and an identity of its own. */
describe('two programs', () => {
  let lab: Lab;
  let ours: Walk;
  let theirs: Walk;
  let end: () => void;
  const clusterId = (name: string): string => `c-m-${lab.prefix}${name}`;

  /** The credential that both programs would write. */
  const declareShared = ({ rancher, dc1 }: Charts): void => {
    CloudCredential.serviceAccount(rancher, 'shared', {
      name: lab.name('shared'),
      harvesterImport: HarvesterImport.fromClusterId(rancher, 'shared-import', {
        clusterId: clusterId('h'),
        harvester: dc1,
      }),
      namespaces: [HarvesterNamespace.fromName(dc1, 'shared-in', { name: lab.name('vms') })],
      server: SERVER,
    });
  };

  const platform =
    (...namespaces: readonly string[]) =>
    (charts: Charts): void => {
      const { rancher, dc1 } = charts;
      const owner = new LocalUser(rancher, 'owner', {
        name: lab.name('owner'),
        permissions: [GlobalPermission.USER],
      });
      const cluster = new HarvesterImport(rancher, 'import', {
        harvester: dc1,
        name: lab.name('dc1'),
        clusterId: ClusterId.fixed(clusterId('h')),
        register: false,
      });
      const shop = new TenantProject(rancher, 'shop', {
        cluster,
        name: lab.name('shop'),
        tenantNamespaces: namespaces.map((name) => ({ name: lab.name(name) })),
        members: [ProjectMember.owner(Principal.localUser(owner))],
      });
      const vms = shop.declaredNamespace(lab.name('vms'));
      CloudCredential.serviceAccount(rancher, 'credential', {
        name: lab.name('cc'),
        harvesterImport: cluster,
        namespaces: namespaces.map((name) => shop.declaredNamespace(lab.name(name))),
        server: SERVER,
      });
      new CloudConfigSecret(rancher, 'config', {
        name: lab.name('config'),
        vmNamespace: vms,
        clusterName: lab.name('web'),
        server: SERVER,
      });
      declareShared(charts);
    };

  const tenant =
    (memory: number, namespace = 'vms') =>
    ({ rancher, dc1 }: Charts): void => {
      new GuestCluster(rancher, 'web', {
        name: lab.name('web'),
        clusterId: ClusterId.fixed(clusterId('w')),
        harvesterImport: HarvesterImport.fromClusterId(rancher, 'import', {
          clusterId: clusterId('h'),
          harvester: dc1,
        }),
        vmNamespace: HarvesterNamespace.fromName(dc1, 'vms', { name: lab.name(namespace) }),
        credential: CloudCredential.fromName(rancher, 'credential', { name: lab.name('cc') }),
        cloudProvider: CloudProvider.harvester({
          existingCloudConfig: CloudConfigSecret.fromName(rancher, 'config', {
            name: lab.name('config'),
          }),
        }),
        kubernetes: Kubernetes.rke2('v1.34.4+rke2r1'),
        pools: [
          {
            name: 'all',
            quantity: 1,
            roles: MachineRoles.ALL,
            cpus: 2,
            memory: Size.gibibytes(memory),
            disks: [
              Disk.image(
                VmImage.fromName(dc1, 'image', { name: lab.name('image') }),
                Size.gibibytes(20),
              ),
            ],
            networks: [VmNetwork.fromName(dc1, 'network', { name: lab.name('network') })],
          },
        ],
      });
    };

  /** What someone else wrote, which the first apply accepts by name. */
  const adopt = (): string[] => [
    `rancher//Secret/cattle-global-data/${lab.name('cc')}`,
    `rancher//Secret/fleet-default/${lab.name('config')}`,
  ];

  /** Grants what `rbac` prints for a program, and returns a config file with its identity alone. */
  async function identityOf(app: string, dist: string): Promise<string> {
    const { cluster } = lab.server('rancher');
    const program = loadAssembly(dist);
    const target = program.assembly.targets.find(({ name }) => name === TARGETS.rancher)!;
    const { manifests } = rbacOf(program, target, { app: appOf(app), canDelete: true });
    for (const manifest of manifests) {
      await cluster.apply(manifest, BY_HAND);
    }
    const { metadata } = manifests.find(({ kind }) => kind === 'ServiceAccount')!;
    const secret: Manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `${lab.name('tenant')}-token`,
        namespace: metadata.namespace,
        annotations: { 'kubernetes.io/service-account.name': metadata.name },
      },
      type: 'kubernetes.io/service-account-token',
    };
    await cluster.apply(secret, BY_HAND);
    const ref = { apiVersion: 'v1', kind: 'Secret', ...secret.metadata };
    let token: unknown;
    for (let tries = 0; tries < 30 && typeof token !== 'string'; tries++) {
      await sleep(500);
      token = valueAt(await cluster.read(ref), 'data', 'token');
    }
    return configOf(Buffer.from(String(token), 'base64').toString('utf8'));
  }

  /** A config file that reaches Rancher alone, with a token. */
  function configOf(token: string): string {
    const { kubeconfig: file } = kubeconfigFiles(process.env).get('rancher')!;
    const admin = parse(readFileSync(file, 'utf8'));
    const kubeconfig = join(lab.folder, 'tenant.kubeconfig');
    const [{ name: user }] = admin.users;
    writeFileSync(kubeconfig, stringify({ ...admin, users: [{ name: user, user: { token } }] }));
    const config = join(lab.folder, 'tenant.yaml');
    const context = admin['current-context'];
    writeFileSync(config, stringify({ targets: { [TARGETS.rancher]: { kubeconfig, context } } }));
    return config;
  }

  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
    end = await standInForClusterApi(lab);
    ours = new Walk(lab, 'platform');
  });
  afterAll(async () => {
    const wrong = [
      ...((await theirs?.destroy().catch(({ message }) => [message])) ?? []),
      ...((await ours?.destroy().catch(({ message }) => [message])) ?? []),
      ...((await lab?.clean()) ?? []),
    ];
    end?.();
    lab?.close();
    expect(wrong).toEqual([]);
  });

  test('write what is theirs, the tenant with an identity that rbac grants, and without Harvester', async () => {
    expect(await ours.commit(platform('vms'))).toEqual([]);
    const first = new Walk(lab, 'first').synthesize(tenant(4));
    const config = await identityOf(lab.name('tenant'), first);
    theirs = new Walk(Object.create(lab, { config: { value: config } }) as Lab, 'tenant');
    expect(await theirs.commit(tenant(4), { acceptExisting: adopt() })).toEqual([]);
  });

  test('each has a second commit that the other one does not see', async () => {
    expect(await ours.commit(platform('vms', 'more'))).toEqual([]);
    expect(await theirs.commit(tenant(8), { pruneMachines: true })).toEqual([]);
  });

  test('a project owner can neither read the credential nor use it in a Cluster', async () => {
    const user = lab.name('owner');
    const on = { on: 'rancher', user, allowed: false } as const;
    const clusters = { group: 'provisioning.cattle.io', resource: 'clusters' };
    const secrets = { resource: 'secrets', namespace: 'cattle-global-data' };
    expect(
      await wrongAnswers(lab, [
        { ...on, ...clusters, verb: 'create', namespace: 'fleet-default', allowed: true },
        { ...on, ...clusters, verb: 'patch', namespace: 'fleet-default' },
        { ...on, ...secrets, verb: 'get', name: lab.name('cc') },
      ]),
    ).toEqual([]);
    const cluster = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name: lab.name('other'),
        namespace: 'fleet-default',
        annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
      },
      // without a version, Rancher's webhook fails before it asks for the credential
      spec: {
        kubernetesVersion: 'v1.34.4+rke2r1',
        cloudCredentialSecretName: `cattle-global-data:${lab.name('cc')}`,
        rkeConfig: {},
      },
    };
    await expect(lab.server('rancher').createAs(user, cluster, 'owner')).rejects.toThrow(
      'denied the request: Unauthorized',
    );
  });

  test('apply refuses what the other program wrote, and the app of the other program', async () => {
    const { config } = lab;
    const dist = theirs.synthesize((charts) => {
      tenant(8)(charts);
      declareShared(charts);
    });
    const { plan: planned } = await plan(dist, { config, app: theirs.app });
    const refused = planned.steps.filter((step) =>
      step.refused?.includes(`belongs to app ${ours.app}`),
    );
    expect(refused.map(({ id }) => id.split('/').at(-1))).toContain(lab.name('shared'));
    const other = theirs.synthesize(tenant(8));
    await expect(apply(other, { config, app: ours.app })).rejects.toThrow(
      'if this is another program, set its own --app',
    );
  });

  test('the platform keeps the credential of a cluster of the tenant, and deletes it afterwards', async () => {
    const { config } = lab;
    const without = ours.synthesize(() => undefined);
    const options = { config, app: ours.app, acceptEmpty: true, timeoutMs: 30_000 };
    const { failed } = await apply(without, options);
    expect(failed.map(({ id }) => id)).toContain(
      `rancher//Secret/cattle-global-data/${lab.name('cc')}`,
    );
    expect(await theirs.commit(() => undefined, { pruneMachines: true })).toEqual([]);
  });
});
