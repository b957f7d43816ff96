import { resolve } from 'path';
import { Flux } from './flux';
import { REPOSITORY, chain, kustomization } from './objects';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { handMadeStages, writeStages } from '../bed/hand-made-stages';
import { delivered, merge } from '../bed/write';

const EXAMPLES = resolve(__dirname, '..', '..', '..', '..', 'examples');

const outputOf = (example: string): string => resolve(EXAMPLES, example, 'dist', 'rancher');

describeCluster('Flux, with the manifests of a Rancher', () => {
  let platform: Platform;
  let flux: Flux;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    flux = await Flux.start(platform);
  });

  afterEach(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  test.each(['reference-stack', 'tenants-walk', 'three-tenants'])('never delivers more than namespaces of %s as one Kustomization', async (example) => {
    const folder = outputOf(example);
    const manifests = readManifests(folder);
    await flux.apply([REPOSITORY, kustomization('rancher', '.')]);
    await flux.push(folder);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await flux.reconcile()).toEqual([expect.objectContaining({ status: 'False', reason: 'ReconciliationFailed' })]);
    }
    expect(await delivered(platform.clients.rancher, manifests)).toEqual(manifests.filter(({ kind }) => kind === 'Namespace').map(objectLabel));
  });

  test.each(['reference-stack', 'tenants-walk', 'three-tenants'])('delivers all of %s in stages, then writes nothing, and restores what is changed', async (example) => {
    const folder = tempFolder();
    const manifests = readManifests(outputOf(example));
    await flux.apply([REPOSITORY, ...chain(writeStages(folder, handMadeStages(manifests)))]);
    await flux.push(folder);
    await flux.untilReady();
    expect(await delivered(platform.clients.rancher, manifests)).toEqual(manifests.map(objectLabel));
    expect(flux.writes('rancher').length).toBeGreaterThanOrEqual(manifests.length);

    flux.forgetWrites();
    expect((await flux.reconcile()).map(({ status }) => status)).not.toContain('False');
    expect(flux.writes('rancher')).toEqual([]);

    const project = manifests.find(({ kind }) => kind === 'Project')!;
    await merge(platform.clients.rancher, project, { spec: { displayName: 'changed by hand' } });
    await flux.reconcile();
    expect(flux.writes('rancher')).toEqual([`patch projects ${project.metadata.namespace}/${project.metadata.name}`]);
    expect((await platform.clients.rancher.read(project)).body.spec.displayName).toBe((project.spec as { displayName: string }).displayName);
    expect(platform.problems).toEqual([]);
  });
});
