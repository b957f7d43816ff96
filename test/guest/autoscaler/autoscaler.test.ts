import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import {
  CloudInit,
  ClusterNetwork,
  Delivery,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineAutoscaler,
  MachineRoles,
  RancherChart,
  SecretDelivery,
  VmImage,
  VmNetwork,
} from '../../../src';
import { Manifest, isRecord } from '../../../src/core/manifest/manifest';
import { World } from '../../../src/core/rule/rule';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { readInput } from '../../../src/engine/read/read-input';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { fitTable } from '../../../src/report/fits/fit-table';
import { editImpacts } from '../../../src/report/impact/edit-impacts';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { Trial } from '../../engine/run/_running';
import { cloudConfig, credential, guest, machineConfig, pool } from '../../support/guest';
import { judgeOn } from '../../support/judging';
import { tempFolder } from '../../support/temp';

const key = (name: string): string => `cluster.provisioning.cattle.io/autoscaler-${name}`;
const annotations = (more: object = {}): object => ({
  [key('min-size')]: '1',
  [key('max-size')]: '5',
  ...more,
});
const workers = (more: object = {}): Manifest =>
  pool({
    name: 'work',
    quantity: 2,
    etcdRole: false,
    controlPlaneRole: false,
    machineDeploymentAnnotations: annotations(),
    ...more,
  }) as unknown as Manifest;

/** A cluster with a pool of a fixed number of machines, and one that is scaled. */
function clusterWith(scaled: object, ...others: object[]): Manifest {
  return guest({ machinePools: [pool(), scaled, ...others] });
}

const found = (cluster: Manifest): string[] =>
  judgeOn(ALL_RULES, [machineConfig(), cloudConfig(), credential(), cluster], {
    version: '2.13.8',
  })
    .filter(({ rule }) => rule.includes('autoscal'))
    .map(({ rule, path, message }) => `${rule} ${path.replace('spec.rkeConfig.', '')} ${message}`);

describe('rules', () => {
  test('find nothing about a pool with bounds and a quantity', () => {
    expect(found(clusterWith(workers()))).toEqual([]);
  });

  test('report what stops the autoscaler for all pools', () => {
    const [quantity, bound, memory] = [
      found(clusterWith(workers({ quantity: undefined }))),
      found(
        clusterWith(
          workers({ machineDeploymentAnnotations: annotations({ [key('max-size')]: 'many' }) }),
        ),
      ),
      found(
        clusterWith(
          workers({
            machineDeploymentAnnotations: annotations({
              [key('resource-cpu')]: '4',
              [key('resource-memory')]: 'much',
            }),
          }),
        ),
      ),
    ];
    expect(quantity).toEqual([
      'cluster/pool-autoscaler machinePools[1].quantity must be set: kubernetes/autoscaler scales no pool of the cluster while one has no quantity',
    ]);
    expect(bound).toHaveLength(1);
    expect(bound[0]).toContain('must be a whole number of 0 or more, as text');
    expect(memory).toHaveLength(2);
    expect(memory.join()).toContain('autoscaler-resource-ephemeral-storage] must be set');
  });

  test("report a pool of Rancher's own autoscaler in the same cluster", () => {
    const other = pool({
      name: 'other',
      quantity: undefined,
      autoscalingMinSize: 1,
      autoscalingMaxSize: 2,
    });
    expect(found(clusterWith(workers(), other))).toEqual([
      expect.stringContaining('cluster/pool-autoscaler machinePools[2].quantity must be set'),
    ]);
  });

  test('report a pool that may have no machine, without resources', () => {
    const empty = { machineDeploymentAnnotations: annotations({ [key('min-size')]: '0' }) };
    expect(found(clusterWith(workers(empty)))).toEqual([
      expect.stringContaining('must be set for a pool that may have 0 machines'),
    ]);
  });
});

const ID = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';

/** A program that writes a cluster. */
function program(cluster: Manifest): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher');
  const { apiVersion, kind, metadata, ...fields } = cluster;
  small.object('rancher', apiVersion, kind, `${metadata.namespace}/${metadata.name}`, fields);
  return small;
}

describe('apply', () => {
  const quantities = (trial: Trial): unknown[] => {
    const live = trial.clusters.rancher.live(
      'provisioning.cattle.io/v1',
      'Cluster',
      'shop',
      'fleet-default',
    ) as unknown as { spec: { rkeConfig: { machinePools: { quantity?: number }[] } } };
    return live.spec.rkeConfig.machinePools.map(({ quantity }) => quantity);
  };
  /** The cluster as the autoscaler writes it. */
  const scale = (trial: Trial, cluster: Manifest, quantity: number): void => {
    trial.clusters.rancher.seed(
      guest({
        machinePools: (cluster.spec as any).rkeConfig.machinePools.map((each: any) =>
          each.name === 'work' ? { ...each, quantity } : each,
        ),
      }),
      'cluster-autoscaler',
    );
  };

  test('writes the number once, and keeps what the autoscaler makes of it, also with other edits', async () => {
    const first = clusterWith(workers());
    const trial = new Trial(program(first));
    await trial.apply();
    expect(quantities(trial)).toEqual([3, 2]);

    const scaled = new Trial(program(first));
    scale(scaled, first, 4);
    const step = (await scaled.plan()).steps.find(({ id }) => id === ID)!;
    expect(step.changes.filter(({ path }) => path.includes('quantity'))).toEqual([]);
    expect(step.reason).toContain('the quantity of pool work remains 4, which an autoscaler sets');
    // another place, another number, and another edit
    scaled.declared = program(
      guest({ machinePools: [workers({ quantity: 1, drainBeforeDelete: false }), pool()] }),
    );
    await scaled.apply({ forceConflicts: [ID] });
    expect(quantities(scaled).sort()).toEqual([3, 4]);
  });
});

