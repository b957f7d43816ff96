import { SharedServer } from './_shared-server';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { appOf } from '../../../src/engine/fields/apply-set';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { fakeTargets } from '../../support/fake-cluster';
import { describeCluster } from '../clusters';

const APP = appOf('adopts');
const THEIRS = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'adopted-team', labels: { owner: 'team-a' } },
};

describeCluster('a Namespace that existed before the app, on an API server', () => {
  let server: SharedServer;

  beforeAll(async () => {
    server = await SharedServer.start();
  });
  afterAll(async () => {
    await server?.stop();
  });

  const programOf = (...namespaces: readonly string[]): RunProgram => {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.object('rancher', 'v1', 'ConfigMap', 'default/stays-adopts');
    for (const name of namespaces) {
      program.object('rancher', 'v1', 'Namespace', name);
    }
    const {
      assembly,
      manifests,
      targets: [target],
    } = program;
    return {
      folder: 'dist',
      digest: 'a1',
      assembly,
      manifests,
      targets: fakeTargets({ rancher: server.api }, { rancher: target }),
    };
  };
  const apply = async (...namespaces: readonly string[]): Promise<void> => {
    expect(
      (await applyProgram(programOf(...namespaces), { rolls: rollsByImpact, app: APP })).failed,
    ).toEqual([]);
  };

  test.each<[how: string, act: () => Promise<unknown>]>([
    ['an apply without it', async () => apply()],
    ['a destroy', async () => destroyProgram(programOf('adopted-team'), { app: APP })],
  ])('is detached by %s', async (_, act) => {
    server.kubectlApply(THEIRS);
    await apply('adopted-team');
    await apply('adopted-team');
    expect((await server.live(THEIRS)).metadata.annotations).toMatchObject({
      'cdk8s-harvester/adopted': 'true',
    });
    await act();
    const { metadata } = await server.live(THEIRS);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(metadata.labels).toMatchObject({ owner: 'team-a' });
    expect(JSON.stringify(metadata)).not.toMatch(/part-of|cdk8s-harvester/);
  });
});
