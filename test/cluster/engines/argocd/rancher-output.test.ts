import { resolve } from 'path';
import { ArgoCd } from './argo-cd';
import { application, inWave } from './objects';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { documentedHealthChecks } from '../bed/documented-health-checks';
import { handMadeStages, writeStages } from '../bed/hand-made-stages';
import { delivered, merge } from '../bed/write';

const EXAMPLES = resolve(__dirname, '..', '..', '..', '..', 'examples');

describeCluster('Argo CD, with the manifests of a Rancher', () => {
  let platform: Platform;
  let argoCd: ArgoCd;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    argoCd = await ArgoCd.start(platform, documentedHealthChecks());
    await argoCd.connect('rancher', 'rancher');
  });

  afterEach(async () => {
    await argoCd?.stop();
    await platform?.stop();
  });

  test.each(['reference-stack', 'three-tenants'])('delivers all of %s in waves, then writes nothing, and restores what is changed', async (example) => {
    const folder = tempFolder();
    const manifests = readManifests(resolve(EXAMPLES, example, 'dist', 'rancher'));
    writeStages(folder, [handMadeStages(manifests).flatMap((stage, wave) => stage.map((manifest) => inWave(manifest, wave)))]);
    argoCd.push(folder);
    await argoCd.apply([application('rancher', argoCd.repository, 'stage-0', 'rancher')]);
    await argoCd.untilSynced();
    expect(await delivered(platform.clients.rancher, manifests)).toEqual(manifests.map(objectLabel));

    argoCd.forgetWrites();
    expect((await argoCd.refresh()).map(({ sync, outOfSync }) => ({ sync, outOfSync }))).toEqual([{ sync: 'Synced', outOfSync: [] }]);
    expect(argoCd.writes('rancher')).toEqual([]);

    const project = manifests.find(({ kind }) => kind === 'Project')!;
    await merge(platform.clients.rancher, project, { spec: { displayName: 'changed by hand' } });
    await argoCd.untilWritten('rancher');
    expect(argoCd.writes('rancher')).toEqual([`patch projects ${project.metadata.namespace}/${project.metadata.name}`]);
    expect((await platform.clients.rancher.read(project)).body.spec.displayName).toBe((project.spec as { displayName: string }).displayName);
    expect(platform.problems).toEqual([]);
  });
});
