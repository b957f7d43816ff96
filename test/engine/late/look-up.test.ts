import { explainLateValue } from '../../../src/engine/late/look-up';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';

const REF = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  namespace: 'fleet-default',
  name: 'dc1',
};
const EVENTS =
  '/api/v1/namespaces/fleet-default/events?fieldSelector=involvedObject.kind%3DCluster%2CinvolvedObject.name%3Ddc1';
const event = (reason: string, lastTimestamp: string): object => ({
  reason,
  message: `message of ${reason}`,
  lastTimestamp,
});

function clusterWith(paths: { [path: string]: unknown }): FakeCluster {
  const cluster = new FakeCluster({ paths });
  cluster.seed({
    apiVersion: REF.apiVersion,
    kind: REF.kind,
    metadata: { name: REF.name, namespace: REF.namespace },
    status: {
      conditions: [
        { type: 'Created', status: 'True' },
        {
          type: 'Ready',
          status: 'False',
          reason: 'Error',
          message: 'got /v3/import/s3cr3ts3cr3t_c-m-dc1.yaml',
        },
        'x',
      ],
    },
  });
  return cluster;
}

const READY = 'Ready is False (Error): got /v3/import/<secret>_c-m-dc1.yaml';

test('the conditions that are not True, and the latest events, in their order, without credentials', async () => {
  const items = [
    event('Fourth', '2026-04-01'),
    event('First', '2026-01-01'),
    event('Third', '2026-03-01'),
    event('Second', '2026-02-01'),
    null,
  ];
  expect(await explainLateValue(clusterWith({ [EVENTS]: { items } }), REF)).toEqual([
    READY,
    'event Second: message of Second',
    'event Third: message of Third',
    'event Fourth: message of Fourth',
  ]);
});

test('what may not be read is left out', async () => {
  expect(await explainLateValue(clusterWith({}), REF)).toEqual([READY]);
  const cluster = clusterWith({});
  cluster.fault = () => new ApiError('forbidden', 'may not', 403);
  expect(await explainLateValue(cluster, REF)).toEqual([]);
});

test('prints the events of a missing object', async () => {
  const cluster = new FakeCluster({
    paths: { [EVENTS]: { items: [event('Gone', '2026-01-01')] } },
  });
  expect(await explainLateValue(cluster, REF)).toEqual(['event Gone: message of Gone']);
});
