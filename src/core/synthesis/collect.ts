import { ApiObject, App } from 'cdk8s';
import { IConstruct } from 'constructs';
import { DeclaredEdge, OrderingType, Ordering } from '../construct/edge';
import { effectOf, notesOf, ObjectNotes } from '../construct/object-notes';
import { OwnedPart, ownedPart, ownerOf, ownersFrom } from '../construct/ownership';
import { isBelow } from '../construct/scope';
import { isTarget, ITarget, knownObjectsOf } from '../construct/target';
import { DeletionNote, KindRemoval, deletes } from '../kind/description/removal';
import { kindOf } from '../kind/kinds';
import { asRetained, namedDeletion, retainedByDefault } from '../kind/retention';
import { recordYaml } from '../late/late-text';
import { isSecretId } from '../late/late-token';
import { Manifest, objectId } from '../manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../manifest/names';
import { AssemblyEffect } from '../output/assembly';
import { Problem, takeProblems } from '../problem/problem';
import { ISecretDelivery } from '../program/delivery-step';
import { rendersPlainly } from '../program/plain-json';
import { Program, ProgramObject, programFinding } from '../program/program';
import { openList, renderObject } from '../program/render';
import { Retention, RetentionChoice, deletionOf, isKept } from '../program/retention';
import { secretChoiceAt } from '../program/secret-choice';
import { PutSecrets, putSecrets, scanLate } from '../program/secrets';
import { Suppressions, Suppression } from '../program/suppressions';
import { Finding } from '../rule/finding';
import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from '../rule/general/plain-secret-fix';
import { PLAIN_SECRET_RULE } from '../rule/general/plain-secret.rules';
import {
  LATE_DAMAGED,
  LATE_UNKNOWN,
  NOT_RENDERED,
  NOT_VALID,
  OUTSIDE_TARGET,
  SECRET_NOT_RESOLVED,
  SECRET_PLAIN,
} from '../rule/program-rules';
import { fieldPathText, isSecretObject, plainSecretFields } from '../secret/secret-fields';
import { unwrappedPlaces } from '../secret/unwrapped-secrets';
import { LateValue } from '../value/late-value';
import { toYaml } from '../yaml/yaml-writer';

/**
 * Walks the construct tree once: targets, objects, late values, edges, suppressions, and what is
 * wrong with them. Throws nothing.
 */
export function collect(app: App): Program {
  return new Collector(app).collect();
}

/** What constructs choose for all objects below them; the nearest construct wins. */
interface Around {
  readonly target?: ITarget;
  readonly retention?: RetentionChoice;
  readonly deletion?: DeletionNote;
  readonly secrets?: ISecretDelivery;
}

interface Placed {
  readonly object: ApiObject;
  /** A construct computes its path each time. */
  readonly path: string;
  readonly target: ITarget;
  readonly around: Around;
}

type SecretPlaces = PutSecrets<Manifest>['places'];

class Collector {
  private readonly targets: ITarget[] = [];
  private readonly apiObjects: Placed[] = [];
  private readonly lateValues: LateValue[] = [];
  private readonly known: Program['known'][number][] = [];
  private readonly edges: DeclaredEdge[] = [];
  private readonly effects: AssemblyEffect[] = [];
  private readonly suppressions: Suppression[] = [];
  private readonly parts: OwnedPart[] = [];
  private readonly secrets: string[] = [];
  private readonly findings: Finding[] = [];

  private readonly isPlain: boolean;

  constructor(private readonly app: App) {
    this.isPlain = rendersPlainly(app);
  }

  public collect(): Program {
    this.walk(this.app, this.app.node.path, {});
    // rendering may create nothing, but reads what constructs are: after the walk, so that it sees
    // the tree whole
    const known = new Set(this.lateValues.map((late) => late.lateId));
    const objects: ProgramObject[] = [];
    for (const each of this.apiObjects) {
      this.render(each, known, objects);
    }
    for (const late of this.lateValues) {
      this.checkSource(late, known);
    }
    const {
      targets,
      lateValues,
      known: existing,
      edges,
      effects,
      suppressions,
      parts,
      secrets,
      findings,
    } = this;
    return {
      targets,
      objects,
      lateValues,
      known: existing,
      edges,
      effects,
      suppressions,
      parts,
      secrets,
      findings,
    };
  }

