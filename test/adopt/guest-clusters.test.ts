import { exampleClusters } from './_examples';
import { adopt } from '../../src/adopt/adopt';

describe.each([
  ['reference-stack', 'GuestCluster shop'],
  ['rke2-production', 'GuestCluster shop'],
  ['rke2-dual-stack', 'GuestCluster mesh'],
  ['k3s-single-node', 'GuestCluster lab'],
  ['custom-cluster', 'CustomCluster edge'],
])('%s', (name, cluster) => {
  test('its guest cluster becomes the construct, without patches', () => {
    const {
      statements,
      evaluated: { errors },
    } = adopt(exampleClusters(name));
    const made = statements
      .all()
      .filter(
        ({
          draft: {
            declares: [{ manifest }],
          },
        }) => ['Cluster', 'HarvesterConfig'].includes(manifest.kind),
      )
      .filter(({ draft: { type } }) => type !== 'HarvesterImport');
    expect(made.map(({ draft: { type, id } }) => `${type} ${id}`)).toEqual([cluster]);
    expect(made.flatMap(({ patches, parts }) => [...patches, ...parts])).toEqual([]);
    expect([...errors]).toEqual([]);
  });

  test('what is in the guest cluster is created in its chart', () => {
    const {
      evaluated: { constructs },
    } = adopt(exampleClusters(name));
    const guest = [...constructs]
      .filter(([{ type }]) => ['HarvesterLoadBalancer', 'GuestStorageClass'].includes(type))
      .map(([, { node }]) => node.path);
    expect(guest).toEqual([
      expect.stringMatching(new RegExp(`^rancher/${cluster.split(' ')[1]}/Chart/`)),
    ]);
  });
});
