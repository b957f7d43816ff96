import { setTimeout as sleep } from 'node:timers/promises';
import { Size } from 'cdk8s';
import { GuestLab } from './guest-lab';
import {
  instanceOfMachine,
  registerNode,
  removeInstance,
  RUNNING,
  setInstanceStatus,
  UNINITIALIZED,
} from './guest-nodes';
import { Manifest, namespacedName } from '../../../src/core/manifest/manifest';
import { HarvesterLoadBalancer } from '../../../src/guest/balancer/harvester-load-balancer';
import { ANNOTATION_IPAM } from '../../../src/guest/balancer/load-balancer-service.check';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { GuestChart } from '../../../src/guest/guest-chart';
import { GuestNamespace } from '../../../src/guest/guest-namespace';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { standInForClusterApi } from '../families/guests';
import { TARGETS } from '../lab/lab';
import { given } from '../machines/lab';
import { DRIVER_VARIABLE, NodeDriver } from '../machines/node-driver';
import { StandIns } from '../machines/stand-ins';
import { Charts, Walk } from '../walk/walk';

const IMAGE = 'noble';
const FLEET = 'fleet-default';

/** The key of a cloud credential's kubeconfig. @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go */
const KUBECONFIG_KEY = 'harvestercredentialConfig-kubeconfigContent';

/** The only address of the pool, and the one that a later commit adds. */
const FIRST_ADDRESS = '198.18.20.10';
const SECOND_ADDRESS = '198.18.20.11';

const LOAD_BALANCERS = 'loadbalancer.harvesterhci.io/v1beta1';

/** How long a load balancer must remain to count as kept: the cloud provider deletes others within a second. */
const UNTOUCHED_MS = 10_000;

interface PlatformOptions {
  readonly hasCluster: boolean;
  /** The last address of the pool. @default - the first */
  readonly end?: string;
}