/** A guest cluster with a pool that is scaled, as an engine gets it. */
function delivered(delivery: Delivery): HarvesterApp {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    idSalt: 'a-salt-of-the-program',
    printWarnings: false,
    secrets: SecretDelivery.plainText(),
    delivery,
  });
  const serverUrl = 'https://rancher.example.com';
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const clusterNetwork = ClusterNetwork.mgmt(dc1);
  const machine = {
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [new VmNetwork(dc1, 'prod', { clusterNetwork, vlan: 100 })],
    cloudInit: CloudInit.of(),
  };
  new GuestCluster(rancher, 'shop', {
    harvesterImport: new HarvesterImport(rancher, 'import', { harvester: dc1 }),
    vmNamespace: new HarvesterNamespace(dc1, 'shop-vms'),
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    pools: [
      { ...machine, name: 'all', quantity: 3, roles: MachineRoles.ALL },
      {
        ...machine,
        name: 'work',
        roles: MachineRoles.WORKER,
        autoscaling: { min: 2, max: 6, autoscaler: MachineAutoscaler.RANCHER },
      },
    ],
  });
  app.synth();
  return app;
}

const repository = 'https://git.example.com/platform.git';

test('Flux keeps the live number, by an ignore rule for this Cluster alone', () => {
  const { outdir } = delivered(Delivery.flux({ sourceName: 'platform' }));
  const kustomizations = readYaml(readFileSync(join(outdir, 'flux', 'rancher.yaml'), 'utf8'));
  const rules = kustomizations.flatMap((each) =>
    isRecord(each) && isRecord(each.spec) ? (each.spec.ignore ?? []) : [],
  );
  expect(rules).toEqual([
    {
      paths: ['/spec/rkeConfig/machinePools/1/quantity'],
      target: {
        group: '^provisioning\\.cattle\\.io$',
        kind: 'Cluster',
        name: '^shop$',
        namespace: '^fleet-default$',
      },
    },
  ]);
});

test.each<[string, Delivery]>([
  ['Argo CD', Delivery.argoCd({ repository })],
  ['Fleet', Delivery.fleet({ repository })],
])('%s would write the number again: only apply writes the Cluster', (_, delivery) => {
  const { outdir } = delivered(delivery);
  const [{ findings, objects }] = readInput([outdir], {}).assemblies;
  const left = findings.filter(({ rule }) => rule === 'delivery/left-to-apply');
  expect(left.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      'Cluster fleet-default/shop has the quantity of pool work, which an autoscaler sets',
    ),
  ]);
  const [{ onlyApply }] = objects.filter(({ kind, name }) => kind === 'Cluster' && name === 'shop');
  expect(onlyApply).toContain('writes the number of the file');
  const files = readdirSync(join(outdir, 'rancher'), { recursive: true }).map(String);
  expect(
    files
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => readFileSync(join(outdir, 'rancher', file), 'utf8'))
      .join(),
  ).not.toContain('autoscaler-min-size');
});

test('impact and fits take the bounds, and an edit of the first number does nothing', () => {
  const input = (max: number, quantity: number) => {
    const base = readInput([], {});
    const target = { name: 'rancher', kind: 'rancher' as const };
    const cluster = clusterWith(
      workers({
        quantity,
        machineDeploymentAnnotations: annotations({ [key('max-size')]: String(max) }),
      }),
    );
    const objects = [machineConfig(), cloudConfig(), credential(), cluster];
    return {
      ...base,
      objects: objects.map((manifest) => ({ manifest, target, file: 'all.yaml' })),
    };
  };
  expect(editImpacts(input(5, 2), input(5, 4))).toEqual([]);
  const gone = editImpacts(input(5, 2), {
    ...input(5, 2),
    objects: input(5, 2).objects.map((object) =>
      object.manifest.kind === 'Cluster' ? { ...object, manifest: guest() } : object,
    ),
  });
  expect(gone).toEqual([
    expect.objectContaining({ effect: 'delete', pool: 'work', scaled: { min: 1, max: 5 } }),
  ]);
  expect(fitTable(new World(input(5, 2).objects, []))).toEqual([]);
});
