import { Cluster, RequestOptions } from './cluster';

/** What a cluster is known by over time: the uid of its kube-system, which no name, address or certificate changes. */
export async function clusterUid(cluster: Cluster, options: RequestOptions = {}): Promise<string> {
  const { metadata } = await cluster.get('/api/v1/namespaces/kube-system', options);
  return metadata.uid;
}
