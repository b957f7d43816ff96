import { resolve } from 'path';
import { agreementOf } from './agreement';
import { newModule } from './insertion';
import { ProgramSources, projectFolder } from './project';
import { declaredByProgram, idOfListed, ReadTargets, readTargets } from './read-targets';
import { unifiedDiff } from './unified-diff';
import { Draft, FoundObject, TargetReference, FoundCluster } from '../../core/draft/draft';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { Finding } from '../../core/rule/finding';
import { printable } from '../../core/text/plain-text';
import { IgnoreEntry, readConfigFile } from '../../engine/auth/config-file';
import { RunProgram } from '../../engine/auth/run-program';
import { TakeOver } from '../../engine/auth/take-over';
import { App, appOfManager } from '../../engine/fields/apply-set';
import { LoadedAssembly } from '../../engine/read/load-assembly';
import { ComparedObject, DriftedField, compareObjects } from '../../report/doctor/drift';
import { Adopted, adopt, failureOf } from '../adopt';
import { Statements, foundId } from '../evaluate/statements';
import { SecretVariable, SecretVariables } from '../evaluate/variables';
import { addedModule, addedTo } from '../print/program';
import { AdoptNote } from '../project/adopt-note';
import { LeftOutField, leftOutFieldsOf } from '../project/left-out-fields';
import { provePlan } from '../project/plan-proof';
import { differencesIn, NOT_SELECTED, adoptNotesOf } from '../project/run-adopt';
import { Ignored, UnusedEntry } from '../select/ignored';
import { leaveOut } from '../select/leave-out';
import { appliersOf, isDeclared } from '../select/marks';
import { ObjectSelection } from '../select/selection';
import { unclearWriter } from '../select/writers';

/** What a program lacks, and what it is compared with. */
export interface UpdateRequest {
  readonly program: LoadedAssembly;
  readonly app: App;
  readonly read: ReadTargets;
  readonly compared: readonly ComparedObject[];
  readonly project: ProgramSources;
  /** What is added, each as `<key>=<value>`. @default - all */
  readonly select?: readonly string[];
  /** What the program deliberately does not manage. @default - nothing */
  readonly ignore?: readonly IgnoreEntry[];
  /** Removes the secrets of the program from a text. */
  readonly scrub: (text: string) => string;
}

/** An object without a place in the program. */
export interface OutsideObject {
  readonly target: string;
  /** As `Kind namespace/name`. */
  readonly object: string;
}

/** An object that the program declares. */
export interface DeclaredObject extends OutsideObject {
  readonly id: string;
  /** The path of its construct. */
  readonly construct: string;
  /**
   * The statement that creates it, as `<file>:<line>` in the project.
   * @default - not known for sure
   */
  readonly place?: string;
  /** Whether the app wrote the object. */
  readonly isApplied: boolean;
}

/** An object that the program declares with other values. */
export interface DriftedObject extends DeclaredObject {
  readonly fields: readonly DriftedField[];
}

/**
 * An object that a statement of the program declares, although its output lacks it: the output is
 * older than the program.
 */
export interface PendingObject extends OutsideObject {
  /** The statement, as `<file>:<line>` in the project. */
  readonly place: string;
}

/** An object and why it is not a part of the program. */
export interface LeftObject extends OutsideObject {
  readonly reason: string;
}

