import { setTimeout as sleep } from 'node:timers/promises';
import { Size } from 'cdk8s';
import { parse } from 'yaml';
import { CloudProvider, CLOUD_PROVIDER_VARIABLE } from './cloud-provider';
import {
  annotateInstance,
  GuestMachine,
  instanceOfMachine,
  registerNode,
  removeInstance,
  RUNNING,
  setInstanceStatus,
  virtualMachineOf,
} from './guest-nodes';
import { KubeVip } from './kube-vip';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { Manifest, objectLabel } from '../../../src/core/manifest/manifest';
import { World } from '../../../src/core/rule/rule';
import { toYaml } from '../../../src/core/yaml/yaml-writer';
import { readInput } from '../../../src/engine/read/read-input';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { addressTable } from '../../../src/report/addresses/address-table';
import { isUnrecorded } from '../../../src/report/doctor/leftovers';
import { Client } from '../../cluster/client';
import { tempFolder } from '../../support/temp';
import { ALL_PRODUCTS, KUBECONFIG_VARIABLES } from '../lab/kubeconfigs';
import { Lab, TARGETS } from '../lab/lab';
import { given, readKubeconfig } from '../machines/lab';

const WAIT_MS = 90_000;
const LOOK_MS = 1000;

/** The management cluster ID of the Harvester in programs that only describe it. */
const CLUSTER_ID = 'c-m-harvdc01';

/** Labels of a LoadBalancer that the cloud provider creates. @see harvester/cloud-provider-harvester:pkg/utils/consts.go */
const OF_CLUSTER = 'cloudprovider.harvesterhci.io/cluster';
const OF_NAMESPACE = 'cloudprovider.harvesterhci.io/serviceNamespace';
const OF_NAME = 'cloudprovider.harvesterhci.io/serviceName';

/** Where the cloud provider keeps the networks of all machines. @see harvester/cloud-provider-harvester:pkg/utils/consts.go ConfigMapNADMapping (0.2.7) */
const NETWORKS = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'harvester-nad-mapping', namespace: 'kube-system' },
};

/** What a Service of the guest cluster has. */
export interface ServedAddress {
  /** Of its status; undefined without one. */
  readonly ip?: string;
  /** The pool and the address that the Harvester allocated to its LoadBalancer; undefined without one. */
  readonly pool?: string;
  readonly allocated?: string;
  /** The newest refusal of the cloud provider. */
  readonly event?: string;
}

/** A guest cluster on a Harvester whose cloud provider runs, and the double of its kube-vip. */
export class GuestLab {
  public static async open(): Promise<GuestLab> {
    const program = given(CLOUD_PROVIDER_VARIABLE);
    const guest = readKubeconfig(given(KUBECONFIG_VARIABLES.guest));
    const harvester = readKubeconfig(given(KUBECONFIG_VARIABLES.harvester));
    const lab = await Lab.open(tempFolder(), ALL_PRODUCTS);
    const server = (
      JSON.parse(harvester.kubeconfig) as { clusters: { cluster: { server: string } }[] }
    ).clusters[0].cluster.server;
    return new GuestLab(lab, program, guest.client, harvester.client, server);
  }

  /** The name of the guest cluster. */
  public readonly cluster: string;
  /** The namespace of its machines. */
  public readonly vmNamespace: string;
  public readonly kubeVip: KubeVip;
  /** The version that programs declare of the guest cluster. */
  public readonly kubernetesVersion: string;
  private provider?: CloudProvider;
  private readonly instances: Manifest[] = [];

  private constructor(
    public readonly lab: Lab,
    private readonly program: string,
    public readonly guest: Client,
    public readonly harvester: Client,
    /** The URL at which the tests reach the Harvester. */
    private readonly harvesterServer: string,
  ) {
    this.cluster = lab.name('shop');
    this.vmNamespace = lab.name('vms');
    this.kubeVip = new KubeVip(guest);
    const { version } = lab.server('guest');
    this.kubernetesVersion = version.includes('+') ? version : `${version}+rke2r1`;
  }

  /** A kubeconfig that the library wrote, with the URL at which the tests reach the Harvester. */
  public reachable(base64: string): string {
    const kubeconfig = parse(Buffer.from(base64, 'base64').toString('utf8'));
    kubeconfig.clusters[0].cluster.server = this.harvesterServer;
    return toYaml(kubeconfig);
  }

