import { ApiObject, Chart, Size } from 'cdk8s';
import { Construct } from 'constructs';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { failOnErrors } from '../../../src/core/problem/problem';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import { checkMachinePools } from '../../../src/guest/machine-pool/checks/check-machine-pools';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { addMachinePools } from '../../../src/guest/machine-pool/machine-pool-spec';
import { ClusterContext, ClusterFields, NodeFile } from '../../../src/guest/parts/cluster-parts';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';

export interface PoolWorld {
  readonly rancher?: string;
  readonly harvester?: string;
  readonly cluster?: string;
}

/** A Rancher and a Harvester with a cluster that has no pool yet. */
export class PoolProgram {
  public readonly app: HarvesterApp = newApp();
  public readonly rancher: RancherChart;
  public readonly harvester: HarvesterChart;
  public readonly image: VmImage;
  public readonly network: VmNetwork;
  public readonly context: ClusterContext;

  public constructor({
    rancher = '2.14.1',
    harvester = '1.7.2',
    cluster = 'shop',
  }: PoolWorld = {}) {
    this.rancher = newRancher(this.app, rancher);
    this.harvester = newHarvester(this.app, harvester);
    this.image = VmImage.download(this.harvester, 'ubuntu', {
      url: 'https://images.example.com/noble.img',
    });
    this.network = new VmNetwork(this.harvester, 'prod', {
      clusterNetwork: ClusterNetwork.mgmt(this.harvester),
      vlan: 100,
    });
    this.context = {
      scope: new Construct(this.rancher as Chart, cluster),
      name: cluster,
      fleetWorkspace: 'fleet-default',
      rancher: this.rancher,
      rancherVersion: RancherVersion.parse(rancher),
      kubernetesVersion: KubernetesVersion.parse('v1.33.6+rke2r1'),
      harvester: this.harvester,
      harvesterVersion: HarvesterVersion.parse(harvester),
      vmNamespace: 'payments',
      dataDirectory: '/var/lib/rancher/rke2',
    };
  }

  public pool(props: Partial<MachinePool> = {}): MachinePool {
    return {
      name: 'all',
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(this.image, Size.gibibytes(40))],
      networks: [this.network],
      ...props,
    };
  }

  public add(
    props: Partial<MachinePool> = {},
    files: readonly NodeFile[] = [],
  ): { readonly entry: ClusterFields; readonly config: ApiObject } {
    const pools = [this.pool(props)];
    // a lone pool need not have every role
    failOnErrors(
      this.context.scope,
      checkMachinePools(this.context, pools).filter(({ path }) => path !== 'pools'),
    );
    const {
      entries: [entry],
      configs: [config],
    } = addMachinePools(this.context, pools, files);
    return { entry, config };
  }

  /** The fields of the machine configuration of a pool. */
  public config(
    props: Partial<MachinePool> = {},
    files: readonly NodeFile[] = [],
  ): { [field: string]: any } {
    return fieldsOf(this.add(props, files).config);
  }
}

export function fieldsOf(config: ApiObject): { [field: string]: any } {
  const { apiVersion, kind, metadata, ...fields } = config.toJson();
  return fields;
}

/**
 * The message of the error that a pool is refused with; `nothing was thrown` is thrown for one that
 * is taken.
 */
export function refusal(
  props: Partial<MachinePool> | ((program: PoolProgram) => Partial<MachinePool>),
  world?: PoolWorld,
): string {
  const program = new PoolProgram(world);
  return messageOf(() => program.add(typeof props === 'function' ? props(program) : props));
}
