import { Trial, writes } from './_running';
import { SmallProgram } from '../graph/_assemblies';

const ID = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const REF = { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', namespace: 'fleet-default', name: 'dc1' };

async function recreated(annotations?: { [key: string]: string }): Promise<Trial> {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', REF.apiVersion, REF.kind, 'fleet-default/dc1', { spec: {} });
  const trial = new Trial(program);
  await trial.apply();
  const { rancher } = trial.clusters;
  await rancher.delete(REF, rancher.live(REF.apiVersion, REF.kind, REF.name, REF.namespace).metadata.uid);
  rancher.seed({ apiVersion: REF.apiVersion, kind: REF.kind, metadata: { name: REF.name, namespace: REF.namespace, annotations }, spec: {} }, 'rancher');
  rancher.calls.length = 0;
  return trial;
}

test('a Cluster that somebody made anew is refused before anything is written, unless that is accepted, once (41)', async () => {
  const trial = await recreated();
  await expect(trial.apply()).rejects.toThrow(new RegExp(`^${ID} is another one than this app wrote \\(uid .*, was .*\\): somebody made it anew.*--accept-new-cluster '${ID}'$`));
  expect(writes(trial.clusters.rancher)).toEqual([]);
  await trial.apply({ acceptNewCluster: [ID] });
  expect(writes(trial.clusters.rancher)).not.toEqual([]);
  await trial.apply();
});

test('one whose id is fixed is the same as before', async () => {
  const trial = await recreated({ 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' });
  expect((await trial.apply()).failed).toEqual([]);
});

test('one that is gone is made anew by us', async () => {
  const trial = await recreated();
  const { rancher } = trial.clusters;
  await rancher.delete(REF, rancher.live(REF.apiVersion, REF.kind, REF.name, REF.namespace).metadata.uid);
  expect((await trial.apply()).failed).toEqual([]);
  await trial.apply();
});