  /** Starts the cloud provider with what the Secret of a cloud config on Rancher contains, and the double of kube-vip. */
  public async startProvider(secret: string, extraArgs: readonly string[] = []): Promise<void> {
    const cloudConfig = await this.eventually(`Secret ${secret}`, async () => {
      const object = await this.lab.server('rancher').cluster.read({
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: 'fleet-default',
        name: secret,
      });
      return (object?.data as { credential?: string } | undefined)?.credential;
    });
    this.provider = await CloudProvider.start(this.program, {
      cloudConfig: this.reachable(cloudConfig),
      guest: given(KUBECONFIG_VARIABLES.guest),
      clusterName: this.cluster,
      extraArgs,
      folder: this.lab.folder,
    });
    await this.kubeVip.start();
  }

  /** What the cloud provider printed. */
  public get output(): string {
    return this.provider?.output ?? '';
  }

  /** Creates a machine that runs, and its Node. */
  public async addMachine(machine: GuestMachine): Promise<void> {
    await this.create(this.harvester, virtualMachineOf(machine));
    const instance = instanceOfMachine(machine);
    await this.create(this.harvester, instance);
    this.instances.push(instance);
    await setInstanceStatus(this.harvester, instance, RUNNING);
    await registerNode(this.guest, machine.name);
    await this.knowNetworks(instance);
  }

  /** Waits until the cloud provider knows the networks of the machines. */
  public async knowNetworks(instance: Manifest): Promise<void> {
    await this.eventually(`ConfigMap ${NETWORKS.metadata.name}`, async () => {
      await annotateInstance(this.harvester, instance);
      const { status, body } = await this.guest.read(NETWORKS);
      return status === 200 && JSON.stringify(body.data).includes(this.vmNamespace)
        ? true
        : undefined;
    });
  }

  public async create(client: Client, object: Manifest): Promise<void> {
    const path = (await client.pathOf(object)).replace(/\/[^/]+$/, '');
    const { status, body } = await client.request('POST', path, { body: object });
    if (status >= 300) {
      throw new Error(`${objectLabel(object)}: ${body?.message}`);
    }
  }

  /** What a Service has on the servers. @param service `<namespace>/<name>` */
  public async served(service: string): Promise<ServedAddress> {
    const [namespace, name] = service.split('/');
    const live = await this.guest.get(`/api/v1/namespaces/${namespace}/services/${name}`);
    const balancer = await this.balancerOf(service);
    const { ipPool, ip } = balancer?.status?.allocatedAddress ?? {};
    return {
      ip: live.body?.status?.loadBalancer?.ingress?.[0]?.ip,
      pool: ipPool,
      allocated: ip,
      event: await this.refusalOf(service),
    };
  }

  /** The LoadBalancer of a Service on the Harvester. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  public async balancerOf(service: string): Promise<any> {
    const [namespace, name] = service.split('/');
    return (await this.balancers()).find(
      ({ metadata: { labels } }) =>
        labels?.[OF_NAMESPACE] === namespace && labels[OF_NAME] === name,
    );
  }

  /** All LoadBalancers of the guest cluster on the Harvester. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  public async balancers(): Promise<any[]> {
    const { body } = await this.harvester.list(
      'loadbalancer.harvesterhci.io/v1beta1',
      'LoadBalancer',
      this.vmNamespace,
    );
    return (body.items as Manifest[]).filter(
      ({ metadata: { labels } }) => labels?.[OF_CLUSTER] === this.cluster,
    );
  }

  /**
   * Makes the cloud provider record the addresses that kube-vip announced, as `doctor` advises:
   * it keeps a load balancer without one when the Service is deleted.
   */
  public async recordAddresses(): Promise<void> {
    await this.eventually('all addresses in the status of their load balancers', async () => {
      const left = (await this.balancers()).filter(isUnrecorded);
      for (const { metadata } of left) {
        const { [OF_NAMESPACE]: namespace, [OF_NAME]: name } = metadata.labels;
        await this.guest.request('PATCH', `/api/v1/namespaces/${namespace}/services/${name}`, {
          body: { metadata: { annotations: { 'recorded-address': String(Date.now()) } } },
          contentType: 'application/merge-patch+json',
        });
      }
      return left.length === 0 ? true : undefined;
    });
  }

