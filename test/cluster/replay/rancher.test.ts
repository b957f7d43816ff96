import { Replay } from './replay';
import { Recording, allRecordings, GENERATIONS } from '../../support/recordings';
import { Client } from '../client';
import { describeCluster } from '../clusters';
import { ControlPlane } from '../control-plane';
import { startProduct } from '../doubles/product';
import { RancherDouble } from '../doubles/rancher-double';

/** IDs of clusters whose agents were connected when a recording was made. */
function connectedIn({ objects }: Recording): string[] {
  return objects.flatMap(({ applied, states }) => {
    const status = states.at(-1)?.object.status as
      { readonly ready?: boolean; readonly clusterName?: string } | undefined;
    return applied.kind === 'Cluster' && status?.ready ? [status.clusterName!] : [];
  });
}

describe.each(GENERATIONS)('$folder', (generation) => {
  describeCluster('the double of Rancher does what a running Rancher did', () => {
    let plane: ControlPlane;
    let client: Client;
    let double: RancherDouble;

    beforeAll(async () => {
      plane = await startProduct('rancher');
      client = new Client(plane);
      double = new RancherDouble(client, {
        version: generation.rancher,
        serverUrl: 'https://rancher.example.com',
      });
      double.paceMs = 0;
      await double.seed();
      double.start();
    });
    afterAll(async () => {
      await double?.close();
      await plane?.stop();
    });

    test.each(
      allRecordings().filter(
        (each) => each.product === 'rancher' && each.generation === generation,
      ),
    )('$name', async (recording) => {
      const lag = (lagging: boolean): void => {
        double.cacheLagMs = lagging ? Infinity : 0;
      };
      const connect = (): void => connectedIn(recording).forEach((id) => double.connected.add(id));
      const differences = await new Replay(client, recording, lag, connect).run();
      double.disconnect();
      expect({ differences, problems: double.problems }).toEqual({ differences: [], problems: [] });
    });
  });
});
