import { Replay } from './replay';
import { GENERATIONS, recordingOf } from '../../support/recordings';
import { Client } from '../client';
import { describeCluster } from '../clusters';
import { ControlPlane } from '../control-plane';
import { HarvesterDouble } from '../doubles/harvester-double';
import { startProduct } from '../doubles/product';

describe.each(GENERATIONS)('$folder', (generation) => {
  describeCluster('the double of Harvester does what a running Harvester did', () => {
    let plane: ControlPlane;
    let client: Client;
    let double: HarvesterDouble;

    beforeAll(async () => {
      plane = await startProduct('harvester');
      client = new Client(plane);
      double = new HarvesterDouble(client, { version: generation.harvester, vip: '10.10.0.10' });
      double.paceMs = 0;
      double.retryMs = 1_000;
      await double.seed();
      double.start();
    });
    afterAll(async () => {
      await double?.close();
      await plane?.stop();
    });

    // in the order of the recordings: a value is reset that was set before
    test.each(['harvester-settings-set', 'harvester-settings-reset', 'harvester-platform'])(
      '%s',
      async (name) => {
        const differences = await new Replay(client, recordingOf(generation, name)).run();
        expect({ differences, problems: double.problems }).toEqual({
          differences: [],
          problems: [],
        });
      },
    );

    test('a pool with allocated addresses cannot be deleted', async () => {
      const pool = {
        apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
        kind: 'IPPool',
        metadata: { name: 'in-use' },
      };
      expect(
        (await client.apply({ ...pool, ...{ spec: { ranges: [{ subnet: '10.130.0.0/24' }] } } }))
          .status,
      ).toBe(201);
      const path = await client.pathOf(pool);
      const allocate = async (allocated: object | null): Promise<void> => {
        const body = { status: { total: 254, available: 253, lastAllocated: '', allocated } };
        const { status } = await client.request('PATCH', path, {
          contentType: 'application/merge-patch+json',
          body,
        });
        expect(status).toBe(200);
      };
      await allocate({ '10.130.0.9': 'default/web' });
      const { status, body } = await client.delete(pool);
      expect([status, body.message]).toEqual([
        500,
        expect.stringContaining(
          "denied the request: Internal error occurred: can't delete pool before releasing all the allocated IP",
        ),
      ]);
      await allocate(null);
      expect((await client.delete(pool)).status).toBe(200);
    });
  });
});
