import { Construct } from 'constructs';
import { ExistingGuestResource, GuestResource } from './guest-resource';
import { ExistingResourceOptions, ResourceProps, labelName } from '../core/app/resource';
import { INamespace } from '../core/construct/target';
import { API_VERSIONS } from '../core/manifest/names';
import { failOnErrors } from '../core/problem/problem';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Namespace' };

/**
 * A Namespace in a guest cluster.
 *
 * @example
 * const shopping = new GuestNamespace(shop.chart, 'shopping');
 * new HarvesterLoadBalancer(shop.chart, 'web', { namespace: shopping, ipam: Ipam.dhcp(), ports: [{ port: 443 }], selector: { app: 'web' } });
 */
export class GuestNamespace extends GuestResource implements INamespace {
  /** A reference to an existing namespace, e.g. `kube-system`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): INamespace {
    return new ExistingGuestNamespace(scope, id, 'GuestNamespace.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: ResourceProps = {}) {
    super(scope, id, props);
    failOnErrors(this);
    this._write(KIND);
  }

  public get namespaceId(): string {
    return this.name;
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'shopping');
  }
}

class ExistingGuestNamespace extends ExistingGuestResource implements INamespace {
  public get namespaceId(): string {
    return this.name;
  }
}
