import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { know } from '../../core/app/known-objects';
import { INamespace, ITarget, harvesterTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors } from '../../core/rule/problem';

/** Properties of a namespace on a Harvester. */
export interface HarvesterNamespaceProps {
  /** The name of the Namespace: an RFC 1123 label. @default - the id of the construct */
  readonly name?: string;
  /** Labels of the Namespace. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Namespace. @default - no annotations */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * The Namespace on a Harvester for virtual machines, images and networks of no tenant. `TenantProject` creates those of a tenant.
 *
 * @example
 * const vms = new HarvesterNamespace(dc1, 'payments-vms');
 * new VmNetwork(dc1, 'payments', { namespace: vms, clusterNetwork: 'mgmt', vlan: 110 });
 */
export class HarvesterNamespace extends Construct implements INamespace {
  /**
   * A reference to an existing namespace, e.g. `default` or `harvester-public`, which every user of Rancher can read.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the Namespace
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
    failOnErrors(this, checkName(this.namespaceName));
    const namespace = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Namespace',
      metadata: { name: this.namespaceName, labels: props.labels, annotations: props.annotations },
    });
    note(namespace, {
      deletion: { policy: 'delete', reason: 'deletes all objects in it, including virtual machines and their volumes' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }
}

class ExistingNamespace extends Construct implements INamespace {
  public readonly target: ITarget;

  constructor(scope: Construct, id: string, public readonly namespaceName: string) {
    super(scope, id);
    this.target = harvesterTargetOf(this, 'HarvesterNamespace.fromName');
    failOnErrors(this, checkName(namespaceName));
    know(this, { target: this.target, apiVersion: API_VERSIONS.CORE, kind: 'Namespace', name: namespaceName });
  }
}

function checkName(name: string): Problem[] {
  return !isLate(name) && RFC1123_LABEL.test(name) ? [] : [
    { path: 'name', value: name, message: 'must be an RFC 1123 label', fix: 'use at most 63 of a-z, 0-9 and hyphens' },
  ];
}
