import { cpSync } from 'fs';
import { join } from 'path';
import { ApiObject, Chart } from 'cdk8s';
import { LateType } from '../../../src/core/late/late-text';
import { checkAssembly } from '../../../src/core/output/check-assembly';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { filesIn, newApp, newHarvester } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';
import { assemblyOf } from '../../support/written';

const EXAMPLE = join(__dirname, '..', '..', '..', 'examples', 'k3s-single-node', 'dist');

/**
 * A program where a PersistentVolumeClaim needs a StorageClass, which needs a Secret that waits.
 */
function program() {
  const app = newApp();
  const dc1: Chart = newHarvester(app);
  const late = new LateValue(dc1, 'Late', {
    description: 'a key',
    type: LateType.STRING,
    source: LateSource.field('data.x', {
      target: dc1 as never,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'x',
    }),
  });
  const object = (id: string, kind: string, spec: object, apiVersion = 'v1') =>
    new ApiObject(dc1, id, {
      apiVersion,
      kind,
      metadata: { name: id, namespace: 'default' },
      ...spec,
    });
  object('secret', 'Secret', { stringData: { a: late.token } });
  object('pod', 'Pod', {
    spec: { serviceAccountName: 'account', containers: [{ name: 'main', image: 'nginx' }] },
  });
  object('account', 'ServiceAccount', { imagePullSecrets: [{ name: 'secret' }] });
  object('other', 'Pod', {
    spec: { serviceAccountName: 'elsewhere', containers: [{ name: 'main', image: 'nginx' }] },
  });
  return app;
}

test('marks each of two objects that refer to each other, whichever the program declares first', () => {
  const app = newApp();
  const dc1: Chart = newHarvester(app);
  const late = new LateValue(dc1, 'Late', {
    description: 'a key',
    type: LateType.STRING,
    source: LateSource.field('data.x', {
      target: dc1 as never,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'x',
    }),
  });
  const object = (id: string, kind: string, spec: object) =>
    new ApiObject(dc1, id, {
      apiVersion: 'v1',
      kind,
      metadata: { name: id, namespace: 'default' },
      ...spec,
    });
  object('account', 'ServiceAccount', {
    claimName: 'claim',
    imagePullSecrets: [{ name: 'secret' }],
  });
  object('claim', 'PersistentVolumeClaim', { spec: { serviceAccountName: 'account' } });
  object('secret', 'Secret', { stringData: { a: late.token } });
  const found = app.validate().filter(({ rule }) => rule === 'late-value/reference-waits');
  expect(found.map(({ object: about }) => about?.name).sort()).toEqual(['account', 'claim']);
});

test('marks what refers to an object that waits, directly or through others, and names the fix', () => {
  const app = program();
  app.synth();
  const needs = Object.fromEntries(
    assemblyOf(app).objects.map((object: any) => [object.name, object.needs]),
  );
  expect(needs).toEqual({
    account: ['dc1//Secret/default/secret'],
    pod: ['dc1//Secret/default/secret'],
    secret: undefined,
    other: undefined,
  });
  expect(checkAssembly(JSON.parse(filesIn(app.outdir)['assembly.json']))).toEqual([]);
  const found = app.findings.filter(({ rule }) => rule === 'late-value/reference-waits');
  expect(found.map(({ level, object }) => `${level} ${object?.name}`)).toEqual([
    'warning account',
    'warning pod',
  ]);
  expect(found[1]).toMatchObject({
    message:
      'is in a file, but refers to Secret default/secret, in no file while waiting for a key',
    fix: expect.stringContaining('run apply, which creates all of them in order'),
  });
});

test('reports that the machines and the credential of the Cluster in the example k3s-single-node wait, and show prints it', async () => {
  const { objects, findings } = readAssembly(EXAMPLE);
  const needs = [
    'rancher//Secret/cattle-global-data/cc-edge',
    'rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-lab-all',
  ];
  expect(objects.find(({ kind }) => kind === 'Cluster')?.needs).toEqual(needs);
  expect(findings.map(({ rule, object }) => `${rule} ${object?.kind}`)).toContain(
    'late-value/reference-waits Cluster',
  );
  const folder = tempFolder();
  cpSync(EXAMPLE, folder, { recursive: true });
  expect((await runCli('show', folder)).stdout).toContain(
    '  Cluster fleet-default/lab (needs Secret cattle-global-data/cc-edge, HarvesterConfig fleet-default/nc-lab-all, which wait for late values)',
  );
});
