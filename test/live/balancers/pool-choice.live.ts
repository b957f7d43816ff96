import { setTimeout as sleep } from 'node:timers/promises';
import { removeInstance } from './guest-nodes';
import {
  balancerOf,
  instanceOf,
  namespaceOf,
  networksOf,
  poolManifest,
  saidOf,
  ScenarioCluster,
} from './scenario';
import { Scenario, SCENARIOS } from './scenarios';
import { Manifest, objectLabel } from '../../../src/core/manifest/manifest';
import { openHarvester } from '../machines/lab';

const client = openHarvester();
const WAIT_MS = 60_000;

async function create(object: Manifest): Promise<void> {
  const path = (await client.pathOf(object)).replace(/\/[^/]+$/, '');
  for (let tries = 0; ; tries++) {
    const { status, body } = await client.request('POST', path, { body: object });
    if (status < 300 || (status === 409 && object.kind === 'Namespace')) {
      return;
    }
    // the one of the scenario before may still be going
    if (status !== 409 || tries === 40) {
      throw new Error(`${objectLabel(object)}: ${body?.message}`);
    }
    await sleep(250);
  }
}

const network = (name: string): Manifest =>
  ({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace: 'lb-choice-vms', name },
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        name,
        type: 'bridge',
        bridge: 'mgmt-br',
        vlan: 10,
        ipam: {},
      }),
    },
  }) as Manifest;

/** How long no pool must match to be the answer: the controller looks again each second. */
const NONE_MS = 3000;

/** The pool that the controller gave a load balancer an address of; null where none matches. */
async function poolOf(balancer: Manifest): Promise<string | null> {
  let noneSince: number | undefined;
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(200)) {
    const { body } = await client.read(balancer);
    if (body.status?.allocatedAddress?.ipPool) {
      return body.status.allocatedAddress.ipPool as string;
    }
    if (JSON.stringify(body.status?.conditions ?? '').includes('no matched IPPool')) {
      noneSince ??= Date.now();
      if (Date.now() - noneSince > NONE_MS) {
        return null;
      }
    }
  }
  throw new Error(`${objectLabel(balancer)}: no answer of the controller`);
}

/** Waits until the controller has read a pool, and so has it in its cache. */
async function isSeen(pool: Manifest): Promise<void> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(200)) {
    const { body } = await client.read(pool);
    if (body.status?.total !== undefined) {
      return;
    }
  }
  throw new Error(`${objectLabel(pool)}: no answer of the controller`);
}

/** Waits until the webhook has the machines of a scenario in its cache, and no others. */
async function findsNetwork(balancer: Manifest, networks: readonly string[]): Promise<void> {
  const path = (await client.pathOf(balancer)).replace(/\/[^/]+$/, '?dryRun=All');
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(200)) {
    const { body } = await client.request('POST', path, { body: balancer });
    const found: unknown = body?.metadata?.annotations?.['loadbalancer.harvesterhci.io/network'];
    if (typeof found === 'string' && networks.includes(found)) {
      return;
    }
  }
  throw new Error(`${objectLabel(balancer)}: the webhook finds none of ${networks.join()}`);
}

const removed: Manifest[] = [];

async function run({ clusters, pools }: Scenario): Promise<Record<string, string | null>> {
  const around = [...clusters.map(instanceOf), ...pools.map(poolManifest)];
  for (const object of around) {
    await create(object);
    removed.push(object);
  }
  for (const pool of pools) {
    await isSeen(poolManifest(pool));
  }
  const found: Record<string, string | null> = {};
  for (const cluster of clusters) {
    const balancer = balancerOf(cluster);
    await findsNetwork(balancer, networksOf(cluster, clusters));
    await create(balancer);
    removed.push(balancer);
    found[cluster.name] = await poolOf(balancer);
  }
  return found;
}

beforeAll(async () => {
  const clusters = SCENARIOS.flatMap(
    (scenario: Scenario): readonly ScenarioCluster[] => scenario.clusters,
  );
  for (const namespace of new Map(
    clusters.map((each) => [each.namespace, namespaceOf(each)]),
  ).values()) {
    await create(namespace);
  }
  await create(network('vlan10')).catch(() => undefined);
  await create(network('vlan20')).catch(() => undefined);
}, 60_000);

/** @see harvester/load-balancer-harvester:pkg/utils/const.go AnnotationKeyManuallyReleaseIP */
const RELEASE = 'loadbalancer.harvesterhci.io/manuallyReleaseIP';

/** An address remains allocated where its load balancer is deleted before its status has it: seen on 1.8.2. */
async function release(pool: Manifest): Promise<void> {
  const { body } = await client.read(pool);
  const [address, owner] = Object.entries(body?.status?.allocated ?? {})[0] ?? [];
  if (address) {
    const metadata = { annotations: { [RELEASE]: `${address}: ${String(owner)}` } };
    const contentType = 'application/merge-patch+json';
    await client.request('PATCH', await client.pathOf(pool), { body: { metadata }, contentType });
  }
}

afterEach(async () => {
  for (const object of removed.splice(0).reverse()) {
    if (object.kind === 'VirtualMachineInstance') {
      await removeInstance(client, object);
      continue;
    }
    await client.delete(object);
    for (let tries = 1; (await client.read(object)).status !== 404 && tries < 200; tries++) {
      await client.delete(object);
      await sleep(100);
      if (object.kind === 'IPPool' && tries % 20 === 0) {
        await release(object);
      }
    }
  }
}, 120_000);

test.each(SCENARIOS)(
  '$title: the controller takes the pool that `addresses` names',
  async (scenario) => {
    const said = saidOf(scenario.clusters, scenario.pools);
    const found = await run(scenario);
    for (const { target, pool, reason } of said) {
      const candidates = /^one of (.*);/.exec(reason)?.[1].split(', ');
      const isRight = candidates
        ? candidates.includes(String(found[target]))
        : found[target] === pool;
      const text = `${target} has ${found[target]}, and addresses named ${pool}: ${reason}`;
      expect(isRight ? '' : text).toBe('');
    }
  },
);
