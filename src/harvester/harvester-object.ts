import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { KnownObject, know } from '../core/app/known-objects';
import { INamespace, ITarget, harvesterTargetOf, IHarvesterTarget } from '../core/app/target';
import { EdgeType, Edges } from '../core/late/edge';
import { isLate } from '../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL, DEFAULT_NAMESPACE } from '../core/manifest/names';
import { note } from '../core/manifest/object-notes';
import { Problem, failOnErrors, checkLiteral, collectProblems } from '../core/rule/problem';
import { DNS_SUBDOMAIN } from '../core/text/label';

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

const MAX_LENGTH = 253;

/**
 * The name of an object: as given, otherwise the ID of its construct. Collects what is wrong with it.
 * @param path the prop of the name
 */
export function objectName(construct: IConstruct, given: string | undefined, path = 'name'): string {
  const name = given ?? construct.node.id;
  const problems = [...checkLiteral(path, name)];
  if (problems.length === 0 && (name.length > MAX_LENGTH || !DNS_SUBDOMAIN.test(name))) {
    problems.push({
      path,
      value: name,
      message: `must be a valid object name${given === undefined ? ' (the ID of the construct is the default)' : ''}`,
      fix: 'set a name of a-z, 0-9, hyphens and dots that begins and ends with a letter or digit',
    });
  }
  collectProblems(construct, problems);
  return name;
}

/** The namespace of an object on a Harvester. The object waits for it if the program declares it. Collects what is wrong with it. */
export function objectNamespace(construct: IConstruct, harvester: IHarvesterTarget, namespace: INamespace | undefined): string {
  if (!namespace) { return DEFAULT_NAMESPACE; }
  // only a program in JavaScript gets this far
  if (typeof namespace === 'string') {
    collectProblems(construct, [{
      path: 'namespace', value: namespace, message: 'must be a namespace object, not a name', fix: 'use HarvesterNamespace.fromName, or the namespace of a TenantProject',
    }]);
    return namespace;
  }
  if (namespace.target !== harvester) {
    collectProblems(construct, [{
      path: 'namespace',
      value: namespace.namespaceName,
      message: `must be on the Harvester of the object, ${harvester.targetName}: it is on ${namespace.target.targetName}`,
      fix: `use a namespace on ${harvester.targetName}`,
    }]);
  }
  Edges.of(construct)._add(namespace, EdgeType.APPLIED);
  return namespace.namespaceName;
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