  private walk(construct: IConstruct, path: string, outer: Around): void {
    const around = aroundOf(construct, outer);
    if (around.target === construct) {
      this.targets.push(around.target);
    }
    for (const problem of takeProblems(construct)) {
      this.findings.push(programFinding(NOT_VALID, path, problem));
    }
    for (const message of validate(construct)) {
      this.notValid(construct, '', message, 'see the message');
    }
    const effect = effectOf(construct);
    if (effect !== undefined) {
      this.effects.push({ construct: path, effect });
    }
    if (ApiObject.isApiObject(construct)) {
      this.addObject(construct as ApiObject, path, around);
    }
    if (LateValue._isLateValue(construct)) {
      this.lateValues.push(construct);
    }
    for (const object of knownObjectsOf(construct)) {
      this.known.push({ object, construct: path });
    }
    for (const edge of Ordering.of(construct)._declared()) {
      this.edges.push(edge);
    }
    for (const edge of dependenciesOf(construct)) {
      this.edges.push(edge);
    }
    for (const suppression of Suppressions.of(construct)._suppressions()) {
      this.suppressions.push(suppression);
    }
    const part = ownedPart(construct, path);
    if (part) {
      this.parts.push(part);
    }
    for (const child of construct.node.children) {
      this.walk(child, path === '' ? child.node.id : `${path}/${child.node.id}`, around);
    }
  }

  private addObject(object: ApiObject, path: string, around: Around): void {
    const { target } = around;
    if (target) {
      this.apiObjects.push({ object, path, target, around });
    } else {
      this.findings.push(
        programFinding(OUTSIDE_TARGET, path, {
          path: '',
          message: `${object.kind} ${object.name} must be below a target chart, which names its cluster`,
          fix: 'create it below a RancherChart, HarvesterChart, or GuestChart, also in a plain Chart below one of these',
        }),
      );
    }
  }

  private render(placed: Placed, known: ReadonlySet<string>, rendered: ProgramObject[]): void {
    const { object, path } = placed;
    try {
      // all of a list or nothing
      rendered.push(
        ...openList(renderObject(object, this.isPlain)).map((plain) =>
          this.finish(plain, placed, known),
        ),
      );
    } catch (error) {
      this.findings.push(
        programFinding(NOT_RENDERED, path, {
          path: '',
          message: messageOf(error),
          fix: 'give plain values: text, numbers, booleans, lists and objects',
        }),
      );
    }
  }

  private finish(plain: Manifest, placed: Placed, known: ReadonlySet<string>): ProgramObject {
    const { object, path: construct, target, around } = placed;
    const notes = notesOf(object);
    const deletion = deletionIn(around, notes, plain);
    const rendering = isKept(plain, deletion) ? asRetained(plain) : plain;
    const put = putSecrets(rendering);
    const places = secretPlaces(rendering, put);
    if (put) {
      this.noteSecrets(put, rendering, construct, target);
    }
    const manifest = put?.judged ?? rendering;
    this.notePlaces(places, manifest, construct, target);
    // also with late values: what cannot be written is reported here, where the construct is known
    const yaml = toYaml(manifest);
    const lateIds = this.lateIds(construct, target, manifest, yaml, known);
    const finished = lateIds.length > 0 ? recordYaml(manifest) : manifest;
    const id = objectId(target.targetName, manifest);
    const hasPlaceholders = put !== undefined && put.placeholders.length > 0;
    return {
      id,
      key: finished === manifest ? id : objectId(target.targetName, finished),
      target,
      source: object,
      construct,
      manifest: finished,
      notes,
      deletion,
      lateIds,
      secrets: around.secrets,
      yaml: lateIds.length > 0 || hasPlaceholders ? undefined : yaml,
      secretPlaces: places.length > 0 ? places.map(({ path }) => path) : undefined,
      marked: put && put.places.length > 0 ? rendering : undefined,
      placeholders: hasPlaceholders ? placeholdersOf(put) : undefined,
    };
  }

