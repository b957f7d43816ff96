import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Delivery, HarvesterApp, RancherChart, SecretDelivery } from '../../../../src';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { cloudConfig, credential, guest, machineConfig, pool } from '../../../support/guest';
import { tempFolder } from '../../../support/temp';
import { Client } from '../../client';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { merge } from '../bed/write';

interface MachinePool {
  readonly name: string;
  readonly quantity: number;
  readonly drainBeforeDelete?: boolean;
}

const CLUSTER = guest();
const BOUNDS = {
  'cluster.provisioning.cattle.io/autoscaler-min-size': '1',
  'cluster.provisioning.cattle.io/autoscaler-max-size': '5',
};

describeCluster('Flux, with a pool that an autoscaler scales', () => {
  const folder = tempFolder();
  let platform: Platform;
  let flux: Flux;
  let client: Client;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    client = platform.clients.rancher;
    flux = await Flux.start(platform);
    await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
  });

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  /** Synthesizes, pushes, and waits until it has arrived. */
  async function deliver(workers: object): Promise<void> {
    const app = new HarvesterApp({
      outdir: join(folder, 'dist'),
      printWarnings: false,
      idSalt: 'a-salt-of-the-program',
      secrets: SecretDelivery.plainText(),
      delivery: Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' }),
    });
    const rancher = new RancherChart(app, 'rancher', {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    const scaled = pool({
      name: 'work',
      etcdRole: false,
      controlPlaneRole: false,
      machineDeploymentAnnotations: BOUNDS,
      ...workers,
    });
    // as a GuestCluster has it: the webhook refuses another creator than the user who writes
    const annotations = { 'field.cattle.io/no-creator-rbac': 'true' };
    const cluster = guest(
      { machinePools: [pool(), scaled] },
      {},
      { name: 'shop', namespace: 'fleet-default', annotations },
    );
    [credential(), cloudConfig(), machineConfig(), cluster].forEach((manifest, index) => {
      new ApiObject(rancher, `object-${index}`, manifest as never);
    });
    app.synth();
    await flux.push(folder);
    await flux.untilReady();
  }

  async function pools(): Promise<readonly MachinePool[]> {
    const { body } = await client.read(CLUSTER);
    return body.spec.rkeConfig.machinePools as MachinePool[];
  }

  /** Writes the number of machines as the autoscaler does. */
  async function scale(quantity: number): Promise<void> {
    const machinePools = (await pools()).map((each) =>
      each.name === 'work' ? { ...each, quantity } : each,
    );
    await merge(client, CLUSTER, { spec: { rkeConfig: { machinePools } } } as Partial<Manifest>);
  }

  const quantities = async (): Promise<number[]> => (await pools()).map(({ quantity }) => quantity);

  test('writes the number once, and leaves that of the autoscaler alone, also with other edits', async () => {
    await deliver({ quantity: 2 });
    expect(await quantities()).toEqual([3, 2]);

    await scale(4);
    flux.forgetWrites();
    await flux.reconcile();
    expect(flux.writes('rancher')).toEqual([]);
    expect(await quantities()).toEqual([3, 4]);

    await deliver({ quantity: 1, drainBeforeDelete: true });
    expect(await pools()).toMatchObject([
      { name: 'all', quantity: 3 },
      { name: 'work', quantity: 4, drainBeforeDelete: true },
    ]);
  });
});
