import { Replay } from './replay';
import { allRecordings, GENERATIONS } from '../../support/recordings';
import { Client } from '../client';
import { clusters, describeCluster } from '../clusters';
import { ControlPlane } from '../control-plane';
import { installProduct } from '../doubles/product';
import { RancherDouble } from '../doubles/rancher-double';

describeCluster('the double of Rancher does what a running Rancher did', () => {
  let plane: ControlPlane;
  let client: Client;
  let double: RancherDouble;

  beforeAll(async () => {
    plane = await ControlPlane.start({ assets: clusters().assets });
    client = new Client(plane);
    await installProduct(client, 'rancher');
    double = new RancherDouble(client, {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    double.paceMs = 0;
    await double.seed();
    double.start();
  }, 180_000);
  afterAll(async () => {
    await double?.close();
    await plane?.stop();
  });

  test.each(
    allRecordings().filter(
      ({ product, generation }) => product === 'rancher' && generation === GENERATIONS[0],
    ),
  )('$title', async (recording) => {
    const lag = (lagging: boolean): void => {
      double.cacheLagMs = lagging ? Infinity : 0;
    };
    const differences = await new Replay(client, recording, lag).run();
    expect({ differences, problems: double.problems }).toEqual({ differences: [], problems: [] });
  });
});
