import { isCluster } from './cluster/cluster.kind';
import { GROUP_MACHINE_CONFIG } from './machine-config/machine-config.kind';
import { referToCluster } from './provisioning-cluster.adopt';
import { TargetKind } from '../core/construct/target';
import {
  DraftProps,
  Expression,
  FoundObject,
  ObjectExpression,
  enumValue,
  inverseOf,
  namespaceProp,
  referOn,
  Surroundings,
} from '../core/draft/draft';
import {
  Manifest,
  annotationsOf,
  isRecord,
  valueAt,
  Fields,
  labelsOf,
} from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION, GROUPS } from '../core/manifest/names';
import { filledText } from '../core/text/plain-text';
import {
  LABEL_PROVIDER,
  PROVIDER_HARVESTER,
  managementClusterIdOf,
} from '../rancher/cluster/cluster.facts';
import { CREDENTIAL_KEY } from '../rancher/credential/cloud-credential.facts';

/** The namespace and the description of an object in a guest cluster. */
export function guestProps(object: FoundObject, defaultNamespace = 'default'): DraftProps {
  return {
    namespace: namespaceProp(object, defaultNamespace),
    description: filledText(annotationsOf(object.manifest)[ANNOTATION_DESCRIPTION]),
  };
}

/** The target of a guest cluster, where it was read; undefined otherwise. */
export function guestTargetName(cluster: Manifest, around: Surroundings): string | undefined {
  const guests = around.clusters.filter(({ kind }) => kind === TargetKind.GUEST);
  const id = managementClusterIdOf(cluster);
  const known = id === undefined ? undefined : around.targetOf(id);
  return (
    guests.find(({ name }) => name === known)?.name ??
    guests.find(({ name }) => name === cluster.metadata.name)?.name
  );
}

/** A Harvester that guest clusters run on. */
export interface HarvesterOfGuest {
  readonly target: string;
  /** Its import into Rancher; undefined where it is not known. */
  readonly harvesterImport?: ObjectExpression;
}

/**
 * The Harvester that a cluster of Rancher runs on; undefined where it was not read. It follows from
 * the cloud credentials, the machine configs, the namespace of the machines, or the account of the
 * cloud provider.
 */
export function harvesterOfCluster(
  cluster: FoundObject,
  around: Surroundings,
): HarvesterOfGuest | undefined {
  const { target: rancher } = cluster;
  const { spec } = cluster.manifest;
  const { name, namespace } = cluster.manifest.metadata;
  const pools = (itemsOf(valueAt(spec, 'rkeConfig', 'machinePools')) ?? []).map(fieldsOf);
  const configs = pools.flatMap(({ machineConfigRef }) => {
    const { kind, name: config } = fieldsOf(machineConfigRef);
    return (
      around.find({
        target: rancher,
        group: GROUP_MACHINE_CONFIG,
        kind: String(kind),
        namespace,
        name: String(config),
      }) ?? []
    );
  });
  const ids = [fieldsOf(spec), ...pools].flatMap(
    ({ cloudCredentialSecretName: id }) => credentialClusterId(rancher, id, around) ?? [],
  );
  const accounts =
    pools.length > 0
      ? []
      : around.clusters.filter(
          ({ kind, objects }) =>
            kind === TargetKind.HARVESTER &&
            objects.some(
              ({ manifest }) =>
                manifest.kind === 'ServiceAccount' && manifest.metadata.name === name,
            ),
        );
  const account = onlyItem(accounts)?.name;
  const configIds = configs.flatMap(({ manifest }) =>
    isClusterId(manifest.clusterId) ? [manifest.clusterId] : [],
  );
  const clusterId = ids[0] ?? configIds[0];
  const vmNamespace = configs[0]?.manifest.vmNamespace;
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  const imports = around
    .cluster(rancher)
    .objects.filter(
      ({ manifest }) =>
        isCluster(manifest) && labelsOf(manifest)[LABEL_PROVIDER] === PROVIDER_HARVESTER,
    );
  const ownId = imports.find(
    ({ manifest }) => clusterId !== undefined && managementClusterIdOf(manifest) === clusterId,
  );
  const known =
    clusterId === undefined
      ? undefined
      : (around.targetOf(clusterId) ?? ownId?.manifest.metadata.name);
  const byNamespace = harvesters.filter(
    ({ name: target }) =>
      typeof vmNamespace === 'string' &&
      around.find({ target, group: '', kind: 'Namespace', name: vmNamespace }),
  );
  const found =
    harvesters.find((each) => each.name === (known ?? account)) ??
    onlyItem(harvesters) ??
    onlyItem(byNamespace);
  if (!found) {
    return undefined;
  }
  const own =
    ownId ??
    imports.find(({ manifest }) => manifest.metadata.name === found.name) ??
    onlyItem(imports);
  const id = clusterId ?? (own && managementClusterIdOf(own.manifest));
  const harvesterImport =
    id !== undefined
      ? referToCluster(rancher, id)
      : own &&
        referOn(
          rancher,
          `${GROUPS.PROVISIONING}/Cluster`,
          own.manifest.metadata.name,
          own.manifest.metadata.namespace,
        );
  return { target: found.name, harvesterImport };
}

