import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { KnownObject, know } from '../core/app/known-objects';
import { namespaceOf, objectName } from '../core/app/resource';
import { INamespace, ITarget, harvesterTargetOf, IHarvesterTarget } from '../core/app/target';
import { isLate } from '../core/late/late-token';
import { API_VERSIONS, DEFAULT_NAMESPACE, RFC1123_LABEL } from '../core/manifest/names';
import { note } from '../core/manifest/object-notes';
import { Problem, collectProblems, failOnErrors } from '../core/rule/problem';

/** Properties of a namespace on a Harvester. */
export interface HarvesterNamespaceProps {
  /** The name of the Namespace: an RFC 1123 label. @default - the ID of the construct */
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
 * new VmNetwork(dc1, 'payments', { namespace: vms, clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 110 });
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

  public readonly name: string;
  public readonly target: ITarget;

  constructor(scope: Construct, id: string, props: HarvesterNamespaceProps = {}) {
    super(scope, id);
    this.target = harvesterTargetOf(this, 'HarvesterNamespace');
    this.name = props.name ?? id;
    failOnErrors(this, checkName(this.name));
    const namespace = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Namespace',
      metadata: { name: this.name, labels: props.labels, annotations: props.annotations },
    });
    note(namespace, {
      deletion: { policy: 'delete', reason: 'deletes all objects in it, including virtual machines and their volumes' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }
}

class ExistingNamespace extends Construct implements INamespace {
  public readonly target: ITarget;

  constructor(scope: Construct, id: string, public readonly name: string) {
    super(scope, id);
    this.target = harvesterTargetOf(this, 'HarvesterNamespace.fromName');
    failOnErrors(this, checkName(name));
    know(this, { target: this.target, apiVersion: API_VERSIONS.CORE, kind: 'Namespace', name: name });
  }
}

function checkName(name: string): Problem[] {
  return !isLate(name) && RFC1123_LABEL.test(name) ? [] : [
    { path: 'name', value: name, message: 'must be an RFC 1123 label', fix: 'use at most 63 of a-z, 0-9 and hyphens' },
  ];
}

/** The namespace of an object on a Harvester. The object waits for it if the program declares it. Collects what is wrong with it. */
export function objectNamespace(construct: IConstruct, harvester: IHarvesterTarget, namespace: INamespace | undefined): string {
  return namespace ? namespaceOf(construct, harvester, namespace, 'HarvesterNamespace.fromName, or the namespace of a TenantProject') : DEFAULT_NAMESPACE;
}

/** Collects the problem of a reference to another Harvester. */
export function requireSameHarvester(
  construct: IConstruct, path: string, name: string, given: IHarvesterTarget, harvester: IHarvesterTarget,
): void {
  if (given === harvester) { return; }
  collectProblems(construct, [{ path, value: name, message: `must be on the same Harvester, ${harvester.targetName}: it is on ${given.targetName}`, fix: `use one on ${harvester.targetName}` }]);
}

/** The problems of an object with the names of props: fields of `spec` are props of the same name unless `names` maps them. */
export function asProps(problems: Iterable<Problem>, names: { readonly [path: string]: string } = {}): Problem[] {
  return [...problems].map((problem) => {
    const path = problem.path.replace(/^spec\./, '');
    return { ...problem, path: names[path] ?? path };
  });
}

/** An object on a Harvester that the program refers to by its name. */
export abstract class ExistingObject extends Construct {
  public readonly harvester: IHarvesterTarget;

  /** @param method the method that refers to it, for messages */
  protected constructor(scope: Construct, id: string, method: string, object: Omit<KnownObject, 'target'>) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, method);
    objectName(this, object.name);
    if (object.namespace !== undefined) { objectName(this, object.namespace, 'namespace'); }
    failOnErrors(this);
    know(this, { target: this.harvester, ...object });
  }
}
