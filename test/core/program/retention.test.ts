import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { isKeptByEngine } from '../../../src/core/kind/retention';
import { Manifest } from '../../../src/core/manifest/manifest';
import { Retention, deletionOf } from '../../../src/core/program/retention';
import { judge } from '../../../src/core/rule/judge';
import { Rule, World } from '../../../src/core/rule/rule';
import { keepLiveValues } from '../../../src/engine/fields/compare-desired';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterLogLevel } from '../../../src/harvester/settings/catalogue/system.check';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { RancherSetting } from '../../../src/rancher/settings/rancher-setting';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

const KEEPS = {
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'helm.sh/resource-policy': 'keep',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

const configMap = (
  scope: Construct,
  name: string,
  annotations?: { [key: string]: string },
): ApiObject =>
  new ApiObject(scope, name, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...(annotations ? { annotations } : {}) },
  });

function synthesized(declare: (dc1: HarvesterChart) => void): {
  objects: Record<string, any>;
  deletions: Record<string, any>;
} {
  const app = newApp();
  declare(newHarvester(app));
  const objects = written(app);
  return {
    objects,
    deletions: Object.fromEntries(
      assemblyOf(app).objects.map(({ name, deletion }: any) => [name, deletion]),
    ),
  };
}

test('keeps the objects below a construct, in the assembly and for every engine', () => {
  const { objects, deletions } = synthesized((dc1) => {
    const team = new Construct(dc1, 'team');
    configMap(team, 'kept');
    configMap(dc1, 'other');
    Retention.of(team).retain();
  });
  expect(deletions).toEqual({
    kept: { policy: 'keep', reason: 'is retained by the program' },
    other: undefined,
  });
  expect(objects['dc1/ConfigMap/kept'].metadata.annotations).toEqual(KEEPS);
  expect(objects['dc1/ConfigMap/other'].metadata.annotations).toBeUndefined();
});

test('keeps by default what belongs to Rancher, for every engine, unless the program sets another policy', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const object = (apiVersion: string, kind: string, name: string): ApiObject =>
    new ApiObject(rancher, `${kind}-${name}`, { apiVersion, kind, metadata: { name } });
  new ApiObject(rancher, 'okta', {
    apiVersion: 'management.cattle.io/v3',
    kind: 'AuthConfig',
    metadata: { name: 'okta' },
    type: 'oktaConfig',
  });
  object('management.cattle.io/v3', 'Feature', 'fleet');
  RancherSetting.serverUrl(rancher, 'url', 'https://rancher.example.com');
  Retention.of(object('management.cattle.io/v3', 'AuthConfig', 'custom')).delete();
  HarvesterSetting.logLevel(newHarvester(app), 'log', HarvesterLogLevel.DEBUG);
  const objects = written(app);
  for (const kept of [
    'AuthConfig/okta',
    'AuthConfig/custom',
    'Feature/fleet',
    'Setting/server-url',
  ]) {
    expect(objects[`rancher/${kept}`].metadata.annotations).toMatchObject(KEEPS);
  }
  expect(objects['dc1/Setting/log-level'].metadata.annotations).toBeUndefined();
});

test('adds the annotations to no object that exists without them', () => {
  const kept = (annotations?: object): Manifest =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kept', ...(annotations ? { annotations } : {}) },
    }) as Manifest;
  const applied = (declared: object, live?: Manifest): unknown =>
    keepLiveValues({}, kept(declared), live).manifest.metadata.annotations;
  expect(applied(KEEPS)).toEqual(KEEPS);
  expect(applied(KEEPS, kept())).toBeUndefined();
  expect(applied({ ...KEEPS, team: 'a' }, kept({ team: 'b' }))).toEqual({ team: 'a' });
  const [argo] = Object.keys(KEEPS);
  expect(applied(KEEPS, kept({ [argo]: 'Prune=true' }))).toEqual({
    [argo]: 'Prune=false,Delete=false',
  });
  expect(applied(KEEPS, kept(KEEPS))).toEqual(KEEPS);
});

