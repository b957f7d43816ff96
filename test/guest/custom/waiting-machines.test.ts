import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { configMap } from '../../support/programs';
import { RKE2, platform } from '../cluster/_clusters';

/** A custom cluster with as many machines as are asked for. */
function program(count: number): {
  app: HarvesterApp;
  cluster: CustomCluster;
  machines: VirtualMachine[];
} {
  const { app, rancher, dc1, harvester, namespace } = platform();
  const cluster = new CustomCluster(rancher, 'edge', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
  });
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  const { cloudInit } = cluster.nodeRegistration(MachineRoles.ALL);
  const machines = Array.from(
    { length: count },
    (_, index) =>
      new VirtualMachine(dc1, `edge-${index}`, {
        namespace,
        guestCluster: cluster,
        cloudInit,
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        nics: [Nic.network(network)],
      }),
  );
  return { app, cluster, machines };
}

const findings = (app: HarvesterApp) => {
  app.synth();
  return app.findings
    .filter(({ rule }) => rule === 'program/machines-wait')
    .map(({ level, construct, message }) => `${level} ${construct}: ${message}`);
};

const TOLD =
  'waits until Cluster fleet-default/edge is ready, as do all its virtual machines here, and it becomes ready only through them: ' +
  'apply would wait indefinitely';

test('machines of a custom cluster wait for the Cluster by themselves, which is not a finding', () => {
  expect(findings(program(2).app)).toEqual([]);
});

test('reports the only machine of a custom cluster if it waits until the cluster is ready', () => {
  const {
    app,
    cluster,
    machines: [machine],
  } = program(1);
  Ordering.of(machine).after(cluster, OrderingType.READY);
  expect(findings(app)).toEqual([`warning dc1/edge-0/Resource: ${TOLD}`]);
});

test('reports a machine that waits for objects in the cluster, which wait until the cluster is ready', () => {
  const {
    app,
    cluster,
    machines: [machine],
  } = program(1);
  configMap(cluster.chart, 'inside');
  Ordering.of(machine).after(cluster, OrderingType.APPLIED);
  expect(findings(app)).toEqual([`warning dc1/edge-0/Resource: ${TOLD}`]);
});

test('and so are machines that wait by another object', () => {
  const { app, cluster, machines } = program(2);
  const between = configMap(cluster.rancher as never, 'between');
  Ordering.of(between).after(cluster, OrderingType.READY);
  for (const machine of machines) {
    Ordering.of(machine).after(between, OrderingType.APPLIED);
  }
  expect(findings(app)).toHaveLength(2);
});

test('a machine that comes after the cluster is ready by another one is fine', () => {
  const {
    app,
    cluster,
    machines: [, worker],
  } = program(2);
  Ordering.of(worker).after(cluster, OrderingType.READY);
  expect(findings(app)).toEqual([]);
});

test('an edge that waits for the Cluster to be applied is fine', () => {
  const {
    app,
    cluster,
    machines: [machine],
  } = program(1);
  Ordering.of(machine).after(cluster.node.defaultChild!, OrderingType.APPLIED);
  expect(findings(app)).toEqual([]);
});