/** The management cluster ID in a cloud credential. */
function credentialClusterId(
  rancher: string,
  credential: unknown,
  around: Surroundings,
): string | undefined {
  const [namespace, name] = String(credential).split(':');
  const secret =
    name === undefined
      ? undefined
      : around.find({ target: rancher, group: '', kind: 'Secret', namespace, name });
  const id = valueAt(secret?.manifest, 'data', CREDENTIAL_KEY.CLUSTER_ID);
  const text = typeof id === 'string' ? Buffer.from(id, 'base64').toString('utf8') : '';
  return isClusterId(text) ? text : undefined;
}

function isClusterId(id: unknown): id is string {
  return typeof id === 'string' && /^c-|^local$/.test(id);
}

/**
 * The target of the Harvester that the cluster of a target runs on; undefined where it is not
 * known.
 */
export function harvesterOfTarget(guest: string, around: Surroundings): string | undefined {
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  if (harvesters.length <= 1) {
    return harvesters[0]?.name;
  }
  for (const { objects } of around.clusters.filter(({ kind }) => kind === TargetKind.RANCHER)) {
    const cluster = objects.find(
      ({ manifest }) =>
        manifest.kind === 'Cluster' &&
        isRecord(valueAt(manifest, 'spec', 'rkeConfig')) &&
        guestTargetName(manifest, around) === guest,
    );
    if (cluster) {
      return harvesterOfCluster(cluster, around)?.target;
    }
  }
  return undefined;
}

/**
 * A reference to an object of the Harvester of a guest cluster, by `namespace/name`; undefined
 * where the Harvester is not known.
 */
export function onHarvester(
  harvester: string | undefined,
  kind: string,
  name: unknown,
): Expression | undefined {
  if (harvester === undefined || typeof name !== 'string' || name === '') {
    return undefined;
  }
  const [first, second] = name.split('/');
  return second === undefined
    ? referOn(harvester, kind, first)
    : referOn(harvester, kind, second, first);
}

/** A map of texts; undefined for an empty one, and for what is not one. */
export function textMapOf(value: unknown): { readonly [key: string]: string } | undefined {
  const entries = isRecord(value)
    ? Object.entries(value).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      )
    : [];
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The item of a list of one; undefined where there are others, or none. */
function onlyItem<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A list that has items; undefined for an empty one, and for what is not one. */
export function itemsOf(value: unknown): any[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

/** A JSON object; an empty one for what is not one. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Tolerations as a program writes them; undefined without any. */
export function tolerationsOf(list: unknown): DraftProps[] | undefined {
  return itemsOf(list)
    ?.filter(isRecord)
    .map(({ operator, effect, ...rest }) => ({
      ...(rest as DraftProps),
      operator: enumValue('TolerationOperator', operator),
      effect: enumValue('TaintEffect', effect),
    }));
}

/** From a Namespace of a guest cluster to the construct. */
export const GUEST_NAMESPACE_INVERSE = inverseOf('GuestNamespace', '/Namespace', () => ({}), {
  on: TargetKind.GUEST,
});
