import { Construct } from 'constructs';
import { IGuestCluster } from './guest-cluster-ref';
import { Machines, ProvisionedCluster } from './provisioned-cluster';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { INamespace, targetOf } from '../../core/app/target';
import { Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { CloudCredential, ICloudCredential } from '../../rancher/credential/cloud-credential';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { MachinePool } from '../machine-pool/machine-pool';
import { checkMachinePools } from '../machine-pool/machine-pool-checks';
import { addMachinePools, checkEachPool } from '../machine-pool/machine-pool-objects';

/**
 * Properties of a guest cluster on machines of the node driver.
 */
export interface GuestClusterProps extends ProvisionedClusterProps {
  /** The imported Harvester that the machines run on. Its target must be a HarvesterChart of the program. */
  readonly harvester: IHarvesterImport;
  /** The namespace of the machines on that Harvester. */
  readonly namespace: INamespace;
  /** The pools of machines; together they have each role. */
  readonly pools: MachinePool[];
  /**
   * What Rancher's node driver logs in to the Harvester with. It may never go before the cluster: without it the machines can not be removed.
   * @default - a service account on the Harvester that all guest clusters of this Harvester share
   */
  readonly credential?: ICloudCredential;
  /** At what length host names are cut, 10 to 63, where a pool says nothing of its own. Rancher 2.7.5 and later. @default - Rancher's own, 63 */
  readonly hostnameLengthLimit?: number;
}

/**
 * A guest cluster of RKE2 or K3s whose machines Rancher makes on a Harvester, by its node driver.
 *
 * On Rancher: a provisioning Cluster, a HarvesterConfig for each pool, the cloud provider's Secret, and a cloud credential unless one is given. On the
 * Harvester: the service accounts that both log in with. What lies below `chart` goes to the cluster itself.
 *
 * HarvesterConfigs and the Cluster belong into one apply: Rancher removes the former after an hour where no Cluster uses them.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/rke2-cluster
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/launch-kubernetes-with-rancher
 */
export class GuestCluster extends ProvisionedCluster implements IGuestCluster {
  constructor(scope: Construct, id: string, props: GuestClusterProps) {
    super(scope, id, 'GuestCluster', props, machinesOf(scope, props));
  }
}

function machinesOf(scope: Construct, props: GuestClusterProps): Machines {
  const { harvester, namespace, pools, hostnameLengthLimit } = props;
  return {
    harvester,
    namespace,
    *check(context): Iterable<Problem> {
      yield* checkMachinePools(pools);
      // the same as when they are written, so that all that is wrong is told at once
      if (context) { yield* checkEachPool(context, pools); }
      yield* checkHostnameLimit(hostnameLengthLimit, RancherVersion.parse(targetOf(scope)!.version));
      if (props.credential && props.credential.rancher !== targetOf(scope)) {
        yield {
          path: 'credential',
          value: props.credential.node.path,
          message: `is a credential of ${props.credential.rancher.targetName}, this cluster lies in ${targetOf(scope)!.targetName}`,
          fix: 'create it below the chart of the cluster\'s Rancher',
        };
      }
    },
    write: (context, parts) => {
      const credential = props.credential ?? CloudCredential._defaultFor(harvester, namespace);
      const added = addMachinePools(context, pools, parts.files);
      parts.before.push(credential, ...added.map(({ config }) => config));
      return { credentialName: credential.credentialName, pools: added.map(({ entry }) => entry), hostnameLengthLimit };
    },
  };
}

function* checkHostnameLimit(limit: number | undefined, version: RancherVersion): Iterable<Problem> {
  if (limit === undefined) { return; }
  const gate = FeatureGates.of(GateId.MACHINE_POOL_DEFAULTS).problem(version);
  if (gate) { yield { path: 'hostnameLengthLimit', message: gate, fix: 'leave it out, or name a newer Rancher' }; }
  if (!Number.isInteger(limit) || limit < 10 || limit > 63) {
    yield { path: 'hostnameLengthLimit', value: limit, message: 'is no length that host names can be cut at', fix: 'use 10 to 63' };
  }
}
