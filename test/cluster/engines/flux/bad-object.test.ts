import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Delivery } from '../../../../src/delivery/delivery';
import { lintPaths } from '../../../../src/engine/read/lint';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { Delivered, missing, writeDelivered } from '../bed/delivered-output';

const DELIVERY = Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' });

describeCluster('Flux, with one bad object', () => {
  let platform: Platform;
  let flux: Flux;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    flux = await Flux.start(platform);
  });

  afterEach(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  /** The kinds of which all objects are on Rancher. */
  async function kindsOnRancher({ objects }: Delivered): Promise<string[]> {
    const own = objects.filter(({ target }) => target.kind === 'rancher');
    const gone = new Set(
      (await missing(platform, { objects: own })).map((label) => label.split(' ')[0]),
    );
    return [...new Set(own.map(({ manifest: { kind } }) => kind))]
      .filter((kind) => !gone.has(kind))
      .sort();
  }

  const NOT_OF_ROLES = ['Cluster', 'GlobalRoleBinding', 'Namespace', 'Project', 'Secret', 'User'];

  test.each([
    [
      'a role',
      'rancher/roles',
      '28-roletemplate.management.cattle.io.yaml',
      'displayName: VM Operator',
      NOT_OF_ROLES,
    ],
    [
      'a project',
      'rancher/projects-c-m-harvdc01',
      '50-project.management.cattle.io.yaml',
      'displayName: Payments',
      ['Cluster', 'GlobalRoleBinding', 'Namespace', 'RoleTemplate', 'Secret', 'User'],
    ],
  ])(
    'holds back the stage of %s that lint refuses, and those that need it, until it is corrected',
    async (_, stage, file, text, arrived) => {
      const folder = tempFolder();
      const dist = join(folder, 'dist');
      const delivered = writeDelivered('three-tenants', DELIVERY, dist, 'on all targets');
      const errors = (): string[] =>
        lintPaths([dist])
          .filter(({ level }) => level === 'error')
          .map(({ rule, path }) => `${rule} ${path}`);
      expect(errors()).toEqual([]);
      const good = readFileSync(join(dist, stage, file), 'utf8');
      writeFileSync(join(dist, stage, file), good.replace(text, 'displayName: [1]'));
      expect(errors()).toHaveLength(1);
      expect(errors()[0]).toMatch(/^object\/field-type (spec\.)?displayName$/);

      await flux.connect('harvester', 'dc1-kubeconfig');
      await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
      await flux.push(folder);
      const name = stage.replace('/', '-');
      const ready = await flux.untilFailed(name);
      expect(ready.find((each) => each.name === name)).toMatchObject({
        status: 'False',
        reason: 'ReconciliationFailed',
        message: expect.stringContaining('displayName'),
      });
      expect(ready.find((each) => each.name === 'rancher-members-c-m-harvdc01')).toMatchObject({
        status: 'False',
        reason: 'DependencyNotReady',
      });
      expect(await kindsOnRancher(delivered)).toEqual(arrived);

      writeFileSync(join(dist, stage, file), good);
      await flux.push(folder);
      await flux.untilReady();
      expect(await missing(platform, delivered)).toEqual([]);
      expect(errors()).toEqual([]);
    },
  );
});
