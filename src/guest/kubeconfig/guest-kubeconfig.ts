import { Construct, IConstruct } from 'constructs';
import { IRancherTarget } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateSource, LateValue } from '../../core/late/late-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { KUBECONFIG_KEY, kubeconfigSecretOf } from '../cluster/cluster.kind';

/** The kubeconfig of a guest cluster: a Secret next to its provisioning Cluster, which Rancher creates once the cluster is ready. */
export interface GuestKubeconfig {
  readonly rancher: IRancherTarget;
  /** Namespace and name of the provisioning Cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The object that the Secret appears for. @default - the cluster exists already */
  readonly cluster?: IConstruct;
}

/** The kubeconfig of a guest cluster as a late value, created once below its construct. */
export function guestKubeconfig(scope: Construct, { rancher, namespace, name, cluster }: GuestKubeconfig): string {
  const id = 'Kubeconfig';
  const known = scope.node.tryFindChild(id) as LateValue | undefined;
  if (known) { return known.token; }
  const late = new LateValue(scope, id, {
    description: `kubeconfig of guest cluster ${namespace}/${name}`,
    source: LateSource.secretKey({ target: rancher, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: kubeconfigSecretOf(name) }, KUBECONFIG_KEY),
    sensitive: true,
  });
  if (cluster) { Edges.of(late)._add(cluster, EdgeType.READY); }
  return late.token;
}
