import { Construct, IConstruct } from 'constructs';
import { know } from '../core/app/known-objects';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../core/app/target';
import { EdgeType, Edges } from '../core/late/edge';
import { DEFAULT_NAMESPACE } from '../core/manifest/names';
import { Problem, checkLiteral, collectProblems, failOnErrors } from '../core/rule/problem';
import { DNS_SUBDOMAIN } from '../core/text/label';

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
  protected constructor(scope: Construct, id: string, method: string, object: { readonly apiVersion: string; readonly kind: string; readonly namespace?: string; readonly name: string }) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, method);
    objectName(this, object.name);
    if (object.namespace !== undefined) { objectName(this, object.namespace, 'namespace'); }
    failOnErrors(this);
    know(this, { target: this.harvester, ...object });
  }
}
