import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Recorder } from './recorder';
import { refOf } from '../../../src/engine/cluster/cluster';
import { GENERATIONS, allRecordings } from '../../support/recordings';
import { tempFolder } from '../../support/temp';
import { PRODUCTS, Product } from '../lab/kubeconfigs';
import { Lab } from '../lab/lab';

/** The servers have Settings before and after a scenario. */
const KEPT = ['Setting'];

/** A first value, before it is reset. */
const ORDER = ['harvester-settings-set', 'harvester-settings-reset'];

const scenarios = allRecordings().filter(({ generation }) => generation === GENERATIONS.at(-1));
const order = ({ name }: { readonly name: string }): number => ORDER.indexOf(name);

/** The scenarios of test/recordings, on the servers of a lab: their names are those of the recordings. */
describe('recorded scenarios again', () => {
  let lab: Lab;
  let folder: string;
  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
    const [rancher, harvester] = PRODUCTS.map((product) => lab.server(product).version);
    folder = join(process.env.LIVE_RECORD!, `rancher-${rancher}-harvester-${harvester}`);
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => lab?.close());

  test.each([...scenarios].sort((a, b) => order(a) - order(b)))(
    '$name',
    async ({ name, product, objects }) => {
      const { cluster } = lab.server(product as Product);
      const manifests = objects.map(({ applied }) => applied);
      const deleted = manifests.filter(({ kind }) => !KEPT.includes(kind));
      const before = await Promise.all(deleted.map(async (each) => cluster.read(refOf(each))));
      // what someone else has on the lab is not overwritten
      expect(before.filter((live) => live !== undefined)).toEqual([]);

      const recorder = new Recorder(name, undefined, ({ kind }) => !KEPT.includes(kind));
      const found = await recorder.record(
        manifests.map((manifest) => ({ cluster, manifest: async () => Promise.resolve(manifest) })),
      );
      writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(found)}\n`);

      const left = await Promise.all(deleted.map(async (each) => cluster.read(refOf(each))));
      expect(left.flatMap((live) => (live ? [`${live.kind} ${live.metadata.name}`] : []))).toEqual(
        [],
      );
    },
  );
});
