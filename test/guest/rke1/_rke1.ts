import { MachinePool } from '../../../src/guest/machine-pool/machine-pool';
import { Rke1Cluster } from '../../../src/guest/rke1/rke1-cluster';
import { Rke1CloudProvider, Rke1ClusterProps } from '../../../src/guest/rke1/rke1-cluster-props';
import { LocalUser } from '../../../src/rancher/user/user';
import { messageOf } from '../../support/message-of';
import { written } from '../../support/written';
import { Platform, platform, poolsOn } from '../cluster/_clusters';

export const RKE1 = 'v1.27.16-rancher1-1';
/** The management cluster ID of `shop`. */
export const ID = 'c-rwiad';
/** The last versions that have RKE1, or so. */
export const VERSIONS = { rancher: '2.10.3', harvester: '1.5.1' };

export interface Versions {
  readonly rancher?: string;
  readonly harvester?: string;
}

/** A cluster `shop` of RKE1 with one pool. */
export function rke1(
  props: Partial<Rke1ClusterProps> = {},
  pool: Partial<MachinePool> = {},
  versions: Versions = {},
  creator?: string,
): Platform & { readonly cluster: Rke1Cluster; readonly pools: MachinePool[] } {
  const all = platform({ ...VERSIONS, ...versions });
  const { rancher, dc1, harvester, namespace } = all;
  const pools = poolsOn(dc1, { quantity: 3, sshUser: 'ubuntu', ...pool });
  const user =
    creator === undefined
      ? {}
      : { creator: LocalUser.fromName(rancher, 'creator', { name: creator }) };
  return {
    ...all,
    pools,
    cluster: new Rke1Cluster(rancher, 'shop', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      kubernetesVersion: RKE1,
      pools,
      ...user,
      ...props,
    }),
  };
}

/** What is written of it without anything that only a live Harvester knows. */
export function plain(
  props: Partial<Rke1ClusterProps> = {},
  pool: Partial<MachinePool> = {},
  creator?: string,
): Record<string, any> {
  return written(
    rke1({ cloudProvider: Rke1CloudProvider.none(), ...props }, pool, {}, creator).app,
  );
}

/** The message that making it throws. */
export function refused(
  props: Partial<Rke1ClusterProps> = {},
  pool: Partial<MachinePool> = {},
  versions: Versions = {},
): string {
  return messageOf(() => rke1(props, pool, versions));
}
