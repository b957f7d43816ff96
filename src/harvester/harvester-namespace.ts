import { Construct } from 'constructs';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from './harvester-resource';
import { ExistingResourceOptions } from '../core/app/resource';
import { INamespace } from '../core/construct/target';
import { API_VERSIONS, RFC1123_LABEL } from '../core/manifest/names';
import { DNS_SUBDOMAIN, rfc1123LabelProblem } from '../core/problem/label';
import { Problem, failOnErrors } from '../core/problem/problem';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Namespace' };

/** Properties of a namespace on a Harvester. Its name is an RFC 1123 label. */
export interface HarvesterNamespaceProps extends HarvesterResourceProps {}

/**
 * The Namespace on a Harvester for virtual machines, images and networks of no tenant.
 * `TenantProject` creates those of a tenant.
 *
 * @example
 * const vms = new HarvesterNamespace(dc1, 'payments-vms');
 * new VmNetwork(dc1, 'payments', { namespace: vms, clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 110 });
 */
export class HarvesterNamespace extends HarvesterResource implements INamespace {
  /**
   * A reference to an existing namespace, e.g. `default` or `harvester-public`, which every user of
   * Rancher can read.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): INamespace {
    return new ExistingNamespace(scope, id, options);
  }

  constructor(scope: Construct, id: string, props: HarvesterNamespaceProps = {}) {
    super(scope, id, props);
    failOnErrors(this, checkNamespaceName(this.name));
    this._write(KIND);
  }

  public get namespaceId(): string {
    return this.name;
  }
}

class ExistingNamespace extends ExistingHarvesterResource implements INamespace {
  constructor(scope: Construct, id: string, options: ExistingResourceOptions) {
    super(scope, id, 'HarvesterNamespace.fromName', KIND, options);
    failOnErrors(this, checkNamespaceName(this.name));
  }

  public get namespaceId(): string {
    return this.name;
  }
}

// other faults of a name are already reported
function checkNamespaceName(name: string): Problem[] {
  if (RFC1123_LABEL.test(name) || !DNS_SUBDOMAIN.test(name)) {
    return [];
  }
  return [rfc1123LabelProblem('name', name)];
}
