import { declaredIn, idOfListed } from './declared';
import { Project } from './project';
import { ReadTargets } from './read-targets';
import { unifiedDiff } from './unified-diff';
import { FoundObject } from '../../core/draft/draft';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { printable } from '../../core/text/plain-text';
import { App, appOfManager } from '../../engine/inventory/apply-set';
import { ComparedObject, DriftedField } from '../../report/doctor/drift';
import { Adopted, adopt } from '../adopt';
import { foundId } from '../evaluate/statements';
import { addedModule } from '../print/program';
import { SecretVariable, SecretVariables } from '../secrets/variables';
import { leaveOut } from '../select/leave-out';
import { appliersOf } from '../select/marks';
import { Selection } from '../select/selection';

/** What a program lacks, and what it is compared with. */
export interface UpdateRequest {
  readonly assembly: Assembly;
  readonly app: App;
  readonly read: ReadTargets;
  readonly compared: readonly ComparedObject[];
  readonly project: Project;
  /** What is added, each as `<key>=<value>`. @default - all */
  readonly select?: readonly string[];
  /** Removes the secrets of the program from a text. */
  readonly scrub: (text: string) => string;
}

/** An object without a place in the program. */
export interface OutsideObject {
  readonly target: string;
  /** As `Kind namespace/name`. */
  readonly object: string;
}

/** An object that the program declares with other values. */
export interface DriftedObject extends OutsideObject {
  readonly id: string;
  /** The path of its construct. */
  readonly construct: string;
  /** The statement that creates it, as `<file>:<line>` in the project. @default - not known for sure */
  readonly place?: string;
  /** Whether the app wrote the object. */
  readonly isApplied: boolean;
  readonly fields: readonly DriftedField[];
}

/** How the clusters differ from a program, and what updates it. */
export interface Update {
  /** The file that the diff adds. @default - there is nothing to add */
  readonly file?: string;
  /** Objects that the diff adds to the program. */
  readonly added: readonly OutsideObject[];
  /** Objects that the program neither declares nor can declare, with the reason. */
  readonly notAdded: readonly (OutsideObject & { readonly reason: string })[];
  readonly drifted: readonly DriftedObject[];
  /** The environment variables that the added statements need. */
  readonly variables: readonly SecretVariable[];
  /** The call that the program needs, where the diff does not add it. */
  readonly call?: string;
  /** For `git apply` in the folder of the project; empty where there is nothing to add. */
  readonly diff: string;
  /** What could not be read. */
  readonly unread: readonly { readonly target: string; readonly kind: string; readonly reason: string }[];
  readonly unreached: ReadTargets['unreached'];
}

/** Finds what exists on the clusters without the program, and where the program differs from them. Nothing is written. */
export function updateOf({ assembly, app, read, compared, project, select = [], scrub }: UpdateRequest): Update {
  const { clusters, listed, unreached } = read;
  const declared = declaredIn(assembly, clusters, listed.filter((each) => each.app === app.id));
  const inventories = new Map(listed.map((each) => [idOfListed(each), each.app]));
  const selection = new Selection(select, clusters);
  const reasons = new Map<string, string>();
  for (const cluster of clusters) {
    for (const object of cluster.objects) {
      const id = foundId(object);
      const reason = declared.get(id) ?? ofOthers(object.manifest, app, inventories.get(id)) ?? leaveOut(object, cluster) ?? (selection.selects(object) ? undefined : 'is not selected');
      if (reason !== undefined) { reasons.set(id, reason); }
    }
  }
  const adopted = adopt(clusters, { leaveOut: (object) => reasons.get(foundId(object)), takenIds: idsIn(assembly) });
  const all = clusters.flatMap(({ objects }) => objects);
  const added = all.filter((object) => adopted.statements.declarer(foundId(object)) !== undefined).map(outside);
  return {
    added,
    notAdded: all.flatMap((object) => {
      const reason = reasons.has(foundId(object)) ? undefined : adopted.leftOut.get(foundId(object));
      return reason === undefined ? [] : [{ ...outside(object), reason }];
    }),
    variables: new SecretVariables(adopted.statements).all(),
    drifted: compared.filter(({ fields }) => fields.length > 0).map((each) => driftedObject(each, assembly, project)),
    ...(added.length === 0 ? { diff: '' } : changesOf(adopted, project, scrub)),
    unread: clusters.flatMap(({ name: target, unread }) => unread.map((each) => ({ target, ...each }))),
    unreached,
  };
}

/** Why an object belongs to another program, or is about to be deleted by this one. */
function ofOthers(manifest: Manifest, own: App, listedBy: string | undefined): string | undefined {
  const [manager] = appliersOf(manifest);
  const applier = manager === undefined ? undefined : appOfManager(manager)?.id;
  const owner = listedBy ?? applier;
  if (owner === own.id) { return 'the program declared it before'; }
  if (owner !== undefined) { return `is declared by the program of app ${owner}`; }
  return manager === undefined ? undefined : `is applied by ${manager}`;
}

/** The IDs of the constructs below the charts of a program, as far as its output shows them. */
function idsIn({ targets, objects, known = [] }: Assembly): string[] {
  const charts = new Map(targets.map(({ name, construct }) => [name, `${construct}/`]));
  return [...objects, ...known].flatMap(({ target, construct }) => {
    const chart = charts.get(target);
    return chart !== undefined && construct.startsWith(chart) ? [`${target}/${construct.slice(chart.length).split('/')[0]}`] : [];
  });
}

function outside({ target, manifest }: FoundObject): OutsideObject {
  return { target, object: objectLabel(manifest) };
}

function driftedObject({ object, isApplied, fields }: ComparedObject, { targets }: Assembly, project: Project): DriftedObject {
  const { id, target, apiVersion, kind, namespace, name, construct } = object;
  const chart = targets.find((each) => each.name === target);
  const place = chart && project.placeOf(construct, chart.construct);
  return {
    id, target, object: objectLabel({ apiVersion, kind, metadata: { name, namespace } }), construct, isApplied, fields, ...(place ? { place: `${place.file}:${place.line}` } : {}),
  };
}

/** What `adopt` writes at the end of the module that imports all others. */
const PLATFORM = 'platform.ts';
const PLATFORM_END = "\nexport { app } from './clusters';\n";

function changesOf(adopted: Adopted, project: Project, scrub: (text: string) => string): Pick<Update, 'file' | 'call' | 'diff'> {
  let count = 1;
  const numbered = (text: string, between: string): string => (count === 1 ? text : `${text}${between}${count}`);
  while (project.text(`${numbered('adopted', '-')}.ts`) !== undefined) { count++; }
  const [path, name] = [numbered('adopted', '-'), numbered('adopted', '')];
  const { text, targets } = addedModule(path, name, adopted);
  const file = `${path}.ts`;
  const added = unifiedDiff(file, undefined, printable(scrub(text)))!;
  const charts = project.charts('clusters.ts');
  const variables = targets.map((target) => charts.get(target));
  const platform = project.text(PLATFORM);
  if (platform?.endsWith(PLATFORM_END) && !variables.includes(undefined)) {
    const called = platform.slice(0, -PLATFORM_END.length);
    const imports = `import { ${name} } from './${path}';\nimport { ${[...variables].sort().join(', ')} } from './clusters';\n`;
    const after = `${called}${imports}${PLATFORM_END}\n${name}(${variables.join(', ')});\n`;
    return { file, diff: `${added}${unifiedDiff(PLATFORM, platform, after)!}` };
  }
  return { file, call: `${name}(${targets.map((target) => charts.get(target) ?? target).join(', ')})`, diff: added };
}
