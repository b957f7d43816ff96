import { mkdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { OutputLayout } from '../../../../src/core/output/assembly';
import { Delivery } from '../../../../src/delivery/delivery';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { EXAMPLES, missing, writeDelivered } from '../bed/delivered-output';
import { uidsOf } from '../bed/second-commit';

const EXAMPLE = 'k3s-single-node';
const DELIVERY = Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' });
const CREDENTIAL: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cc-edge', namespace: 'cattle-global-data' },
};
const GUEST: Manifest = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: { name: 'lab', namespace: 'fleet-default' },
};

/**
 * The objects with late values, each with its folder, in the form in which `resolve` writes them.
 */
function resolved(): { readonly folder: string; readonly text: string }[] {
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, EXAMPLE, 'dist'));
  const {
    assembly: { objects },
  } = DELIVERY._deliver({ assembly, manifests, layout: OutputLayout.FILE_PER_KIND })!;
  const value = Buffer.from('resolved').toString('base64');
  return objects.flatMap(({ stage, template }) =>
    stage === undefined
      ? []
      : [{ folder: stage, text: JSON.stringify(template).replace(/\$\{late:[^}]*\}/g, value) }],
  );
}

describeCluster('Flux, with objects that resolve writes', () => {
  const folder = tempFolder();
  let platform: Platform;
  let flux: Flux;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    flux = await Flux.start(platform);
    for (const [kind, name] of [
      ['harvester', 'edge'],
      ['guest', 'lab'],
    ] as const) {
      await flux.connect(kind, `${name}-kubeconfig`);
    }
    await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
  });

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  test('delivers them once their folders are there, then what waits for them, and keeps them when a folder is lost', async () => {
    const delivered = writeDelivered(EXAMPLE, DELIVERY, join(folder, 'dist'), 'on all targets');
    await flux.push(folder);
    await flux.untilReady();
    const client = platform.clients.rancher;
    expect(await missing(platform, delivered)).toEqual([]);
    expect(await uidsOf(client, [CREDENTIAL, GUEST])).toEqual([undefined, undefined]);

    for (const { folder: stage, text } of resolved()) {
      mkdirSync(join(folder, 'dist', stage));
      writeFileSync(join(folder, 'dist', stage, 'resolved.yaml'), text);
    }
    await flux.push(folder);
    await flux.untilReady();
    const [credential, guest] = await uidsOf(client, [CREDENTIAL, GUEST]);
    expect([credential, guest]).not.toContain(undefined);
    expect((await flux.ready()).map(({ status }) => status)).not.toContain('False');

    rmSync(join(folder, 'dist', 'rancher', 'late-secret-cattle-global-data-cc-edge'), {
      recursive: true,
    });
    await flux.push(folder);
    await flux.untilReady();
    expect(await uidsOf(client, [CREDENTIAL, GUEST])).toEqual([credential, guest]);
  });
});
