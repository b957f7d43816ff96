import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { know } from '../../core/app/known-objects';
import { INamespace, ITarget, harvesterTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { fail } from '../../core/rule/problem';

/**
 * Properties of a namespace on a Harvester.
 */
export interface HarvesterNamespaceProps {
  /**
   * The name: an RFC 1123 label.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** Labels of the Namespace. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Namespace. @default - none */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * A Namespace on a Harvester that belongs to no tenant: for virtual machines, images and networks. Those of a tenant are made by `TenantProject`.
 */
export class HarvesterNamespace extends Construct implements INamespace {
  /**
   * A namespace that is there, e.g. `default` or `harvester-public`, which every user of Rancher can read.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the Namespace
   */
  public static fromName(scope: Construct, id: string, name: string): INamespace {
    return new ExistingNamespace(scope, id, name);
  }

  public readonly namespaceName: string;
  public readonly target: ITarget;

  constructor(scope: Construct, id: string, props: HarvesterNamespaceProps = {}) {
    super(scope, id);
    this.target = harvesterTargetOf(this, 'HarvesterNamespace');
    this.namespaceName = props.name ?? id;
    checkName(this, this.namespaceName);
    const namespace = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Namespace',
      metadata: { name: this.namespaceName, labels: props.labels, annotations: props.annotations },
    });
    note(namespace, {
      deletion: { policy: 'delete', reason: 'takes everything in it along, virtual machines and their volumes too' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }
}

class ExistingNamespace extends Construct implements INamespace {
  public readonly target: ITarget;

  constructor(scope: Construct, id: string, public readonly namespaceName: string) {
    super(scope, id);
    this.target = harvesterTargetOf(this, 'HarvesterNamespace.fromName');
    checkName(this, namespaceName);
    know(this, { target: this.target, apiVersion: API_VERSIONS.CORE, kind: 'Namespace', name: namespaceName });
  }
}

function checkName(construct: Construct, name: string): void {
  if (isLate(name) || !RFC1123_LABEL.test(name)) {
    fail(construct, [{ path: 'name', value: name, message: 'is no name of a Namespace', fix: 'use up to 63 of a-z, 0-9 and hyphens' }]);
  }
}
