import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../src/core/rule/rule';
import { VALUE_RULES } from '../../src/core/shape/shape.rules';
import { SERVICE_RULES } from '../../src/guest/balancer/service-load-balancer.rules';
import { IP_POOL_RULES } from '../../src/harvester/ip-pool/ip-pool.rules';
import { LOAD_BALANCER_RULES } from '../../src/harvester/load-balancer/load-balancer.rules';
import { IMMUTABLE_RULES } from '../../src/registry/all-rules';

export const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
export const HARVESTER: JudgedTarget = {
  name: 'dc1',
  kind: 'harvester',
  harvesterVersion: '1.7.2',
  managedAs: 'rancher/c-m-harvdc01',
};
export const HARVESTER_1_9: JudgedTarget = { ...HARVESTER, harvesterVersion: '1.9.0' };
export const GUEST: JudgedTarget = {
  name: 'shop',
  kind: 'guest',
  kubernetesVersion: 'v1.33.6+rke2r1',
  provisioningCluster: 'fleet-default/shop',
};

/** Another Harvester, on which everything has the same name. */
export const TWIN: JudgedTarget = { ...HARVESTER, name: 'dc0', managedAs: 'rancher/c-m-harvdc00' };

export const on = (target: JudgedTarget, ...manifests: Manifest[]): JudgedObject[] =>
  manifests.map((manifest) => ({ target, manifest }));

export const ALL_SCOPE = { project: '*', namespace: '*', guestCluster: '*' };

/** An IPPool; ranges by their subnets. */
export function pool(
  name: string,
  subnets: (string | object)[],
  selector: object = { scope: [ALL_SCOPE] },
  rest: object = {},
): Manifest {
  const ranges = subnets.map((subnet) => (typeof subnet === 'string' ? { subnet } : subnet));
  return {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name },
    spec: { ranges, selector },
    ...rest,
  };
}

/** A LoadBalancer of virtual machines. */
export function vmBalancer(name: string, spec: object = {}, namespace = 'vms'): Manifest {
  return {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    metadata: { name, namespace },
    spec: {
      workloadType: 'vm',
      ipam: 'pool',
      listeners: [{ name: 'a', port: 80, protocol: 'TCP', backendPort: 8080 }],
      backendServerSelector: { app: ['web'] },
      ...spec,
    },
  };
}

/** A Service of type LoadBalancer; annotations without their prefix. */
export function service(
  name: string,
  annotations: { [key: string]: unknown } = { ipam: 'pool' },
  spec: object = {},
  namespace = 'default',
): Manifest {
  const keys = Object.entries(annotations).map(([key, value]) => [
    key.includes('/') ? key : `cloudprovider.harvesterhci.io/${key}`,
    value,
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations: Object.fromEntries(keys) },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name }, ...spec },
  };
}

/** A guest cluster on Rancher with its machines in a namespace and a network. */
export function guest(
  name = 'shop',
  {
    network = 'default/vlan10',
    chartValues = {},
    clusterId = 'c-m-harvdc01',
  }: { network?: string; chartValues?: object; clusterId?: string } = {},
): Manifest[] {
  const machineConfigRef = { kind: 'HarvesterConfig', name: `nc-${name}` };
  return [
    {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name, namespace: 'fleet-default' },
      spec: {
        cloudCredentialSecretName: `cattle-global-data:cc-${name}`,
        rkeConfig: {
          machinePools: [{ name: 'all', machineConfigRef }],
          chartValues: { 'harvester-cloud-provider': chartValues },
        },
      },
    },
    {
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name: `nc-${name}`, namespace: 'fleet-default' },
      vmNamespace: 'vms',
      networkInfo: JSON.stringify({ interfaces: [{ networkName: network, macAddress: '' }] }),
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `cc-${name}`, namespace: 'cattle-global-data' },
      stringData: { 'harvestercredentialConfig-clusterId': clusterId },
    },
  ];
}

/** The Namespace of machines on the Harvester, perhaps in a project. */
export function vmNamespace(project?: string, name = 'vms'): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      ...(project ? { annotations: { 'field.cattle.io/projectId': project } } : {}),
    },
  };
}

/**
 * The same objects with those of the Harvester on a second one as well: a guest cluster belongs to
 * the one that it refers to.
 */
export function twins(objects: readonly JudgedObject[]): JudgedObject[] {
  if (!objects.some(({ manifest }) => manifest.kind === 'Cluster')) {
    return [];
  }
  return objects
    .filter(({ target }) => target.name === HARVESTER.name)
    .map(({ manifest, target }) => ({
      target: { ...TWIN, harvesterVersion: target.harvesterVersion },
      manifest,
    }));
}

/**
 * The findings of the rules on addresses, next to a second Harvester whose objects have the same
 * names.
 */
export function findings(
  objects: readonly JudgedObject[],
  live: readonly JudgedObject[] = [],
  before: readonly JudgedObject[] = [],
): Finding[] {
  const rules = [
    ...IP_POOL_RULES,
    ...LOAD_BALANCER_RULES,
    ...SERVICE_RULES,
    ...IMMUTABLE_RULES,
    ...VALUE_RULES,
  ];
  return judge(rules, new World(objects, [...live, ...twins([...objects, ...live])], before));
}

/** Findings as `level rule path`. */
export const brief = (list: readonly Finding[]): string[] =>
  list.map(({ level, rule, path }) => `${level} ${rule} ${path}`.trim());
