import { Witness } from './witness';
import { annotationsOf, isRecord, Manifest } from '../../../../src/core/manifest/manifest';
import { GROUPS } from '../../../../src/core/manifest/names';
import { Cluster, refOf } from '../../../../src/engine/cluster/cluster';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../../../src/rancher/cluster/cluster.facts';

/** The management cluster of a Cluster, which Rancher reports in its status. */
export class ManagementIds implements Witness {
  public constructor(private readonly cluster: Cluster) {}

  public tells({ apiVersion }: Manifest): boolean {
    return apiVersion.startsWith(GROUPS.PROVISIONING);
  }

  public async see(): Promise<void> {
    return undefined;
  }

  /** Rancher does not read the ID of a Cluster that has one. */
  public async failureOf(changed: Manifest): Promise<string | undefined> {
    const id = annotationsOf(changed)[ANNOTATION_MANAGEMENT_CLUSTER_NAME];
    const live = await this.cluster.read(refOf(changed));
    const name = isRecord(live?.status) ? live.status.clusterName : undefined;
    return id && name && name !== id ? `status.clusterName is ${String(name)}` : undefined;
  }
}