  private noteSecrets(
    { problems, texts }: PutSecrets<Manifest>,
    manifest: Manifest,
    construct: string,
    target: ITarget,
  ): void {
    this.secrets.push(...texts);
    for (const problem of problems) {
      this.findings.push(
        programFinding(SECRET_NOT_RESOLVED, construct, problem, { target, manifest }),
      );
    }
  }

  /** Where secrets of the program are in plain text. */
  private notePlaces(
    places: SecretPlaces,
    manifest: Manifest,
    construct: string,
    target: ITarget,
  ): void {
    if (isSecretObject(manifest)) {
      this.noteOpenSecrets(places, manifest, construct, target);
      return;
    }
    for (const { path, origins } of places) {
      this.findings.push(
        programFinding(
          SECRET_PLAIN,
          construct,
          {
            path,
            message: `contains the secret from ${origins.join(' and ')} in plain text: all readers of this ${manifest.kind} can read it`,
            fix: `${PLAIN_SECRET_FIX}, or put it into a Secret that the object refers to, where that is possible`,
            cause: PLAIN_SECRET_CAUSE,
          },
          { target, manifest },
        ),
      );
    }
  }

  /** What the program puts into a Secret where the form of the text does not show that it is one. */
  private noteOpenSecrets(
    places: SecretPlaces,
    manifest: Manifest,
    construct: string,
    target: ITarget,
  ): void {
    if (places.length === 0) {
      return;
    }
    const shown = new Set(plainSecretFields(manifest).map(fieldPathText));
    for (const { path, origins } of places) {
      if (!shown.has(path)) {
        this.findings.push(
          programFinding(
            PLAIN_SECRET_RULE,
            construct,
            {
              path,
              message: `contains the secret from ${origins.join(' and ')} in plain text: all who can read the file can read it`,
              fix: PLAIN_SECRET_FIX,
              cause: PLAIN_SECRET_CAUSE,
            },
            { target, manifest },
          ),
        );
      }
    }
  }

  private checkSource(late: LateValue, known: ReadonlySet<string>): void {
    const { object, content } = late.source;
    if (object && !this.targets.includes(object.target)) {
      const { target } = object;
      this.notValid(
        late,
        'source.target',
        `${target.targetName} (${target.node.path}) is not a target of this program, so its value is never read`,
        'read it from a target chart of this app',
      );
    }
    const put = putSecrets({
      text: content ?? '',
      namespace: object?.namespace ?? '',
      name: object?.name ?? '',
    });
    if (put) {
      this.secrets.push(...put.texts);
      for (const problem of put.problems) {
        this.findings.push(
          programFinding(SECRET_NOT_RESOLVED, late.node.path, {
            ...problem,
            path: `source.${problem.path}`,
          }),
        );
      }
    }
    const { ids, problems } = scanLate(
      object
        ? { namespace: object.namespace, name: object.name }
        : { text: put?.written.text ?? content },
    );
    if (!object && ids.size === 0 && problems.length === 0) {
      this.notValid(
        late,
        'source.text',
        'holds no late value, so it is known already',
        'use the text itself, or put the token of a late value into it',
      );
    }
    for (const problem of problems) {
      this.findings.push(
        programFinding(LATE_DAMAGED, late.node.path, {
          ...problem,
          path: `source.${problem.path}`,
        }),
      );
    }
    for (const id of ids) {
      if (!known.has(id) && !isSecretId(id)) {
        this.findings.push(
          programFinding(LATE_UNKNOWN, late.node.path, unknownLate('source', id, known)),
        );
      }
    }
  }

  private notValid(construct: IConstruct, path: string, message: string, fix: string): void {
    this.findings.push(programFinding(NOT_VALID, construct.node.path, { path, message, fix }));
  }

