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

test('a pool that kubernetes/autoscaler scales with the provider rancher has its bounds as props, and other annotations as they are', () => {
  const key = (name: string): string => `cluster.provisioning.cattle.io/autoscaler-${name}`;
  const clusters = exampleClusters('rke2-production').map((found) => ({
    ...found,
    objects: found.objects.map((object) => {
      const changed = structuredClone(object) as typeof object;
      if (changed.manifest.kind !== 'Cluster') {
        return changed;
      }
      const pools = (changed.manifest as any).spec?.rkeConfig?.machinePools ?? [];
      for (const pool of pools) {
        delete pool.autoscalingMinSize;
        delete pool.autoscalingMaxSize;
        pool.quantity = 4;
        pool.machineDeploymentAnnotations = {
          [key('min-size')]: '2',
          [key('max-size')]: '6',
          [key('resource-cpu')]: '3500m',
          [key('resource-memory')]: '14Gi',
          [key('resource-ephemeral-storage')]: '30Gi',
        };
      }
      return changed;
    }),
  }));
  const {
    statements,
    evaluated: { errors },
  } = adopt(clusters);
  const [made] = statements.all().filter(({ draft: { type } }) => type === 'GuestCluster');
  expect([...errors]).toEqual([]);
  expect(made!.patches).toEqual([]);
  const text = JSON.stringify(made!.draft.props);
  expect(text).toContain('"min":2');
  expect(text).toContain('"quantity":4');
  expect(text).toContain(key('resource-cpu'));
  expect(text).not.toContain(key('min-size'));
});
