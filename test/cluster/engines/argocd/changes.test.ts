import { readdirSync, rmSync } from 'fs';
import { join } from 'path';
import { ArgoCd } from './argo-cd';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Delivered, writeDelivered } from '../bed/delivered-output';
import { delivered as those, merge } from '../bed/write';

describeCluster('Argo CD, with an output that changes', () => {
  const folder = tempFolder();
  let platform: Platform;
  let argoCd: ArgoCd;
  let tenants: Delivered;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    argoCd = await ArgoCd.start(platform);
    await argoCd.connect('harvester', 'dc1');
    tenants = writeDelivered(
      'three-tenants',
      Delivery.argoCd({ repository: argoCd.repository, revision: 'main', path: 'dist' }),
      join(folder, 'dist'),
      'nowhere',
    );
    argoCd.push(folder);
    await argoCd.apply(readManifests(join(folder, 'dist', 'argo-cd')));
    await argoCd.untilSynced();
  });

  afterAll(async () => {
    await argoCd?.stop();
    await platform?.stop();
  });

  const ofKind = (wanted: string): Delivered['objects'][number]['manifest'][] =>
    tenants.objects.map(({ manifest }) => manifest).filter(({ kind }) => kind === wanted);

  /** Removes the files of a kind and pushes the rest. */
  function remove(kind: string): void {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.includes(`-${kind.toLowerCase()}.`),
    );
    expect(files).not.toEqual([]);
    files.forEach((file) => rmSync(join(folder, file)));
    argoCd.push(folder);
  }

  test('restores what is changed by hand', async () => {
    const [project] = ofKind('Project');
    argoCd.forgetWrites();
    await merge(platform.clients.rancher, project, { spec: { displayName: 'changed by hand' } });
    await argoCd.untilWritten('rancher');
    expect(argoCd.writes('rancher')).toEqual([
      `patch projects ${project.metadata.namespace}/${project.metadata.name}`,
    ]);
    expect((await platform.clients.rancher.read(project)).body.spec.displayName).toBe(
      (project.spec as { displayName: string }).displayName,
    );
  });

  test('deletes bindings that leave the output', async () => {
    remove('ProjectRoleTemplateBinding');
    await argoCd.refresh();
    await argoCd.untilSynced();
    expect(await those(platform.clients.rancher, ofKind('ProjectRoleTemplateBinding'))).toEqual([]);
  });

  test('keeps a Cluster that leaves the output, and shows it as out of sync', async () => {
    remove('Cluster');
    await argoCd.refresh();
    const labels = ofKind('Cluster').map(objectLabel);
    const states = await argoCd.untilOutOfSync('rancher');
    expect([...states.find(({ name }) => name === 'rancher')!.outOfSync].sort()).toEqual(
      [...labels].sort(),
    );
    expect(await those(platform.clients.rancher, ofKind('Cluster'))).toEqual(labels);
  });

  test('shows no secret in its logs or the status of its objects', async () => {
    const { body } = await platform.clients.rancher.list('argoproj.io/v1alpha1', 'Application');
    const texts = `${argoCd.log}\n${JSON.stringify(body)}`;
    const secrets = ofKind('Secret').flatMap(
      ({ data = {}, stringData = {} }) =>
        Object.values({ ...(data as object), ...(stringData as object) }) as string[],
    );
    expect(secrets.length).toBeGreaterThan(0);
    expect(
      secrets.filter(
        (secret) =>
          texts.includes(secret) || texts.includes(Buffer.from(secret, 'base64').toString()),
      ),
    ).toEqual([]);
  });
});
