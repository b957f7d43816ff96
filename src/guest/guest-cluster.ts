import { Construct } from 'constructs';
import { checkMachinePools } from './_check-machine-pool';
import { addMachinePools, checkEachPool } from './_machine-pool';
import { Machines, ProvisionedCluster } from './_provisioned-cluster';
import { GuestClusterProps } from './guest-cluster-props';
import { IGuestCluster } from './guest-cluster-ref';
import { Problem } from '../model/problem';
import { targetOf } from '../model/target';
import { CloudCredential } from '../rancher';
import { FeatureGates, GateId, RancherVersion } from '../versions';

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
