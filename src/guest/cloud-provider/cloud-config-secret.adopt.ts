import { CLOUD_CONFIG_PREFIX } from './cloud-provider.kind';
import { TargetKind } from '../../core/app/target';
import { FoundObject } from '../../core/draft/draft';
import { Inverse, Surroundings, unless } from '../../core/draft/inverse';
import { annotationsOf } from '../../core/manifest/manifest';
import { FLEET_DEFAULT } from '../../core/manifest/names';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { SECRET_AUTHORIZED } from '../cluster/cluster.kind';

/** How a program refers to Secrets in the namespace of guest clusters: it declares those only whose values it can derive. */
export const CLOUD_CONFIG_SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  leftOut: (object, around) => {
    const { target, manifest: { metadata: { namespace } } } = object;
    return isWorkspace(target, namespace, around) && !isDerived(object, around) ? reasonOf(object) : undefined;
  },
  notPlain: (object, around) => (isWorkspace(object.target, object.manifest.metadata.namespace, around) ? reasonOf(object) : undefined),
  existing: ({ target, namespace, name }, around) => (
    namespace !== GLOBAL_DATA && name.startsWith(CLOUD_CONFIG_PREFIX) && isWorkspace(target, namespace, around)
      ? { type: 'CloudConfigSecret', method: 'fromName', props: { name, namespace: unless(namespace, FLEET_DEFAULT) } } : undefined),
};

function isWorkspace(target: string, namespace: string | undefined, around: Surroundings): boolean {
  const { kind, objects } = around.cluster(target);
  return kind === TargetKind.RANCHER && (namespace === FLEET_DEFAULT
    || objects.some(({ manifest }) => manifest.kind === 'Cluster' && manifest.metadata.namespace === namespace && manifest.spec !== undefined));
}

function reasonOf(object: FoundObject): string {
  return clusterOf(object) === undefined ? 'is a Secret in the namespace of guest clusters, whose values the program does not know'
    : 'is the cloud config of a guest cluster: the program refers to it by its name';
}

function clusterOf({ manifest }: FoundObject): string | undefined {
  const cluster = annotationsOf(manifest)[SECRET_AUTHORIZED];
  return typeof cluster === 'string' ? cluster : undefined;
}

/** Whether the kubeconfig in it is that of an account on a Harvester that the construct of the cluster declares. */
function isDerived(object: FoundObject, around: Surroundings): boolean {
  const cluster = clusterOf(object);
  return cluster !== undefined && object.manifest.metadata.name === `${CLOUD_CONFIG_PREFIX}-${cluster}` && around.clusters.some(({ name, kind }) => (
    kind === TargetKind.HARVESTER && around.objects(name, '/ServiceAccount').some(({ manifest: { metadata } }) => metadata.name === cluster)));
}