describe('from the import of a Harvester to the address of a load balancer', () => {
  let guestLab: GuestLab;
  let platform: Walk;
  let workloads: Walk;
  let standIns: StandIns;
  let machine: string;
  let driver: NodeDriver;
  let instance: Manifest | undefined;
  /** Whether the driver made the machine: without it, nothing else can work. */
  let isMade = false;
  let stopClusterApi: (() => void) | undefined;

  beforeAll(async () => {
    given(DRIVER_VARIABLE);
    guestLab = await GuestLab.open();
    platform = new Walk(guestLab.lab, 'platform');
    workloads = new Walk(guestLab.lab, 'workloads');
    standIns = new StandIns(guestLab.harvester);
    stopClusterApi = await standInForClusterApi(guestLab.lab);
    machine = `${guestLab.cluster}-all-x7k2p-9v4tz`;
  });
  afterAll(async () => {
    try {
      if (instance) {
        await removeInstance(guestLab.harvester, instance);
      }
      await standIns?.remove();
      expect(await guestLab?.close()).toEqual([]);
    } finally {
      stopClusterApi?.();
    }
  });

  /** The program of the platform team. */
  function declarePlatform({ hasCluster, end = FIRST_ADDRESS }: PlatformOptions) {
    return ({ rancher, dc1 }: Charts): void => {
      const { lab, cluster, vmNamespace, kubernetesVersion } = guestLab;
      const clusterId = `c-m-${lab.name('h').replace(/-/g, '')}`;
      new HarvesterImport(rancher, 'import', {
        harvester: dc1,
        name: lab.name('dc1'),
        clusterId: ClusterId.fixed(clusterId),
        register: false,
      });
      const imported = HarvesterImport.fromClusterId(rancher, 'imported', {
        clusterId,
        harvester: dc1,
      });
      const tenant = new TenantProject(rancher, 'tenant', {
        cluster: imported,
        name: 'payments',
        tenantNamespaces: [{ name: vmNamespace }],
      });
      const vms = tenant.declaredNamespace(vmNamespace);
      const network = new VmNetwork(dc1, 'vlan10', {
        namespace: vms,
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        vlan: 10,
      });
      new IpPool(dc1, 'pool', {
        name: lab.name('payments'),
        network,
        ranges: [{ subnet: '198.18.20.0/24', start: FIRST_ADDRESS, end }],
        scopes: [IpPoolScope.project(tenant)],
      });
      if (!hasCluster) {
        return;
      }
      new GuestCluster(rancher, 'cluster', {
        name: cluster,
        targetName: TARGETS.guest,
        harvesterImport: imported,
        vmNamespace: vms,
        // an account of this run: the default one would be that of all programs for the Harvester
        credential: CloudCredential.serviceAccount(rancher, 'credential', {
          name: lab.name('driver'),
          harvesterImport: imported,
          namespaces: [vms],
        }),
        kubernetes: Kubernetes.rke2(kubernetesVersion),
        pools: [
          {
            name: 'all',
            quantity: 1,
            roles: MachineRoles.ALL,
            cpus: 2,
            memory: Size.gibibytes(4),
            sshUser: 'ubuntu',
            networks: [network],
            disks: [
              Disk.image(
                VmImage.fromName(dc1, 'image', { name: IMAGE, namespace: vmNamespace }),
                Size.gibibytes(40),
              ),
            ],
          },
        ],
      });
    };
  }

  /** The program of the team that uses the guest cluster. */
  function declareWorkloads(...services: readonly string[]) {
    return ({ app, dc1 }: Charts): void => {
      const { lab, cluster, kubernetesVersion } = guestLab;
      const guest = new GuestChart(app, TARGETS.guest, {
        version: kubernetesVersion,
        provisioningCluster: `${FLEET}/${cluster}`,
        harvester: dc1,
      });
      const namespace = new GuestNamespace(guest, 'namespace', { name: lab.name('web') });
      for (const service of services) {
        new HarvesterLoadBalancer(guest, service, {
          namespace,
          ipam: Ipam.pool(),
          ports: [{ port: 443 }],
          selector: { app: service },
        });
      }
    };
  }

  /** Asks `addresses`, applies the workloads, and compares; returns what it printed of each Service. */
  async function commitWorkloads(...services: readonly string[]) {
    const declare = declareWorkloads(...services);
    const said = await guestLab.addresses(platform.dist, workloads.synthesize(declare));
    expect(await workloads.commit(declare)).toEqual([]);
    expect(await guestLab.wrongAddresses(said)).toEqual([]);
    await guestLab.recordAddresses();
    const rows = said.balancers.filter(({ target }) => target === TARGETS.guest);
    return Object.fromEntries(
      rows.map(({ balancer, pool, address }) => [balancer.split('/')[1], { pool, address }]),
    );
  }

  /** Waits until the pool has allocated exactly some addresses. */
  async function allocates(...addresses: readonly string[]): Promise<void> {
    const ref = {
      apiVersion: LOAD_BALANCERS,
      kind: 'IPPool',
      metadata: { name: guestLab.lab.name('payments') },
    };
    const expected = addresses.join();
    await guestLab.eventually(`a pool with the addresses ${expected || 'none'}`, async () => {
      const { body } = await guestLab.harvester.read(ref);
      return Object.keys(body.status?.allocated ?? {}).join() === expected || undefined;
    });
  }

  async function onRancher(apiVersion: string, kind: string, namespace: string, name: string) {
    const { cluster } = guestLab.lab.server('rancher');
    return guestLab.eventually(`${kind} ${namespace}/${name}`, async () =>
      cluster.read({ apiVersion, kind, namespace, name }),
    );
  }

  test('imports the Harvester, and gives a tenant a project with a namespace and a pool', async () => {
    expect(await platform.commit(declarePlatform({ hasCluster: false }))).toEqual([]);
  });

  test('declares a guest cluster, whose machine the node driver makes', async () => {
    const { vmNamespace, cluster } = guestLab;
    await standIns.addReferences({ vmNamespace, imageName: `${vmNamespace}/${IMAGE}` });
    expect(await platform.commit(declarePlatform({ hasCluster: true }))).toEqual([]);
    const provisioned = await onRancher('provisioning.cattle.io/v1', 'Cluster', FLEET, cluster);
    const { cloudCredentialSecretName, rkeConfig } = provisioned.spec as {
      cloudCredentialSecretName: string;
      rkeConfig: { machinePools: { machineConfigRef: { name: string } }[] };
    };
    const config = await onRancher(
      'rke-machine-config.cattle.io/v1',
      'HarvesterConfig',
      FLEET,
      rkeConfig.machinePools[0].machineConfigRef.name,
    );
    const [namespace, name] = cloudCredentialSecretName.split(':');
    const credential = await onRancher('v1', 'Secret', namespace, name);
    const kubeconfig = (credential.data as { [key: string]: string })[KUBECONFIG_KEY];
    instance = instanceOfMachine({
      name: machine,
      namespace: vmNamespace,
      network: `${vmNamespace}/vlan10`,
      cluster,
    });
    await guestLab.create(guestLab.harvester, instance);
    await setInstanceStatus(guestLab.harvester, instance, RUNNING);
    driver = new NodeDriver(given(DRIVER_VARIABLE), guestLab.reachable(kubeconfig));
    const { isDone, output } = await driver.create(config as unknown as Manifest, cluster, machine);
    expect({ isDone, output: isDone ? '' : output }).toEqual({ isDone: true, output: '' });
    isMade = true;
  });

  test('makes a node of the machine, by the cloud provider with the cloud config of the program', async () => {
    expect(isMade).toBe(true);
    await guestLab.startProvider(`harvesterconfig-${guestLab.cluster}`);
    await registerNode(guestLab.guest, machine);
    const node = await guestLab.eventually(`Node ${machine}`, async () => {
      const { body } = await guestLab.guest.get(`/api/v1/nodes/${machine}`);
      return body.spec.providerID ? body : undefined;
    });
    const { body } = await guestLab.harvester.read({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace: guestLab.vmNamespace, name: machine },
    });
    expect(node.spec.providerID).toBe(`harvester://${body.metadata.uid}`);
    expect(JSON.stringify(node.spec.taints ?? [])).not.toContain(UNINITIALIZED);
    expect(body.spec.template.spec.networks[0].multus.networkName).toBe(
      `${guestLab.vmNamespace}/vlan10`,
    );
  });

  test('gives a Service the address of the tenant that `addresses` names', async () => {
    expect(isMade).toBe(true);
    const pool = guestLab.lab.name('payments');
    expect(await commitWorkloads('web')).toEqual({ web: { pool, address: FIRST_ADDRESS } });
    await allocates(FIRST_ADDRESS);
  });

  test('gives a second one the address that is added to the pool', async () => {
    expect(isMade).toBe(true);
    const pool = guestLab.lab.name('payments');
    const grown = declarePlatform({ hasCluster: true, end: SECOND_ADDRESS });
    expect(await platform.commit(grown)).toEqual([]);
    expect(await commitWorkloads('web', 'api')).toEqual({
      web: { pool, address: FIRST_ADDRESS },
      // Harvester picks one when the Service is there
      api: { pool, address: null },
    });
    await allocates(FIRST_ADDRESS, SECOND_ADDRESS);
  });

  test('releases the address of one that is removed, then that of the other', async () => {
    expect(isMade).toBe(true);
    const pool = guestLab.lab.name('payments');
    expect(await commitWorkloads('api')).toEqual({ api: { pool, address: SECOND_ADDRESS } });
    await allocates(SECOND_ADDRESS);
    expect(await workloads.destroy()).toEqual([]);
    await allocates();
    expect(await guestLab.balancers()).toEqual([]);
  });

  test('keeps the address of a Service that is deleted before kube-vip announced it', async () => {
    expect(isMade).toBe(true);
    const { guest, harvester, kubeVip, lab } = guestLab;
    await kubeVip.stop();
    const service: Manifest = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: lab.name('silent'),
        namespace: 'default',
        annotations: { [ANNOTATION_IPAM]: 'pool' },
      },
      spec: { type: 'LoadBalancer', ports: [{ port: 443 }], selector: { app: 'silent' } },
    };
    await guestLab.create(guest, service);
    const balancer = await guestLab.eventually('an allocated address', async () => {
      const found = await guestLab.balancerOf(namespacedName(service));
      return found?.status?.allocatedAddress?.ip ? found : undefined;
    });
    await guest.delete(service);
    await guestLab.eventually('no Service', async () =>
      (await guest.read(service)).status === 404 ? true : undefined,
    );
    await sleep(UNTOUCHED_MS);
    const left = await guestLab.balancerOf(namespacedName(service));
    expect(left?.metadata).toMatchObject({ uid: balancer.metadata.uid });
    expect(left.metadata.deletionTimestamp).toBeUndefined();
    await harvester.delete({ ...left, apiVersion: LOAD_BALANCERS, kind: 'LoadBalancer' });
    await allocates();
  });

  test('removes the machine with the account of the program, then the cluster, the tenant, and the import', async () => {
    expect(isMade).toBe(true);
    await removeInstance(guestLab.harvester, instance!);
    const { isDone, output } = await driver.remove(machine);
    expect({ isDone, output: isDone ? '' : output }).toEqual({ isDone: true, output: '' });
    expect(
      await platform.commit(declarePlatform({ hasCluster: false }), { pruneMachines: true }),
    ).toEqual([]);
    // a namespace with an image is kept
    await standIns.remove();
    expect(await platform.destroy()).toEqual([]);
  });
});
