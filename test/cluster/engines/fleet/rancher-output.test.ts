import { writeFileSync } from 'fs';
import { join, resolve } from 'path';
import { Fleet } from './fleet';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { handMadeStages, writeStages } from '../bed/hand-made-stages';
import { delivered } from '../bed/write';

const EXAMPLES = resolve(__dirname, '..', '..', '..', '..', 'examples');
const WORKSPACE = 'fleet-local';

/** Conditions that are only true of a Cluster with machines. */
const IGNORED = [{ type: 'Reconciling', status: 'True' }, { type: 'Pending', status: 'Unknown' }, { type: 'Waiting', status: 'Unknown' }];

describeCluster('Fleet, with the manifests of a Rancher', () => {
  let platform: Platform;
  let fleet: Fleet;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    fleet = await Fleet.start(platform);
    await fleet.connect('rancher', 'local', WORKSPACE);
  });

  afterEach(async () => {
    await fleet?.stop();
    await platform?.stop();
  });

  test.each(['reference-stack', 'three-tenants'])('delivers all of %s as a bundle for each stage, then writes nothing', async (example) => {
    const folder = tempFolder();
    const manifests = readManifests(resolve(EXAMPLES, example, 'dist', 'rancher'));
    const stages = writeStages(folder, handMadeStages(manifests));
    stages.forEach((stage) => writeFileSync(join(folder, stage, 'fleet.yaml'), JSON.stringify({
      name: `rancher-${stage}`, defaultNamespace: 'default', keepResources: true, helm: { takeOwnership: true }, ignore: { conditions: IGNORED },
    })));
    await fleet.apply([{
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'GitRepo',
      metadata: { name: 'platform', namespace: WORKSPACE },
      spec: { repo: 'https://git.example.com/platform.git', branch: 'main', paths: stages, targets: [{ clusterName: 'local' }] },
    }]);
    fleet.push(folder);
    await fleet.untilDeployed();
    expect(await delivered(platform.clients.rancher, manifests)).toEqual(manifests.map(objectLabel));

    fleet.forgetWrites();
    fleet.push(folder);
    await fleet.untilDeployed();
    expect(fleet.writes('rancher')).toEqual([]);
    expect(platform.problems).toEqual([]);
  });
});