test('takes manifests of any form', () => {
  for (const metadata of [
    null,
    { annotations: null },
    { annotations: { 'argocd.argoproj.io/sync-options': 5 } },
  ]) {
    expect(
      isKeptByEngine({ apiVersion: 'v1', kind: 'Secret', metadata } as unknown as Manifest),
    ).toBe(false);
  }
});

test('follows the nearest choice, and the last one at a construct', () => {
  const { objects, deletions } = synthesized((dc1) => {
    Retention.of(dc1).retain();
    const team = new Construct(dc1, 'team');
    Retention.of(team).retain();
    Retention.of(team).delete();
    configMap(team, 'deleted');
    Retention.of(configMap(team, 'kept')).retain();
  });
  expect(deletions.deleted).toMatchObject({ policy: 'delete' });
  expect(deletions.kept).toMatchObject({ policy: 'keep' });
  expect(objects['dc1/ConfigMap/deleted'].metadata.annotations).toBeUndefined();
});

test('keeps the options that an object has for Argo CD', () => {
  const { objects } = synthesized((dc1) => {
    Retention.of(
      configMap(dc1, 'kept', {
        'argocd.argoproj.io/sync-options': 'ServerSideApply=true, Prune=true',
      }),
    ).retain();
  });
  expect(
    objects['dc1/ConfigMap/kept'].metadata.annotations['argocd.argoproj.io/sync-options'],
  ).toBe('ServerSideApply=true,Prune=false,Delete=false');
});

test('keeps what the servers made by default, unless the program sets delete', () => {
  const { deletions } = synthesized((dc1) => {
    new ApiObject(dc1, 'node-1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    Retention.of(
      new ApiObject(dc1, 'node-2', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'node-2' },
      }),
    ).delete();
  });
  expect(deletions['node-1']).toMatchObject({ policy: 'keep' });
  expect(deletions['node-2']).toMatchObject({ policy: 'delete' });
});

test('resets a Setting with every deletion policy, and keeps its value if it is retained', () => {
  const { deletions } = synthesized((dc1) => {
    Retention.of(HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org'])).delete();
    Retention.of(HarvesterSetting.logLevel(dc1, 'level', HarvesterLogLevel.INFO)).retain();
  });
  expect(deletions['ntp-servers']).toMatchObject({ policy: 'reset' });
  expect(deletions['log-level']).toMatchObject({ policy: 'keep' });
});

test('keeps the reason of the construct if the program sets delete', () => {
  const noted = { policy: 'delete', reason: 'takes its machines along' } as const;
  expect(deletionOf('delete', noted, undefined, 'is kept by default')).toEqual({
    ...noted,
    chosen: true,
  });
  expect(deletionOf(undefined, undefined, undefined, undefined)).toBeUndefined();
  expect(deletionOf(undefined, undefined, noted, undefined)).toBe(noted);
  expect(deletionOf(undefined, undefined, noted, 'is built in')).toEqual({
    policy: 'keep',
    reason: 'is built in',
  });
  expect(
    deletionOf(undefined, undefined, { policy: 'reset', reason: "is the server's" }, 'is built in'),
  ).toMatchObject({ policy: 'reset' });
});

test('judges no deletion of an object that is retained', () => {
  const deleted: Rule = {
    id: 'x/deleted',
    level: 'error',
    kinds: ['*'],
    what: '',
    source: '',
    *judgeDeletion() {
      yield { path: '', message: 'is deleted', fix: 'keep it' };
    },
  };
  const gone = (annotations: { [key: string]: string }) =>
    judge(
      [deleted],
      new World(
        [],
        [],
        [
          {
            manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations } },
            target: { name: 'dc1' },
          },
        ],
      ),
    );
  expect(gone({})).toHaveLength(1);
  expect(gone(KEEPS)).toEqual([]);
  expect(gone({ 'helm.sh/resource-policy': 'keep' })).toEqual([]);
});