/** How the clusters differ from a program, and what updates it. */
export interface AdoptUpdate {
  /** The folder of the program, as an absolute path. */
  readonly folder: string;
  /** The file that the diff adds. @default - there is nothing to add */
  readonly file?: string;
  /** Objects that the diff adds to the program. */
  readonly added: readonly OutsideObject[];
  /** Objects that the program neither declares nor can declare. */
  readonly notAdded: readonly LeftObject[];
  /** Objects that statements declare which the output does not contain yet. */
  readonly pending: readonly PendingObject[];
  readonly drifted: readonly DriftedObject[];
  /** Objects of the program that do not exist. */
  readonly missing: readonly DeclaredObject[];
  /** Objects that the config file ignores. */
  readonly ignored: readonly LeftObject[];
  /** Entries of `ignore` that match nothing that the program lacks. */
  readonly unusedIgnores: readonly UnusedEntry[];
  /** The environment variables that the added statements need. */
  readonly variables: readonly SecretVariable[];
  /** The call that the program needs, where the diff does not add it. */
  readonly call?: string;
  /** For `git apply` in the folder of the program; empty where there is nothing to add. */
  readonly diff: string;
  /**
   * What an apply of the added statements would change, create, replace, or fail for; normally
   * nothing.
   */
  readonly differences: readonly AdoptNote[];
  /** Errors of the added statements that nothing accepts: they prevent a synthesis. */
  readonly errors: readonly Finding[];
  /** Added objects without a construct, and fields without a prop, with the reason. */
  readonly notes: readonly AdoptNote[];
  /**
   * Fields of added objects that the program leaves out, and that are the same on the server after
   * an apply.
   */
  readonly leftOutFields: readonly LeftOutField[];
  /** Added objects that give permissions: someone must agree to adopt them. */
  readonly takeOver: readonly TakeOver[];
  /**
   * The file in which the diff lists `takeOver`, relative to the folder of the program.
   * @default - no added object gives permissions
   */
  readonly takeOverFile?: string;
  /** Whether the config file of the program names that file, after the diff. @default false */
  readonly isTakeOverNamed?: boolean;
  /** What could not be read. */
  readonly unread: readonly {
    readonly target: string;
    readonly kind: string;
    readonly reason: string;
  }[];
  readonly unreached: ReadTargets['unreached'];
  /** Whether at least one cluster was read. */
  readonly isRead: boolean;
}

/** An update, and the statements that it adds. */
interface MadeUpdate {
  readonly update: AdoptUpdate;
  readonly adopted: Adopted;
}

/**
 * Finds what exists on the clusters without the program, and where the program differs from them.
 * Nothing is written.
 */
export function updateOf({
  program,
  app,
  read,
  compared,
  project,
  select = [],
  ignore = [],
  scrub,
}: UpdateRequest): MadeUpdate {
  const { assembly } = program;
  const { clusters, listed, unreached } = read;
  const ignoring = new Ignored(ignore);
  const { reasons, ignored } = leftObjects(read, {
    declared: declaredByProgram(
      assembly,
      clusters,
      listed.filter((each) => each.app === app.id),
    ),
    app,
    selection: new ObjectSelection(select, clusters),
    ignoring,
  });
  const { adopted, pending } = adoptMissing(clusters, reasons, program, project);
  const all = clusters.flatMap(({ objects }) => objects);
  const addedObjects = all.filter((object) => isAdded(object, adopted));
  const added = addedObjects.map(outside);
  const known = (each: ComparedObject): DeclaredObject => declaredObject(each, assembly, project);
  const update: AdoptUpdate = {
    folder: project.folder,
    added,
    differences: differencesIn(addedObjects, adopted),
    errors: adopted.errors,
    notes: adoptNotesOf(clusters, adopted),
    leftOutFields: leftOutFieldsOf(addedObjects, adopted),
    takeOver: [],
    notAdded: all
      .filter((object) => !reasons.has(foundId(object)))
      .flatMap((object) => notAdded(object, adopted)),
    pending,
    drifted: compared
      .filter(({ fields }) => fields.length > 0)
      .map((each) => ({ ...known(each), fields: each.fields })),
    missing: compared.filter(({ missing }) => missing).map(known),
    ignored,
    unusedIgnores: ignoring.unused(
      clusters,
      unreached.map(({ target }) => target),
    ),
    ...(added.length === 0 ? { diff: '' } : changesOf(adopted, assembly, project, scrub)),
    variables: new SecretVariables(adopted.statements).all(),
    unread: clusters.flatMap(({ name: target, unread }) =>
      unread.map((each) => ({ target, ...each })),
    ),
    unreached,
    isRead: clusters.length > 0,
  };
  return { update, adopted };
}

/** What decides whether an object is added to a program. */
interface Choosing {
  /** Why the program has an object already, by its ID. */
  readonly declared: ReadonlyMap<string, string>;
  readonly app: App;
  readonly selection: ObjectSelection;
  readonly ignoring: Ignored;
}

