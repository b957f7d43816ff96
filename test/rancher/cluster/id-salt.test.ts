import { readFileSync } from 'fs';
import { join } from 'path';
import { HarvesterAppProps, HarvesterApp } from '../../../src/core/app/harvester-app';
import { Suppressions } from '../../../src/core/program/suppressions';
import { deliverOutput } from '../../../src/delivery/deliver-output';
import { Delivery } from '../../../src/delivery/delivery';
import { readPlainOutput } from '../../../src/engine/read/plain-output';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { tempFolder } from '../../support/temp';

const RULE = 'delivery/predictable-id';
const SALT = '9f2c4e7ab1d05836';
const FLUX = (): Delivery => Delivery.flux({ sourceName: 'platform' });
const DERIVED = 'c-m-juop4lu7';

function program(
  props: HarvesterAppProps,
  id?: ClusterId,
): { readonly app: HarvesterApp; readonly imported: HarvesterImport } {
  const app = newApp(props);
  const imported = new HarvesterImport(newRancher(app), 'import-dc1', {
    harvester: newHarvester(app),
    clusterId: id,
  });
  return { app, imported };
}

const found = (app: HarvesterApp): unknown[] => {
  app.synth();
  return app.findings.filter(({ rule }) => rule === RULE);
};

describe('the management cluster ID of an app with a salt', () => {
  test('is another one, the same in every synthesis, and another one for each salt', () => {
    const idOf = (props: HarvesterAppProps): string => program(props).imported.clusterId;
    const ids = [{}, { idSalt: SALT }, { idSalt: `${SALT}0` }].map(idOf);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^c-m-[a-z0-9]{8}$/.test(id))).toBe(true);
    expect(idOf({ idSalt: SALT })).toBe(ids[1]);
  });

  test('is that of earlier versions without a salt', () => {
    expect(program({}).imported.clusterId).toBe(DERIVED);
  });

  test('is as the program sets it, if it is fixed', () => {
    expect(program({ idSalt: SALT }, ClusterId.fixed('c-m-mine')).imported.clusterId).toBe(
      'c-m-mine',
    );
  });

  test('needs a salt that cannot be found by trying', () => {
    expect(() => newApp({ idSalt: 'secret' })).toThrow(
      'idSalt: must have at least 16 characters, got 6. Fix: use the output of openssl rand -hex 16',
    );
  });
});

describe('an ID that others can derive', () => {
  test('is a warning where an engine delivers', () => {
    expect(found(program({ delivery: FLUX() }).app)).toEqual([
      expect.objectContaining({
        level: 'warning',
        target: 'rancher',
        construct: 'rancher/import-dc1/Resource',
        value: DERIVED,
        message: expect.stringContaining('a Standard User of Rancher can create the Cluster'),
      }),
    ]);
  });

  test.each<[what: string, props: () => HarvesterAppProps, id: ClusterId | undefined]>([
    ['with a salt', () => ({ delivery: FLUX(), idSalt: SALT }), undefined],
    ['without an engine', () => ({ delivery: Delivery.none() }), undefined],
    ['that is fixed', () => ({ delivery: FLUX() }), ClusterId.fixed('c-m-x7k2pq9d')],
    ['that Rancher chooses', () => ({ delivery: FLUX() }), ClusterId.late()],
  ])('is none %s', (_, props, id) => {
    expect(found(program(props(), id).app)).toEqual([]);
  });

  test('is suppressed for a Cluster that exists, and reported once', () => {
    const { app, imported } = program({ delivery: FLUX() });
    Suppressions.of(imported).suppress(RULE, 'it was delivered before');
    expect(found(app)).toEqual([
      expect.objectContaining({ suppressed: 'it was delivered before' }),
    ]);
    expect(app.findings.filter(({ rule }) => rule === 'program/unused-suppression')).toEqual([]);
  });

  test('is a warning of deliver, too', () => {
    const { app } = program({});
    app.synth();
    const { findings } = deliverOutput(readPlainOutput(app.outdir), {
      delivery: FLUX(),
      outputDir: tempFolder(),
      secrets: undefined,
    });
    expect(findings.filter(({ rule }) => rule === RULE)).toHaveLength(1);
  });
});

test('the salt is in no file of the output', () => {
  const { app } = program({ delivery: FLUX(), idSalt: SALT });
  app.synth();
  expect(readFileSync(join(app.outdir, 'assembly.json'), 'utf8')).not.toContain(SALT);
});