  /** Waits until a question has an answer. */
  public async eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(LOOK_MS)) {
      const answer = await ask();
      if (answer !== undefined) {
        return answer;
      }
    }
    throw new Error(
      `${what}: nothing after ${WAIT_MS / 1000} seconds. ${this.output.slice(-2000)}`,
    );
  }

  /** What `addresses --world` prints of outputs of programs, and of the pools as the Harvester has them. */
  public async addresses(...outputs: readonly string[]): Promise<ReturnType<typeof addressTable>> {
    const { objects } = readInput(outputs, {});
    const { target } = objects.find((object) => object.target.name === TARGETS.harvester)!;
    const { body } = await this.harvester.list('loadbalancer.harvesterhci.io/v1beta1', 'IPPool');
    const live = (body.items as Manifest[]).map((item) => ({
      target,
      manifest: { ...item, apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool' },
    }));
    return addressTable(new World(objects, live));
  }

  /** Where `addresses` was wrong about load balancers. Waits until it is right. */
  public async wrongAddresses({ balancers }: ReturnType<typeof addressTable>): Promise<string[]> {
    const rows = balancers.filter(({ target }) => target === TARGETS.guest);
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const wrong = (await Promise.all(rows.map(async (row) => this.wrongAbout(row)))).flat();
      if (wrong.length === 0 || Date.now() > end) {
        return wrong;
      }
      await sleep(LOOK_MS);
    }
  }

  /** Stops what runs, and deletes what the run created; returns what is left. */
  public async close(): Promise<string[]> {
    try {
      for (const instance of this.instances) {
        await removeInstance(this.harvester, instance);
      }
      await this.guest.delete(NETWORKS);
      await this.removeBalancers();
      return await this.lab.clean();
    } finally {
      await this.kubeVip.stop();
      await this.provider?.stop();
      this.lab.close();
    }
  }

  /** Before their network is deleted: without it, Harvester cannot release their addresses. */
  private async removeBalancers(): Promise<void> {
    for (const { metadata } of await this.balancers()) {
      await this.harvester.delete({
        apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
        kind: 'LoadBalancer',
        metadata,
      });
    }
    await this.eventually('no LoadBalancer', async () =>
      (await this.balancers()).length === 0 ? true : undefined,
    );
  }

  private async wrongAbout({
    balancer,
    mode,
    pool,
    address,
    reason,
  }: ReturnType<typeof addressTable>['balancers'][number]): Promise<string[]> {
    const found = await this.served(balancer);
    const text = `${balancer} (${mode}, ${reason}) has ${JSON.stringify(found)}`;
    if (mode === 'shared') {
      const primary = await this.served(reason.replace(/^the address of Service /, ''));
      return found.ip !== undefined && found.ip === primary.ip && found.pool === undefined
        ? []
        : [`addresses: ${text}, the other Service ${JSON.stringify(primary)}`];
    }
    if (mode === 'dhcp') {
      return found.ip !== undefined && found.ip === this.kubeVip.leaseOf(balancer)
        ? []
        : [`addresses: ${text}`];
    }
    const candidates = /^one of (.*);/.exec(reason)?.[1].split(', ') ?? [pool ?? undefined];
    const isRight =
      candidates.includes(found.pool) &&
      found.ip === found.allocated &&
      (address === null || address === found.ip);
    return isRight ? [] : [`addresses: pool ${pool} and address ${address} for ${text}`];
  }

  private async refusalOf(service: string): Promise<string | undefined> {
    const [namespace, name] = service.split('/');
    const { body } = await this.guest.get(`/api/v1/namespaces/${namespace}/events`);
    return (body.items as { involvedObject: { name: string }; reason: string; message: string }[])
      .filter(
        ({ involvedObject, reason }) => involvedObject.name === name && /Failed$/.test(reason),
      )
      .at(-1)?.message;
  }

  /** The output of a program that declares the guest cluster, which no one applies. */
  public description(): string {
    const { lab } = this;
    const outdir = tempFolder();
    const app = new HarvesterApp({ outdir, printWarnings: false });
    const rancher = new RancherChart(app, TARGETS.rancher, {
      version: lab.server('rancher').version,
      serverUrl: lab.facts.serverUrl!,
    });
    const dc1 = new HarvesterChart(app, TARGETS.harvester, {
      version: lab.server('harvester').version,
      vip: lab.facts.vip,
    });
    const vms = HarvesterNamespace.fromName(dc1, 'vms', { name: this.vmNamespace });
    new GuestCluster(rancher, 'cluster', {
      name: this.cluster,
      targetName: TARGETS.guest,
      harvesterImport: HarvesterImport.fromClusterId(rancher, 'import', {
        clusterId: CLUSTER_ID,
        harvester: dc1,
      }),
      vmNamespace: vms,
      kubernetes: Kubernetes.rke2(this.kubernetesVersion),
      pools: [
        {
          name: 'all',
          quantity: 1,
          roles: MachineRoles.ALL,
          cpus: 4,
          memory: Size.gibibytes(8),
          sshUser: 'ubuntu',
          networks: [
            VmNetwork.fromName(dc1, 'vlan10', { name: 'vlan10', namespace: this.vmNamespace }),
          ],
          disks: [
            Disk.image(VmImage.fromName(dc1, 'image', { name: 'noble' }), Size.gibibytes(40)),
          ],
        },
      ],
    });
    app.synth();
    return outdir;
  }
}
