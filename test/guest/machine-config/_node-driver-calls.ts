/** A call of an API, as RBAC names it. */
export interface ApiCall {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly verb: string;
}

/** What a version of the Harvester node driver calls. */
export interface DriverCalls {
  readonly version: string;
  /** In the namespace of the machines. */
  readonly inNamespace: readonly ApiCall[];
  /** By name, in any namespace. */
  readonly lookups: readonly ApiCall[];
  readonly source: string;
}

const call = (group: string, resource: string, verb: string, name?: string): ApiCall => ({
  group,
  resource,
  verb,
  ...(name === undefined ? {} : { name }),
});

const MACHINE: readonly ApiCall[] = [
  ...['get', 'create', 'update', 'delete'].map((verb) =>
    call('kubevirt.io', 'virtualmachines', verb),
  ),
  call('kubevirt.io', 'virtualmachineinstances', 'get'),
  ...['start', 'stop', 'restart'].map((action) =>
    call('subresources.kubevirt.io', `virtualmachines/${action}`, 'update'),
  ),
  call('', 'secrets', 'create'),
];
const DELETE_CLAIM = call('', 'persistentvolumeclaims', 'delete');
const LIST_CLAIMS = call('', 'persistentvolumeclaims', 'list');

const LOOKUP: readonly ApiCall[] = [
  call('harvesterhci.io', 'settings', 'get', 'server-version'),
  call('harvesterhci.io', 'virtualmachineimages', 'get'),
  call('harvesterhci.io', 'keypairs', 'get'),
  call('k8s.cni.cncf.io', 'network-attachment-definitions', 'get'),
];
const STORAGE_CLASS = call('storage.k8s.io', 'storageclasses', 'get');

const REPOSITORY = 'harvester/docker-machine-driver-harvester';

/**
 * deleteVolume of client.go exists in 1.0.3 and earlier, although nothing in the driver calls it.
 */
function row(
  version: string,
  inNamespace: readonly ApiCall[],
  lookups: readonly ApiCall[],
  files = 'client.go, create.go, precreate.go, harvester.go',
): DriverCalls {
  return {
    version,
    inNamespace,
    lookups,
    source: `${REPOSITORY}@v${version}:harvester/{${files.replace(/, /g, ',')}}`,
  };
}

/** The calls of each version that a Rancher release contains, read at its tag. */
export const NODE_DRIVER_CALLS: readonly DriverCalls[] = [
  ...['0.3.4', '0.4.0', '0.5.0'].map((version) =>
    row(version, [...MACHINE, DELETE_CLAIM], LOOKUP, 'client.go, create.go, harvester.go'),
  ),
  ...['0.6.2', '0.6.3', '0.6.5', '0.6.7', '0.7.0', '0.7.1', '0.7.2', '1.0.2', '1.0.3'].map(
    (version) => row(version, [...MACHINE, DELETE_CLAIM], [...LOOKUP, STORAGE_CLASS]),
  ),
  row('1.0.4', MACHINE, [...LOOKUP, STORAGE_CLASS]),
  // patchRemovedPVCs, called by Remove
  ...['1.0.5', '1.0.6'].map((version) =>
    row(version, [...MACHINE, LIST_CLAIMS], [...LOOKUP, STORAGE_CLASS]),
  ),
];

/**
 * What Rancher itself calls with the credential when a Cluster is removed.
 * @see rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go onChange
 */
export const CLEANUP_CALLS: readonly ApiCall[] = [
  call('kubevirt.io', 'virtualmachines', 'get'),
  call('kubevirt.io', 'virtualmachines', 'update'),
];