  private lateIds(
    construct: string,
    target: ITarget,
    manifest: Manifest,
    yaml: string,
    known: ReadonlySet<string>,
  ): readonly string[] {
    const { ids, problems } = scanLate(manifest, yaml);
    if (ids.size === 0 && problems.length === 0) {
      return NONE;
    }
    const report = (rule: typeof LATE_DAMAGED, problem: Parameters<typeof programFinding>[2]) =>
      this.findings.push(programFinding(rule, construct, problem, { target, manifest }));
    for (const problem of problems) {
      report(LATE_DAMAGED, problem);
    }
    // a remaining marker of a secret is reported already, or has a placeholder
    const waits = [...ids].filter((id) => !isSecretId(id));
    for (const id of waits) {
      if (!known.has(id)) {
        report(LATE_UNKNOWN, unknownLate('', id, known));
      }
    }
    return waits.length > 0 ? waits.sort() : NONE;
  }
}

/** What deleting an object means, by what is chosen around it and noted of it. */
function deletionIn(
  { retention, deletion }: Around,
  notes: ObjectNotes,
  manifest: Manifest,
): DeletionNote | undefined {
  return deletionOf(
    retention,
    notes.deletion === undefined ? deletion : namedDeletion(manifest, notes.deletion),
    kindOf<KindRemoval>(manifest)?.deletion,
    retainedByDefault(manifest),
  );
}

/** Where secrets of the program are in an object, and where they come from. */
function secretPlaces(manifest: Manifest, put: PutSecrets<Manifest> | undefined): SecretPlaces {
  const unwrapped = unwrappedPlaces(manifest).map(({ path, origins }) => ({
    path: fieldPathText(path),
    origins,
  }));
  return put ? [...put.places, ...unwrapped] : unwrapped;
}

// marked, so that it is not mistaken for the real object
function placeholdersOf({
  written,
  placeholders,
}: PutSecrets<Manifest>): NonNullable<ProgramObject['placeholders']> {
  const { metadata } = written;
  const annotations = {
    ...metadata.annotations,
    [ANNOTATION_PLACEHOLDER]: placeholders.join(', '),
  };
  return {
    manifest: recordYaml({ ...written, metadata: { ...metadata, annotations } }),
    secrets: placeholders,
  };
}

// nearly no construct changes anything
function aroundOf(construct: IConstruct, outer: Around): Around {
  const target = isTarget(construct) ? construct : undefined;
  const owner = ownerOf(construct);
  const retention = Retention._choiceAt(construct) ?? chosenBy(owner, Retention._choiceAt);
  const secrets = secretChoiceAt(construct) ?? chosenBy(owner, secretChoiceAt);
  const effect = effectOf(construct);
  if (!target && !retention && !secrets && effect === undefined) {
    return outer;
  }
  return {
    target: target ?? outer.target,
    retention: retention ?? outer.retention,
    deletion: effect === undefined ? outer.deletion : deletes(effect),
    secrets: secrets ?? outer.secrets,
  };
}

/** What the owner of a part on another cluster chooses for all that it wrote. */
function chosenBy<T>(
  owner: IConstruct | undefined,
  choiceAt: (construct: IConstruct) => T | undefined,
): T | undefined {
  for (const each of owner ? ownersFrom(owner) : []) {
    const choice = choiceAt(each);
    if (choice !== undefined) {
      return choice;
    }
  }
  return undefined;
}

const NONE: readonly string[] = [];
const NO_EDGES: readonly DeclaredEdge[] = [];

function unknownLate(path: string, id: string, known: ReadonlySet<string>): Problem {
  return {
    path,
    value: id,
    message: `waits for the late value "${id}", which the program does not define`,
    fix: known.size > 0 ? `use one of: ${[...known].sort().join(', ')}` : 'define a LateValue',
  };
}

// a validation that breaks is one that does not hold
function validate(construct: IConstruct): readonly string[] {
  try {
    return construct.node.validate();
  } catch (error) {
    return [`its validation failed: ${messageOf(error)}`];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// what people who come from cdk8s write: node.addDependency, chart.addDependency
function dependenciesOf(construct: IConstruct): readonly DeclaredEdge[] {
  const { dependencies } = construct.node;
  return dependencies.length === 0
    ? NO_EDGES
    : dependencies
        // cdk8s itself makes a chart depend on the charts within it, which is not an order
        .filter((dependency) => !isBelow(dependency, construct) && !isBelow(construct, dependency))
        .map((dependency) => ({ from: construct, to: dependency, type: OrderingType.APPLIED }));
}
