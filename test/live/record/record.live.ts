import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Recorder } from './recorder';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { CATALOG } from '../families/catalog';
import { FIRST, Family, stageOf } from '../families/family';
import { KUBERNETES } from '../families/kubernetes';
import { IMAGES, MACHINES } from '../families/machines';
import { NETWORKS, UPLINKS } from '../families/networks';
import { ROLES } from '../families/roles';
import { TENANCY } from '../families/tenancy';
import { PRODUCTS } from '../lab/kubeconfigs';
import { Lab, TARGETS } from '../lab/lab';
import { Walk } from '../walk/walk';

/** Takes the place of the prefix of a run. */
const PLAIN = 'live';

describe('recordings', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
  });
  afterAll(async () => {
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  test.each(
    [CATALOG, KUBERNETES, MACHINES, IMAGES, NETWORKS, UPLINKS, ROLES, TENANCY].map(
      (family) => [family.title, family] as const,
    ),
  )('of the family %s', async (title, family: Family) => {
    const name = lab.name.bind(lab);
    const dist = new Walk(lab, title).synthesize((charts) => {
      const stage = stageOf(charts, { variation: FIRST, name, fixed: name });
      family.base?.(stage);
      family.declare(stage, 0);
    });
    const { assembly, manifests } = loadAssembly(dist);
    const [rancher, harvester] = [lab.server('rancher'), lab.server('harvester')];
    const folder = join(
      process.env.LIVE_RECORD!,
      `rancher-${rancher.version}-harvester-${harvester.version}`,
    );
    mkdirSync(folder, { recursive: true });
    const recorded: string[] = [];
    for (const product of PRODUCTS) {
      const own = assembly.objects.filter(({ target }) => target === TARGETS[product]);
      const objects = own.map(({ id }) => manifests.get(id)!);
      if (objects.length === 0) {
        continue;
      }
      const plain = (text: string): string => text.replaceAll(lab.prefix, PLAIN);
      const found = await new Recorder(lab.server(product).cluster, title, plain).record(objects);
      writeFileSync(join(folder, `${product}-${title}.json`), `${JSON.stringify(found)}\n`);
      recorded.push(
        ...found.objects.filter(({ states }) => states.length > 0).map(({ object }) => object),
      );
    }
    expect(recorded).not.toEqual([]);
  });
});
