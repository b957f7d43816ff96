import { Construct } from 'constructs';
import { ExistingRancherResource, IRancherResource, RancherResource } from './rancher-resource';
import {
  ExistingResourceOptions,
  ResourceOptions,
  ResourceProps,
  labelName,
} from '../core/app/resource';
import { INamespace } from '../core/construct/target';
import { API_VERSIONS } from '../core/manifest/names';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Namespace' };

/** A namespace on the Rancher management cluster: declared by the program, or existing. */
export interface IRancherNamespace extends IRancherResource, INamespace {}

/** Properties of a namespace on the Rancher management cluster. */
export interface RancherNamespaceProps extends ResourceOptions {
  /**
   * The name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
}

/**
 * The Namespace on the Rancher management cluster for objects of other tools, e.g. the kubeconfigs
 * of a GitOps engine.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces
 * @example
 * new RancherNamespace(rancher, 'delivery');
 */
export class RancherNamespace extends RancherResource implements IRancherNamespace {
  /** A reference to an existing namespace, e.g. `flux-system`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IRancherNamespace {
    return new ExistingRancherNamespace(scope, id, 'RancherNamespace.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: RancherNamespaceProps = {}) {
    super(scope, id, props);
    this._write(KIND);
  }

  public get namespaceId(): string {
    return this.name;
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'delivery');
  }
}

class ExistingRancherNamespace extends ExistingRancherResource implements IRancherNamespace {
  public get namespaceId(): string {
    return this.name;
  }
}
