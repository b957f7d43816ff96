import { IConstruct } from 'constructs';
import { DEFAULT_NAMESPACE } from './namespace/namespace.kind';
import { IHarvesterTarget, INamespace } from '../core/app/target';
import { EdgeType, Edges } from '../core/late/edge';
import { Problem, fail, failUnlessLiteral } from '../core/rule/problem';
import { DNS_SUBDOMAIN } from '../core/text/label';

const MAX_LENGTH = 253;

/**
 * The name of an object: the one that is given, or else the id of its construct.
 * @param path the prop that it is given by
 */
export function objectName(construct: IConstruct, given: string | undefined, path = 'name'): string {
  const name = given ?? construct.node.id;
  failUnlessLiteral(construct, path, name);
  if (name.length > MAX_LENGTH || !DNS_SUBDOMAIN.test(name)) {
    const origin = given === undefined ? 'the id of the construct, which is the name by default, is' : 'is';
    fail(construct, [{
      path, value: name, message: `${origin} no name of an object`, fix: 'give a name of a-z, 0-9, hyphens and dots that begins and ends with a letter or digit',
    }]);
  }
  return name;
}

/** The namespace of an object on a Harvester, which it waits for where the program declares it. */
export function objectNamespace(construct: IConstruct, harvester: IHarvesterTarget, namespace: INamespace | undefined): string {
  if (!namespace) { return DEFAULT_NAMESPACE; }
  // what a program in JavaScript passes
  if (typeof namespace === 'string') {
    fail(construct, [{
      path: 'namespace', value: namespace, message: 'must be a namespace object, not a name', fix: 'use HarvesterNamespace.fromName, or the namespace of a TenantProject',
    }]);
  }
  if (namespace.target !== harvester) {
    fail(construct, [{
      path: 'namespace',
      value: namespace.namespaceName,
      message: `is on ${namespace.target.targetName}, and the object on ${harvester.targetName}`,
      fix: 'give a namespace of that Harvester',
    }]);
  }
  Edges.of(construct)._add(namespace, EdgeType.APPLIED);
  return namespace.namespaceName;
}

/** Refuses a thing of one Harvester on another. */
export function failUnlessSameHarvester(
  construct: IConstruct, path: string, name: string, given: IHarvesterTarget, harvester: IHarvesterTarget,
): void {
  if (given === harvester) { return; }
  fail(construct, [{ path, value: name, message: `is on ${given.targetName}, and this on ${harvester.targetName}`, fix: `give one of ${harvester.targetName}` }]);
}

/** The problems of an object in the words of props: what stands below `spec` are the props themselves. */
export function asProps(problems: Iterable<Problem>, names: { readonly [path: string]: string } = {}): Problem[] {
  return [...problems].map((problem) => {
    const path = problem.path.replace(/^spec\./, '');
    return { ...problem, path: names[path] ?? path };
  });
}
