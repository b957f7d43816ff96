import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import {
  IPAM_POOL,
  WORKLOAD_CLUSTER,
} from '../../../src/harvester/load-balancer/load-balancer.kind';
import { addressTable } from '../../../src/report/addresses/address-table';
import { guest, on, pool, service, vmNamespace } from '../../support/balancers';

const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.15.0' };
const HARVESTER: JudgedTarget = {
  name: 'dc1',
  kind: 'harvester',
  harvesterVersion: '1.8.2',
  managedAs: 'rancher/c-m-harvdc01',
};

/** A guest cluster on the Harvester. */
export interface ScenarioCluster {
  readonly name: string;
  /** The namespace of its machines, and that namespace's project. */
  readonly namespace: string;
  readonly project?: string;
  readonly network: string;
  /** The name that its cloud provider uses, if another one. */
  readonly providerName?: string;
}

/** An IPPool, with the selector of its spec. */
export interface ScenarioPool {
  readonly name: string;
  readonly subnet: string;
  readonly selector: {
    readonly network?: string;
    readonly priority?: number;
    readonly scope: readonly {
      readonly project?: string;
      readonly namespace?: string;
      readonly guestCluster?: string;
    }[];
  };
}

/** What `addresses` prints of the load balancer of a cluster. */
export function saidOf(
  clusters: readonly ScenarioCluster[],
  pools: readonly ScenarioPool[],
): ReturnType<typeof addressTable>['balancers'] {
  return addressTable(worldOf(clusters, pools)).balancers;
}

function worldOf(clusters: readonly ScenarioCluster[], pools: readonly ScenarioPool[]): World {
  const onRancher = clusters.flatMap(({ name, namespace, network, providerName }) =>
    guest(name, {
      network,
      chartValues: providerName ? { global: { cattle: { clusterName: providerName } } } : {},
    }).map((object) =>
      object.kind === 'HarvesterConfig' ? { ...object, vmNamespace: namespace } : object,
    ),
  );
  const namespaces = new Map(clusters.map((each) => [each.namespace, namespaceOf(each)]));
  const objects: JudgedObject[] = [
    ...on(RANCHER, ...onRancher),
    ...on(HARVESTER, ...namespaces.values(), ...pools.map(poolManifest)),
    ...clusters.flatMap(({ name }) =>
      on(
        {
          name,
          kind: 'guest',
          provisioningCluster: `fleet-default/${name}`,
          kubernetesVersion: 'v1.34.4+rke2r1',
        },
        service('web'),
      ),
    ),
  ];
  return new World(objects);
}

export function namespaceOf({ namespace, project }: ScenarioCluster): Manifest {
  return vmNamespace(project?.replace('/', ':'), namespace);
}

export function poolManifest({ name, subnet, selector }: ScenarioPool): Manifest {
  return pool(name, [subnet], selector);
}

/** The label by which Harvester finds machines. @see harvester/load-balancer-harvester:pkg/utils/const.go LabelKeyHarvesterCreator */
const CREATOR = { 'harvesterhci.io/creator': 'docker-machine-driver-harvester' };

/** A running machine of a cluster. */
export function instanceOf(cluster: ScenarioCluster): Manifest {
  const { namespace, network } = cluster;
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: machineName(cluster), namespace, labels: CREATOR },
    spec: {
      architecture: 'amd64',
      domain: {
        devices: { interfaces: [{ name: 'nic-0', bridge: {} }] },
        // KubeVirt's own webhooks, where they run, ask for it
        resources: { requests: { memory: '1Gi' } },
      },
      networks: [{ name: 'nic-0', multus: { networkName: network } }],
    },
  } as Manifest;
}

/**
 * The LoadBalancer that the cloud provider of a cluster creates of a Service without annotations.
 *
 * @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go constructLB (0.2.7)
 */
export function balancerOf({ name, namespace, providerName }: ScenarioCluster): Manifest {
  const cluster = providerName ?? name;
  return {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    metadata: {
      name: `${cluster}-default-web-0a1b2c3d`,
      namespace,
      annotations: { 'loadbalancer.harvesterhci.io/cluster': cluster },
      labels: { 'cloudprovider.harvesterhci.io/cluster': cluster },
    },
    spec: { ipam: IPAM_POOL, workloadType: WORKLOAD_CLUSTER },
  } as Manifest;
}

/** The networks of the machines that Harvester takes for those of a cluster; empty where it finds none. */
export function networksOf(
  { name, namespace, providerName = name }: ScenarioCluster,
  clusters: readonly ScenarioCluster[],
): readonly string[] {
  const own = clusters.filter(
    (other) => other.namespace === namespace && machineName(other).startsWith(providerName),
  );
  return own.length > 0 ? own.map(({ network }) => network) : [''];
}

function machineName({ name }: ScenarioCluster): string {
  return `${name}-all-hj2kd-x9v4t`;
}
