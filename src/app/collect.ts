import { ApiObject, App } from 'cdk8s';
import { IConstruct } from 'constructs';
import { scanLate } from './late-scan';
import { objectId, Program, programFinding, ProgramObject } from './program';
import { renderObject } from './render';
import { Rules, Suppression } from './suppressions';
import { DeclaredEdge, Edges, EdgeType } from '../late/edge';
import { LateValue } from '../late/late-value';
import { Finding } from '../model/finding';
import { notesOf } from '../model/object-notes';
import { isBelow } from '../model/scope';
import { ITarget } from '../model/target';
import { LATE_DAMAGED, LATE_UNKNOWN, NOT_RENDERED, NOT_VALID, OUTSIDE_TARGET } from '../rules/program-rules';

const TARGET = Symbol.for('cdk8s-harvester.Target');

/**
 * Walks the construct tree once: targets, objects, late values, edges, suppressions, and what is wrong with them. Throws nothing.
 */
export function collect(app: App): Program {
  return new Collector(app).collect();
}

class Collector {
  private readonly targets: ITarget[] = [];
  private readonly apiObjects: { object: ApiObject; target: ITarget }[] = [];
  private readonly lateValues: LateValue[] = [];
  private readonly edges: DeclaredEdge[] = [];
  private readonly suppressions: Suppression[] = [];
  private readonly findings: Finding[] = [];

  constructor(private readonly app: App) {}

  public collect(): Program {
    this.walk(this.app, undefined);
    // rendering may create nothing, but reads what constructs are: after the walk, so that it sees the tree whole
    const known = new Set(this.lateValues.map((late) => late.lateId));
    const objects = this.apiObjects.flatMap(({ object, target }) => this.render(object, target, known));
    const { targets, lateValues, edges, suppressions, findings } = this;
    return { targets, objects, lateValues, edges, suppressions, findings };
  }

  private walk(construct: IConstruct, outer: ITarget | undefined): void {
    let target = outer;
    if (TARGET in (construct as object)) {
      target = construct as ITarget;
      this.targets.push(target);
    }
    for (const message of construct.node.validate()) {
      this.findings.push(programFinding(NOT_VALID, construct.node.path, { path: '', message, fix: 'see the message' }));
    }
    if (ApiObject.isApiObject(construct)) { this.addObject(construct as ApiObject, target); }
    if (LateValue._isLateValue(construct)) { this.lateValues.push(construct); }
    this.edges.push(...Edges.of(construct)._declared(), ...dependenciesOf(construct));
    this.suppressions.push(...Rules.of(construct)._suppressions());
    for (const child of construct.node.children) { this.walk(child, target); }
  }

  private addObject(object: ApiObject, target: ITarget | undefined): void {
    if (target) {
      this.apiObjects.push({ object, target });
    } else {
      this.findings.push(programFinding(OUTSIDE_TARGET, object.node.path, {
        path: '',
        message: `${object.kind} ${object.name} lies below no target chart, so nobody knows which cluster it is for`,
        fix: 'create it below a RancherChart, HarvesterChart or GuestChart; a plain Chart may lie below one of these',
      }));
    }
  }

  private render(object: ApiObject, target: ITarget, known: ReadonlySet<string>): ProgramObject[] {
    const construct = object.node.path;
    try {
      const manifest = renderObject(object);
      const lateIds = this.lateIds(construct, target, manifest, known);
      return [{ id: objectId(target, manifest), target, construct, manifest, notes: notesOf(object), lateIds }];
    } catch (error) {
      this.findings.push(programFinding(NOT_RENDERED, construct, {
        path: '', message: (error as Error).message, fix: 'give plain values: text, numbers, booleans, lists and objects',
      }));
      return [];
    }
  }

  private lateIds(construct: string, target: ITarget, manifest: ProgramObject['manifest'], known: ReadonlySet<string>): readonly string[] {
    const { ids, problems } = scanLate(manifest);
    const report = (rule: typeof LATE_DAMAGED, problem: Parameters<typeof programFinding>[2]) =>
      this.findings.push(programFinding(rule, construct, problem, { target, manifest }));
    for (const problem of problems) { report(LATE_DAMAGED, problem); }
    for (const id of ids) {
      if (!known.has(id)) {
        report(LATE_UNKNOWN, {
          path: '',
          value: id,
          message: `waits for the late value "${id}", which the program does not define`,
          fix: known.size > 0 ? `use one of: ${[...known].sort().join(', ')}` : 'define a LateValue',
        });
      }
    }
    return ids.size > 0 ? [...ids].sort() : NONE;
  }
}

const NONE: readonly string[] = [];

// what people who come from cdk8s write: node.addDependency, chart.addDependency
function dependenciesOf(construct: IConstruct): DeclaredEdge[] {
  return construct.node.dependencies
    // cdk8s itself makes a chart depend on the charts within it, which says nothing about order
    .filter((dependency) => !isBelow(dependency, construct) && !isBelow(construct, dependency))
    .map((dependency) => ({ from: construct, to: dependency, type: EdgeType.APPLIED }));
}
