import { readFileSync, readdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Fleet } from './fleet';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Delivered, writeDelivered } from '../bed/delivered-output';
import { delivered as those, merge } from '../bed/write';

describeCluster('Fleet, with an output that changes', () => {
  const folder = tempFolder();
  let platform: Platform;
  let fleet: Fleet;
  let tenants: Delivered;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    fleet = await Fleet.start(platform);
    tenants = writeDelivered(
      'three-tenants',
      Delivery.fleet({ repository: 'https://git.example.com/platform.git', path: 'dist' }),
      join(folder, 'dist'),
      'on the same target',
    );
    const repositories = readManifests(join(folder, 'dist', 'fleet')).filter(
      ({ metadata: { name } }) => name === 'rancher',
    );
    await fleet.connect('rancher', 'local', 'fleet-local');
    await fleet.apply(repositories);
    fleet.push(folder);
    await fleet.untilDeployed();
  });

  afterAll(async () => {
    await fleet?.stop();
    await platform?.stop();
  });

  const ofKind = (wanted: string): Delivered['objects'][number]['manifest'][] =>
    tenants.objects.map(({ manifest }) => manifest).filter(({ kind }) => kind === wanted);

  /** Removes the first object in the file of a kind, and pushes the rest. Returns its name. */
  async function removeFirst(kind: string): Promise<string> {
    const file = join(
      folder,
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
        name.includes(`-${kind.toLowerCase()}.`),
      )!,
    );
    const [first, ...others] = readFileSync(file, 'utf8').split('---\n');
    expect(others.length).toBeGreaterThan(0);
    writeFileSync(file, others.join('---\n'));
    fleet.push(folder);
    await fleet.untilDeployed();
    return /^ {2}name: (\S+)$/m.exec(first)![1];
  }

  test('deletes a binding that leaves the output', async () => {
    const gone = await removeFirst('ProjectRoleTemplateBinding');
    const bindings = ofKind('ProjectRoleTemplateBinding');
    const labels = await those(platform.clients.rancher, bindings);
    expect(labels.filter((label) => label.endsWith(`/${gone}`))).toEqual([]);
    expect(labels).toHaveLength(bindings.length - 1);
  });

  test('keeps a Cluster that leaves the output', async () => {
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.includes('-cluster.provisioning.'),
    )!;
    rmSync(join(folder, file));
    fleet.push(folder);
    await fleet.untilDeployed();
    expect(await those(platform.clients.rancher, ofKind('Cluster'))).toEqual(
      ofKind('Cluster').map(objectLabel),
    );
  });

  test('reports a custom resource that is changed by hand as modified, and does not restore it', async () => {
    const project = ofKind('Project').at(-1)!;
    await merge(platform.clients.rancher, project, { spec: { displayName: 'changed by hand' } });
    await fleet.untilModified();
    expect((await platform.clients.rancher.read(project)).body.spec.displayName).toBe(
      'changed by hand',
    );
  });
});
