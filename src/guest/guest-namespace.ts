import { Construct } from 'constructs';
import { ExistingGuestResource, GuestResource } from './guest-resource';
import { ExistingResourceOptions, ResourceProps } from '../core/app/resource';
import { INamespace } from '../core/app/target';
import { API_VERSIONS, RFC1123_LABEL } from '../core/manifest/names';
import { collectProblems, failOnErrors } from '../core/rule/problem';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Namespace' };

/**
 * A Namespace in a guest cluster.
 *
 * @example
 * const shopping = new GuestNamespace(shop.chart, 'shopping');
 * new HarvesterLoadBalancer(shop.chart, 'web', { namespace: shopping, ipam: Ipam.dhcp(), ports: [{ port: 443 }], selector: { app: 'web' } });
 */
export class GuestNamespace extends GuestResource implements INamespace {
  /**
   * A reference to an existing namespace, e.g. `kube-system`.
   *
   * @param scope a GuestChart, the `chart` of a guest cluster, or a construct in one
   * @param id the ID of the construct
   */
  public static fromName(scope: Construct, id: string, options: ExistingResourceOptions): INamespace {
    return new ExistingGuestResource(scope, id, 'GuestNamespace.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: ResourceProps = {}) {
    super(scope, id, props);
    failOnErrors(this);
    this._write(KIND, {
      deletion: { policy: 'delete', reason: 'deletes all objects in it' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }

  /** @internal */
  public _nameOf({ name = this.node.id }: ResourceProps): string {
    collectProblems(this, RFC1123_LABEL.test(name) ? [] : [
      { path: 'name', value: name, message: 'must be an RFC 1123 label', fix: 'use at most 63 of a-z, 0-9 and hyphens' },
    ]);
    return name;
  }
}