/** Why objects are not added, by their IDs, and those of them that the config file ignores. */
function leftObjects(
  { clusters, listed }: ReadTargets,
  { declared, app, selection, ignoring }: Choosing,
): { readonly reasons: Map<string, string>; readonly ignored: readonly LeftObject[] } {
  const inventories = new Map(listed.map((each) => [idOfListed(each), each.app]));
  const reasons = new Map<string, string>();
  const ignored: LeftObject[] = [];
  for (const cluster of clusters) {
    for (const object of cluster.objects) {
      const id = foundId(object);
      const reason =
        declared.get(id) ??
        ofOthers(object.manifest, app, inventories.get(id)) ??
        leaveOut(object, cluster);
      const accepted = reason === undefined ? ignoring.reason(object) : undefined;
      if (accepted !== undefined) {
        ignored.push({ ...outside(object), reason: accepted });
      }
      const left = reason ?? accepted ?? (selection.selects(object) ? undefined : NOT_SELECTED);
      if (left !== undefined) {
        reasons.set(id, left);
      }
    }
  }
  return { reasons, ignored };
}

function isAdded(object: FoundObject, adopted: Adopted): boolean {
  return (
    adopted.statements.declarer(foundId(object)) !== undefined &&
    failureOf(object, adopted) === undefined
  );
}

function notAdded(object: FoundObject, adopted: Adopted): LeftObject[] {
  const reason = adopted.leftOut.get(foundId(object)) ?? failureOf(object, adopted);
  return reason === undefined ? [] : [{ ...outside(object), reason }];
}

/**
 * Makes the statements that a program lacks: their IDs differ from those of its output, and of its
 * sources where the output is older.
 */
function adoptMissing(
  clusters: readonly FoundCluster[],
  reasons: Map<string, string>,
  { assembly, manifests }: LoadedAssembly,
  project: ProgramSources,
): { readonly adopted: Adopted; readonly pending: readonly PendingObject[] } {
  const taken = new Set(idsIn(assembly));
  const declared = assembly.objects.map(({ id, target }) => ({
    target,
    manifest: manifests.get(id)!,
  }));
  const pending: PendingObject[] = [];
  for (;;) {
    const adopted = adopt(clusters, {
      leaveOut: (object) => reasons.get(foundId(object)),
      notPlain: ({ manifest }) => (isDeclared(manifest) ? undefined : unclearWriter(manifest)),
      takenIds: taken,
      takenVariables: project.variables(),
      declared,
    });
    let isSettled = true;
    for (const { draft } of adopted.statements.all()) {
      const found = inSources(draft, adopted.statements, assembly, project);
      if (!found) {
        continue;
      }
      isSettled = false;
      if (found.creates === creationOf(draft)) {
        for (const object of draft.declares) {
          reasons.set(foundId(object), PENDING);
          pending.push({ ...outside(object), place: `${found.file}:${found.line}` });
        }
      } else {
        taken.add(found.id);
      }
    }
    if (isSettled) {
      return { adopted, pending };
    }
  }
}

const PENDING = 'a statement declares it';

/** The statement of the sources that has the ID of a new one in the same chart. */
function inSources(
  draft: Draft,
  statements: Statements,
  { targets }: Assembly,
  project: ProgramSources,
) {
  const { id, scope } = statements.of(draft);
  const chart =
    scope instanceof TargetReference
      ? targets.find(({ name }) => name === scope.target)
      : undefined;
  const place = chart && project.placeOf(`${chart.construct}/${id}`, chart);
  return place && { ...place, id: `${chart.name}/${id}` };
}

function creationOf({ type, method = 'new' }: Draft): string {
  return method === 'new' ? `new ${type}` : `${type}.${method}`;
}

/** Why an object belongs to another program, or is about to be deleted by this one. */
function ofOthers(manifest: Manifest, own: App, listedBy: string | undefined): string | undefined {
  const [manager] = appliersOf(manifest);
  const applier = manager === undefined ? undefined : appOfManager(manager)?.id;
  const owner = listedBy ?? applier;
  if (owner === own.id) {
    return 'the program declared it before';
  }
  if (owner !== undefined) {
    return `is declared by the program of app ${owner}`;
  }
  return manager === undefined ? undefined : `is applied by ${manager}`;
}

