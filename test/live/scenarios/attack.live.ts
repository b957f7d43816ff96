import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest } from '../../../src/core/manifest/manifest';
import { GROUPS } from '../../../src/core/manifest/names';
import { refOf } from '../../../src/engine/cluster/cluster';
import { appOf, APPLY_SET, applySetId } from '../../../src/engine/fields/apply-set';
import { Attacked, ATTACKERS } from '../attack/attackers';
import { wrongAnswers } from '../lab/access';

const FLEET_DEFAULT = 'fleet-default';
const GLOBAL_DATA = 'cattle-global-data';
/** Where Rancher lets a Standard User create Secrets since 2.12.1, as in docs/security/standard-users.md. */
const OPEN_NAMESPACES = [GLOBAL_DATA, FLEET_DEFAULT];
/** Where Rancher lets a Standard User create Clusters, as in docs/security/standard-users.md. */
const CLUSTER_NAMESPACES = [FLEET_DEFAULT, 'default', 'cattle-system'];
const GRANT_MS = 20_000;

/** What docs/security/standard-users.md calls refused to a Standard User, wherever it is asked for. */
const REFUSED = [
  { group: GROUPS.MANAGEMENT, resource: 'projects' },
  { group: GROUPS.MANAGEMENT, resource: 'globalroles' },
  { group: GROUPS.MANAGEMENT, resource: 'globalrolebindings' },
  { group: GROUPS.MANAGEMENT, resource: 'roletemplates' },
  { group: GROUPS.MANAGEMENT, resource: 'clusterroletemplatebindings' },
  { group: GROUPS.MANAGEMENT, resource: 'projectroletemplatebindings' },
  { group: GROUPS.MANAGEMENT, resource: 'clusterregistrationtokens' },
  { group: GROUPS.MANAGEMENT, resource: 'users' },
  { group: GROUPS.MANAGEMENT, resource: 'tokens' },
  { group: GROUPS.MANAGEMENT, resource: 'nodetemplates' },
  { resource: 'namespaces' },
  { resource: 'serviceaccounts' },
  { resource: 'configmaps' },
  { group: 'rbac.authorization.k8s.io', resource: 'roles' },
  { group: 'rbac.authorization.k8s.io', resource: 'rolebindings' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
  { group: 'bitnami.com', resource: 'sealedsecrets' },
  { group: 'external-secrets.io', resource: 'externalsecrets' },
];

describe('an attacker', () => {
  let attacked: Attacked;

  beforeAll(async () => {
    attacked = await Attacked.open('attack');
    expect(await attacked.commit()).toEqual([]);
  });
  afterAll(async () => {
    expect((await attacked?.close()) ?? []).toEqual([]);
  });

  test.each(ATTACKERS)(
    'with the permissions of %s cannot read or write what a run trusts',
    async (name) => {
      const { namespace, name: inventory } = appOf(attacked.walk.app).parent;
      const clusterNamespace = attacked.clusterId;
      const may = await attacked.wrongly(name, false, [
        { verb: 'get', resource: 'configmaps', namespace, name: inventory },
        { verb: 'update', resource: 'configmaps', namespace, name: inventory },
        { verb: 'create', resource: 'configmaps', namespace },
        // where earlier versions had the inventory
        { verb: 'create', resource: 'configmaps', namespace: 'default' },
        { verb: 'get', resource: 'secrets', namespace, name: inventory },
        { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace },
        { verb: 'get', resource: 'secrets', namespace: 'cattle-system' },
        { verb: 'get', resource: 'secrets', namespace: clusterNamespace },
        { verb: 'create', resource: 'secrets', namespace: clusterNamespace },
        { verb: 'create', resource: 'secrets', namespace: 'cattle-local-user-passwords' },
        { verb: 'create', group: GROUPS.MANAGEMENT, resource: 'users' },
        { verb: 'create', group: GROUPS.MANAGEMENT, resource: 'globalrolebindings' },
        { verb: 'update', group: GROUPS.MANAGEMENT, resource: 'settings' },
        { verb: 'update', group: GROUPS.MANAGEMENT, resource: 'authconfigs' },
      ]);
      expect(may).toEqual([]);
    },
  );

  test('that is a Standard User can create Secrets in the documented namespaces, and read or change none', async () => {
    const { lab } = attacked;
    const namespaces = (await lab.server('rancher').cluster.list('v1', 'Namespace')).map(
      ({ metadata }) => metadata.name,
    );
    expect(namespaces).toEqual(expect.arrayContaining(OPEN_NAMESPACES));
    const secrets = (verb: string, namespace: string) => ({
      verb,
      resource: 'secrets',
      namespace,
    });
    const closed = namespaces.filter((namespace) => !OPEN_NAMESPACES.includes(namespace));
    expect(
      await attacked.wrongly(
        'standard',
        false,
        closed.map((namespace) => secrets('create', namespace)),
      ),
    ).toEqual([]);
    expect(
      await attacked.wrongly(
        'standard',
        true,
        OPEN_NAMESPACES.map((namespace) => secrets('create', namespace)),
      ),
    ).toEqual([]);
    const others = ['get', 'list', 'update', 'patch', 'delete'];
    expect(
      await attacked.wrongly(
        'standard',
        false,
        OPEN_NAMESPACES.flatMap((namespace) => others.map((verb) => secrets(verb, namespace))),
      ),
    ).toEqual([]);
  });

  test('that is a Standard User can create none of the kinds that the page calls refused', async () => {
    const refused = CLUSTER_NAMESPACES.flatMap((namespace) =>
      REFUSED.map((kind) => ({ verb: 'create', namespace, ...kind })),
    );
    expect(await attacked.wrongly('standard', false, refused)).toEqual([]);
    const clusters = { group: GROUPS.PROVISIONING, resource: 'clusters' };
    const machines = { group: 'rke-machine-config.cattle.io', resource: 'harvesterconfigs' };
    const allowed = CLUSTER_NAMESPACES.flatMap((namespace) => [
      { verb: 'create', namespace, ...clusters },
      { verb: 'create', namespace, ...machines },
    ]);
    expect(await attacked.wrongly('standard', true, allowed)).toEqual([]);
  });

  test('that is a Standard User owns each Cluster that it creates, also without the annotation', async () => {
    const { lab } = attacked;
    const user = attacked.user('standard');
    const name = lab.name('own');
    const ref = { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', name };
    const cluster = {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name, namespace: FLEET_DEFAULT },
      spec: {},
    };
    await attacked.create('standard', cluster);
    const { cluster: server } = lab.server('rancher');
    let id: unknown;
    for (const end = Date.now() + GRANT_MS; !id && Date.now() < end; await sleep(500)) {
      const live = await server.read({ ...ref, namespace: FLEET_DEFAULT });
      id = (live?.status as { clusterName?: string } | undefined)?.clusterName;
    }
    const owned = {
      on: 'rancher',
      user,
      group: GROUPS.MANAGEMENT,
      resource: 'clusters',
      name: String(id),
      allowed: true,
    } as const;
    expect(
      await wrongAnswers(lab, [
        { ...owned, verb: 'update' },
        { ...owned, verb: 'delete' },
      ]),
    ).toEqual([]);
  });

  test('can write any mark on a Secret, which no run believes, and keeps a cloud credential', async () => {
    const { lab, walk } = attacked;
    const forged: Manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: lab.name('forged'),
        namespace: FLEET_DEFAULT,
        annotations: { 'field.cattle.io/creatorId': 'user-admin' },
        labels: {
          'cattle.io/creator': 'norman',
          [APPLY_SET.PART_OF]: applySetId(appOf(walk.app)),
        },
      },
      ...{ type: 'Opaque', data: {} },
    };
    await attacked.create('standard', forged);
    const live = await lab.server('rancher').cluster.read(refOf(forged));
    expect(live!.metadata.annotations).toMatchObject(forged.metadata.annotations!);
    expect(live!.metadata.labels).toMatchObject(forged.metadata.labels!);
    const credential: Manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: lab.name('credential'), namespace: GLOBAL_DATA },
      ...{ type: 'provisioning.cattle.io/cloud-credential', data: {} },
    };
    await attacked.create('standard', credential);
    const own = { on: 'rancher', user: attacked.user('standard'), resource: 'secrets' } as const;
    const verbs = ['get', 'update', 'delete'];
    expect(
      await wrongAnswers(
        lab,
        verbs.flatMap((verb) => [
          { ...own, ...refOf(credential), verb, allowed: true },
          { ...own, ...refOf(forged), verb, allowed: false },
        ]),
        GRANT_MS,
      ),
    ).toEqual([]);
    // nothing of others is deleted that has the marks of the app
    expect(await attacked.commit()).toEqual([]);
    expect(
      (await lab.server('rancher').cluster.read(refOf(forged)))?.metadata.deletionTimestamp,
    ).toBeUndefined();
  });

  test('that claims with a Cluster to be a part of the app loses nothing', async () => {
    const { lab, walk } = attacked;
    const claimed: Manifest = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name: lab.name('claimed'),
        namespace: FLEET_DEFAULT,
        labels: { [APPLY_SET.PART_OF]: applySetId(appOf(walk.app)) },
      },
      ...{ spec: {} },
    };
    const server = lab.server('rancher');
    await server.createAs(attacked.user('standard'), claimed, appOf(walk.app).fieldManager);
    expect(await attacked.commit()).toEqual([]);
    const live = await server.cluster.read(refOf(claimed));
    expect(live?.metadata.deletionTimestamp).toBeUndefined();
  });
});
