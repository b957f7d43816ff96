import { KindReadiness } from '../../../src/core/kind/description/readiness';
import { KindReferences } from '../../../src/core/kind/description/references';
import { kindOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { Assembly } from '../../../src/core/output/assembly';
import { judgeAll } from '../../../src/core/rule/judge-all';
import { stagesOf } from '../../../src/delivery/stage/stages';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { reverseGraph } from '../../../src/engine/graph/reverse-graph';
import { inUse } from '../../../src/engine/precondition/in-use';
import { stillInUse, usersOfObject } from '../../../src/engine/removal/removal';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { FakeCluster } from '../../support/fake-cluster';
import {
  CREDENTIAL_ANNOTATIONS,
  cloudConfig,
  credential,
  guest,
  machineConfig,
} from '../../support/guest';
import { holds } from '../../support/health-expression';

type Source = (secret: Manifest, more?: object) => Manifest;

const template = ({ metadata: { annotations } }: Manifest): object => ({
  metadata: { annotations },
});

const sealed: Source = (secret, more = {}) => ({
  apiVersion: 'bitnami.com/v1alpha1',
  kind: 'SealedSecret',
  metadata: { name: secret.metadata.name, namespace: secret.metadata.namespace },
  spec: {
    encryptedData: Object.fromEntries(
      Object.keys(secret.data as object).map((key) => [key, 'AgB…']),
    ),
    template: template(secret),
    ...more,
  },
});

const external: Source = (secret, more = {}) => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: { name: `${secret.metadata.name}-source`, namespace: secret.metadata.namespace },
  spec: {
    target: { name: secret.metadata.name, template: template(secret), ...more },
    data: Object.keys(secret.data as object).map((secretKey) => ({
      secretKey,
      remoteRef: { key: 'k' },
    })),
  },
});

const RANCHER = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' } as const;
const told = (...manifests: Manifest[]): string[] =>
  judgeAll(manifests.map((manifest) => ({ manifest, target: RANCHER })))
    .filter(({ rule }) => /^(credential|cloud-config|machine-file|object)\//.test(rule))
    // a Secret in a file is in plain text, and its source is not
    .filter(({ rule }) => rule !== 'object/plain-secret')
    .map(({ level, rule, path }) => `${level} ${rule} ${path}`);

describe.each([
  ['SealedSecret', sealed],
  ['ExternalSecret', external],
])('%s', (kind, source) => {
  test('counts as the Secret that its controller makes', () => {
    const others = [guest(), machineConfig()];
    expect(told(...others, source(credential()), source(cloudConfig()))).toEqual(
      told(...others, credential(), cloudConfig()),
    );
    // what is not secret is judged
    const { 'provisioning.cattle.io/driver': _, ...incomplete } = CREDENTIAL_ANNOTATIONS;
    expect(told(...others, source(credential({}, incomplete)), source(cloudConfig()))).toEqual([
      'warning credential/annotations metadata.annotations[provisioning.cattle.io/driver]',
    ]);
  });

  test('is in an earlier stage than what refers to its Secret, and healthy once the Secret is there', () => {
    const program = new SmallProgram().target('rancher', 'rancher');
    const {
      apiVersion,
      spec,
      metadata: { name, namespace },
    } = source(credential());
    const id = program.object('rancher', apiVersion, kind, `${namespace}/${name}`, { spec });
    const shop = program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      'fleet-default/shop',
      { spec: guest().spec },
    );
    const stages = stagesOf(program);
    expect(stages.map(({ objects, awaited }) => [objects, [...awaited]])).toEqual([
      [[id], [id]],
      [[shop], []],
    ]);

    const { healthy } = kindOf<KindReadiness>({ apiVersion, kind })!.health!;
    const type = kind === 'SealedSecret' ? 'Synced' : 'Ready';
    const state = (status: object): Manifest => ({ ...source(credential()), status });
    expect(holds(healthy, state({ conditions: [{ type, status: 'True' }] }))).toBe(true);
    for (const status of [
      {},
      { conditions: [{ type, status: 'False', message: 'no key could decrypt secret (a)' }] },
    ]) {
      expect(holds(healthy, state(status))).toBe(false);
    }
  });

  test('is deleted after the guest cluster that needs its Secret', () => {
    const program = new SmallProgram().target('rancher', 'rancher');
    const {
      apiVersion,
      spec,
      metadata: { name, namespace },
    } = source(credential());
    const id = program.object('rancher', apiVersion, kind, `${namespace}/${name}`, { spec });
    const shop = program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      'fleet-default/shop',
      { spec: guest().spec },
    );
    const assembly = { schemaVersion: '1', findings: [], ...program } as unknown as Assembly;
    const graph = reverseGraph(
      buildGraph(assembly, program.manifests),
      assembly,
      program.manifests,
    );
    expect(graph.nodes.get(id)!.after.map(({ to }) => to)).toContain(shop);
  });

  test('is in use as long as its Secret is, unless the Secret remains', async () => {
    const cluster = new FakeCluster();
    cluster.seed(guest());
    const target = {
      name: 'rancher',
      kind: 'rancher',
      version: '2.13.8',
      folder: 'rancher',
      construct: 'rancher',
      properties: {},
    } as const;
    const live = (manifest: Manifest) => ({
      ...manifest,
      metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '1' },
    });
    expect((await inUse(live(source(credential())), target, cluster))?.why).toContain(
      'Cluster fleet-default/shop uses it',
    );
    const annotations = {
      'sealedsecrets.bitnami.com/managed': 'true',
      'sealedsecrets.bitnami.com/skip-set-owner-references': 'true',
    };
    const staying =
      kind === 'SealedSecret'
        ? source(credential({}, { ...CREDENTIAL_ANNOTATIONS, ...annotations }))
        : source(credential(), { creationPolicy: 'Orphan' });
    expect(await inUse(live(staying), target, cluster)).toBeUndefined();
  });

  test('is ready for its current content only', () => {
    const { ready } = kindOf<KindReadiness>(source(credential()))!;
    const type = kind === 'SealedSecret' ? 'Synced' : 'Ready';
    const at = (generation: number, status: string): string =>
      ready!.judge(
        {
          ...source(credential()),
          metadata: { name: 'a', generation } as never,
          status: {
            observedGeneration: 2,
            syncedResourceVersion: '2-0f',
            conditions: [{ type, status, ...(status === 'False' ? { message: 'no key' } : {}) }],
          },
        },
        {},
      ).state;
    expect([at(2, 'True'), at(3, 'True'), at(2, 'False')]).toEqual(['ready', 'waiting', 'failing']);
  });
});

test('keeps a Secret of an earlier apply that a controller makes now', () => {
  const used = new Set(
    usersOfObject('rancher', {
      ...sealed(credential()),
      namespace: 'cattle-global-data',
      name: 'cc-dc1',
    }),
  );
  const secret = (name: string) => ({
    ...credential({}, undefined, name),
    metadata: { name, namespace: 'cattle-global-data', uid: 'u', resourceVersion: '1' },
  });
  expect(stillInUse(secret('cc-dc1'), 'rancher', used)).toBe(
    'a controller creates it from another object of this program',
  );
  expect([
    stillInUse(secret('other'), 'rancher', used),
    stillInUse(secret('cc-dc1'), 'dc1', used),
  ]).toEqual([undefined, undefined]);
});

test('adds keys to a Secret of others', () => {
  expect(
    kindOf<KindReferences>(external(credential()))!.makes!(
      external(credential(), { creationPolicy: 'Merge' }),
    ),
  ).toBeUndefined();
});