/** The IDs of the constructs below the charts of a program, as far as its output shows them. */
function idsIn({ targets, objects, known = [] }: Assembly): string[] {
  const charts = new Map(targets.map(({ name, construct }) => [name, `${construct}/`]));
  return [...objects, ...known].flatMap(({ target, construct }) => {
    const chart = charts.get(target);
    return chart !== undefined && construct.startsWith(chart)
      ? [`${target}/${construct.slice(chart.length).split('/')[0]}`]
      : [];
  });
}

function outside({ target, manifest }: FoundObject): OutsideObject {
  return { target, object: objectLabel(manifest) };
}

function declaredObject(
  { object, isApplied }: ComparedObject,
  { targets }: Assembly,
  project: ProgramSources,
): DeclaredObject {
  const { id, target, apiVersion, kind, namespace, name, construct } = object;
  const chart = targets.find((each) => each.name === target);
  const place = chart && project.placeOf(construct, chart);
  return {
    id,
    target,
    object: objectLabel({ apiVersion, kind, metadata: { name, namespace } }),
    construct,
    isApplied,
    ...(place ? { place: `${place.file}:${place.line}` } : {}),
  };
}

function changesOf(
  adopted: Adopted,
  { targets }: Assembly,
  project: ProgramSources,
  scrub: (text: string) => string,
): Pick<AdoptUpdate, 'file' | 'call' | 'diff'> {
  const charts = addedTo(adopted).map(
    (name) => targets.find((target) => target.name === name) ?? { name, construct: name },
  );
  const { path, name, call, calling, lineFeed } = newModule(project, charts);
  const file = `${path}.ts`;
  const text = printable(scrub(addedModule(path, name, adopted))).replace(/\n/g, lineFeed);
  const added = unifiedDiff(file, undefined, text)!;
  if (!calling) {
    return { file, call, diff: added };
  }
  const changes = [...calling.sources].flatMap(
    ([each, after]) => unifiedDiff(each, project.sources.get(each), after) ?? [],
  );
  return { file, diff: [added, ...changes].join('') };
}

/** What is looked for on the clusters of a program, and where its sources are. */
export interface UpdateOptions {
  readonly select?: readonly string[];
  readonly config?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Removes the secrets of the program from a text. */
  readonly scrub: (text: string) => string;
}

/** Reads the clusters of a program, and finds what the program lacks. Nothing is written. */
export async function updateProgram(
  program: RunProgram,
  app: App,
  options: UpdateOptions,
): Promise<AdoptUpdate> {
  const { select, config, cwd = process.cwd(), signal, scrub } = options;
  const { targets, folder } = program;
  const { ignore } = readConfigFile(config, cwd);
  const project = new ProgramSources(projectFolder(folder, cwd), resolve(cwd, folder));
  const read = await readTargets(targets, signal);
  const reached = new Set(read.clusters.map(({ name }) => name));
  const compared = await compareObjects(program, targets, reached, app, { signal });
  const made = updateOf({ program, app, read, compared, project, select, ignore, scrub });
  return made.update.added.length === 0
    ? made.update
    : withPlan(made, read.clusters, program, app, options);
}

/** An update with what a plan of the added statements shows. */
async function withPlan(
  { update, adopted }: MadeUpdate,
  clusters: readonly FoundCluster[],
  { targets }: RunProgram,
  app: App,
  { config, cwd = process.cwd(), signal }: UpdateOptions,
): Promise<AdoptUpdate> {
  try {
    const opened = await Promise.all(
      clusters.map(async ({ name }) => {
        const { by, cluster } = targets.get(name)!;
        return { name, by, cluster: await cluster(signal) };
      }),
    );
    const { problems, takeOver } = await provePlan(adopted, clusters, opened, {
      app,
      isPart: true,
      signal,
    });
    const planned = { ...update, differences: [...update.differences, ...problems] };
    if (takeOver.length === 0) {
      return planned;
    }
    const path = config === undefined ? undefined : resolve(cwd, config);
    const { file, diff, isNamed } = agreementOf(takeOver, update.folder, path);
    return {
      ...planned,
      takeOver,
      takeOverFile: file,
      isTakeOverNamed: isNamed,
      diff: `${update.diff}${diff}`,
    };
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    const reason = `the plan could not be made: ${(error as Error).message}`;
    const [{ name: target }] = clusters;
    return { ...update, unread: [...update.unread, { target, kind: 'plan', reason }] };
  }
}
