import { addedFields, FieldChange, fieldChanges } from './field-changes';
import { lateIdsIn } from '../../core/late/late-text';
import {
  IdentityChange,
  identityCause,
  isIdIn,
  patternOfName,
} from '../../core/leaving/identity-changes';
import { Belonging } from '../../core/leaving/leaving-groups';
import {
  OutputChange,
  OutputObject,
  isWrittenToFile,
  leavingGroups,
} from '../../core/leaving/left-output.rules';
import { Manifest, objectKey, objectLabel, valueAt } from '../../core/manifest/manifest';
import { some } from '../../core/text/plain-text';
import { compare, grouped } from '../../core/text/values';
import { outputChange } from '../../engine/read/output-change';
import { Input } from '../../engine/read/read-input';
import { keyOfObject, whatLeaves } from '../../engine/read/what-leaves';
import { Becomes } from '../../engine/removal/removal';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.facts';
import { ImpactSide } from '../impact/impact';

/** What an edit does to an object of the output. */
export const ACTIONS = ['added', 'changed', 'renamed', 'moved', 'removed'] as const;
export type Action = (typeof ACTIONS)[number];

/** What an edit does to one object. */
export interface ObjectChange {
  readonly action: Action;
  /** Its ID in the assembly. */
  readonly id: string;
  readonly target: string;
  /** As people name it: its kind, namespace, and name. */
  readonly object: string;
  /** The name that people gave it, if it is another one. */
  readonly displayName?: string;
  readonly construct?: string;
  /** The previous object, of what is renamed or moved. @default - the same */
  readonly was?: { readonly id: string; readonly object: string; readonly target: string };
  /** The fields that are set otherwise. */
  readonly fields: readonly FieldChange[];
  /** What becomes of the previous object. @default - it remains */
  readonly becomes?: Becomes;
  /** Why no file holds it. @default - a file does, or did not before either */
  readonly waits?: string;
}

/** What an edit does to objects that belong together. */
export interface ChangeGroup {
  /** The construct of its main object, or that object. */
  readonly title: string;
  readonly objects: readonly ObjectChange[];
  /** What the rules find about those that leave. @default - nothing */
  readonly judged?: JudgedGroup;
}

/** What the rules find about objects that leave the output together. */
interface JudgedGroup {
  readonly errors: number;
  readonly warnings: number;
  /** What all of it follows from. @default - the change itself */
  readonly cause?: string;
  /** What to do. */
  readonly fixes: readonly string[];
  /** The reasons for which the program accepts it. */
  readonly accepted: readonly string[];
}

/** What an edit does to the objects of an output, by what they belong to. */
export function objectChanges(before: Input, after: Input): ChangeGroup[] {
  return new Comparison(before, after).groups();
}

class Comparison {
  private readonly change: OutputChange;
  private readonly before: ReadonlyMap<string, OutputObject>;
  private readonly after: ReadonlyMap<string, OutputObject>;
  private readonly sides: { readonly before: ImpactSide; readonly after: ImpactSide };
  private readonly becomes: ReadonlyMap<string, Becomes>;
  /** The objects that the previous output does not have, by their names on any target. */
  private readonly come: ReadonlyMap<string, readonly OutputObject[]>;

  constructor(before: Input, after: Input) {
    this.change = outputChange(before, after);
    this.before = byId(this.change.before);
    this.after = byId(this.change.after);
    this.sides = {
      before: new ImpactSide(before.objects, before.assemblies),
      after: new ImpactSide(after.objects, after.assemblies),
    };
    this.becomes = whatLeaves(this.change, before.assemblies);
    this.come = grouped(
      [...this.after.values()].filter((object) => !this.before.has(keyOfObject(object))),
      ({ manifest }) => objectKey(manifest),
    );
  }

  public groups(): ChangeGroup[] {
    const gone = [...this.before.values()].filter((object) => !this.after.has(keyOfObject(object)));
    const { groups, come, renamed, identities } = leavingGroups(
      gone,
      { after: [...this.after.values()] },
      new Set(this.before.keys()),
    );
    const shown = new Set<OutputObject>();
    const leaving = groups.map((group): ChangeGroup => {
      const pairs = new Map(
        (renamed.get(group) ?? []).map(({ before, now }) => [before, now] as const),
      );
      const objects = group.objects.map((object) => {
        const now = pairs.get(object) ?? this.movedTo(object);
        if (now) {
          shown.add(now);
        }
        return this.left(object, now);
      });
      const partner =
        pairs.size > 0
          ? come.find(({ objects: all }) => all.some((object) => shown.has(object)))
          : undefined;
      const more = (partner?.objects ?? []).filter((object) => !shown.has(object));
      more.forEach((object) => shown.add(object));
      return {
        title: titleOf(group),
        objects: [...objects, ...more.map((object) => this.added(object))],
      };
    });
    const coming = come.flatMap((group): ChangeGroup[] => {
      const objects = group.objects.filter((object) => !shown.has(object));
      return [...grouped(objects, (object) => comingTitle(object, group))].map(([title, own]) => ({
        title,
        objects: own.map((object) => this.added(object)),
      }));
    });
    const changed = this.changed();
    const all = [...leaving, ...coming, ...changed];
    return merged(consequencesOf(all, [...byIdentity(identities, changed), ...byNames(leaving)]));
  }

  /** The objects that both sides have, and that differ. */
  private changed(): ChangeGroup[] {
    return [...this.after].flatMap(([id, now]): ChangeGroup[] => {
      const was = this.before.get(id);
      if (!was) {
        return [];
      }
      const fields = this.fields(was, now);
      const waits = was.file !== undefined && !isWrittenToFile(now) ? this.waiting(now) : undefined;
      if (fields.length === 0 && waits === undefined) {
        return [];
      }
      const change: ObjectChange = {
        action: 'changed',
        ...this.named(now),
        fields,
        ...(waits === undefined ? {} : { waits, ...this.fateOf(was) }),
      };
      return [{ title: unitOf(now), objects: [change] }];
    });
  }

  private added(object: OutputObject): ObjectChange {
    return {
      action: 'added',
      ...this.named(object),
      fields: addedFields(
        this.sides.after.resolved(object.manifest) as Manifest,
        isOfLibrary(object),
      ),
      ...(isWrittenToFile(object) ? {} : { waits: this.waiting(object) }),
    };
  }

  private left(object: OutputObject, now: OutputObject | undefined): ObjectChange {
    if (!now) {
      return { action: 'removed', ...this.named(object), fields: [], ...this.fateOf(object) };
    }
    return {
      action: now.target === object.target ? 'renamed' : 'moved',
      ...this.named(now),
      was: {
        id: keyOfObject(object),
        object: objectLabel(object.manifest),
        target: object.target,
      },
      fields: this.fields(object, now).filter(({ path }) => !NAMES.test(path)),
      ...this.fateOf(object),
      ...(isWrittenToFile(now) ? {} : { waits: this.waiting(now) }),
    };
  }

  /** The same object on another target, which did not have it. */
  private movedTo(object: OutputObject): OutputObject | undefined {
    const others = this.come.get(objectKey(object.manifest)) ?? [];
    return others.find(({ target }) => target !== object.target);
  }

  private fields(was: OutputObject, now: OutputObject): FieldChange[] {
    return fieldChanges(
      this.sides.before.resolved(was.manifest) as Manifest,
      this.sides.after.resolved(now.manifest) as Manifest,
      isOfLibrary(now),
    );
  }

  private fateOf(object: OutputObject): Pick<ObjectChange, 'becomes'> {
    const becomes = this.becomes.get(keyOfObject(object));
    return becomes ? { becomes } : {};
  }

  private waiting({ manifest, needs = [] }: OutputObject): string {
    const values = lateIdsIn(manifest).map((id) => this.change.lateValue(id)?.description ?? id);
    return [...new Set([...values, ...needs])].join(', ') || 'a late value';
  }

  private named({
    target,
    manifest,
    construct,
  }: OutputObject): Pick<ObjectChange, 'id' | 'target' | 'object' | 'displayName' | 'construct'> {
    const displayName = valueAt(manifest, 'spec', 'displayName');
    return {
      id: keyOfObject({ target, manifest }),
      target,
      object: objectLabel(manifest),
      ...(typeof displayName === 'string' && displayName !== manifest.metadata.name
        ? { displayName }
        : {}),
      ...(construct === undefined ? {} : { construct }),
    };
  }
}

/** Fields that differ since an object has another name. */
const NAMES = /^metadata\.(?:name|namespace)$/;

function byId(objects: readonly OutputObject[]): ReadonlyMap<string, OutputObject> {
  return new Map(objects.map((object) => [keyOfObject(object), object]));
}

/**
 * Whether a construct of the library wrote an object: its own ones begin with a capital letter, as
 * `Resource` does.
 */
function isOfLibrary({ construct = '' }: OutputObject): boolean {
  return construct
    .split('/')
    .slice(1)
    .some((id) => /^[A-Z]/.test(id));
}

/** The constructs of the program that objects belong to; what the library adds has no title. */
function titleOf(group: Belonging<OutputObject>): string {
  const unit = unitOf(group.head);
  return isOfProgram(unit) ? unit : some(unitsOf(group), MOST_UNITS) || unit;
}

/** How many constructs a title names. */
const MOST_UNITS = 3;

function unitsOf({ objects }: Belonging<OutputObject>): readonly string[] {
  return [...new Set(objects.map(unitOf))].filter(isOfProgram);
}

/**
 * The title of a new object: where several constructs of the program refer to each other, that of
 * its own one.
 */
function comingTitle(object: OutputObject, group: Belonging<OutputObject>): string {
  const units = unitsOf(group);
  const unit = unitOf(object);
  if (units.length < 2 || isOfProgram(unit)) {
    return units.length < 2 ? titleOf(group) : unit;
  }
  // `fra/TenantNamespace-shop` is of `rancher/shop`
  const named = units.filter((each) => unit.endsWith(`-${each.split('/').pop()!}`));
  return named.length === 1 ? named[0]! : unit;
}

/** Whether the program created a construct, rather than the library for another one. */
function isOfProgram(unit: string): boolean {
  return /^[^/ ]+\/[^A-Z/ ][^/]*/.test(unit);
}

/** The construct of the program that an object is a part of: that below the chart. */
function unitOf({ construct, target, manifest }: OutputObject): string {
  if (construct === undefined) {
    return `${objectLabel(manifest)} on ${target}`;
  }
  const steps = construct.split('/');
  const own = steps.findIndex((id, index) => index > 0 && /^[A-Z]/.test(id));
  return steps.slice(0, own > 1 ? own : 2).join('/');
}

/** A name that is another one now, and the group of what follows from it. */
interface Substitution {
  readonly title: string;
  readonly from: string;
  readonly to: string;
  /** Whether an object with an ID is in the group. @default - none is for its ID */
  readonly isNamed?: (id: string) => boolean;
}

function byIdentity(
  identities: readonly IdentityChange[],
  changed: readonly ChangeGroup[],
): Substitution[] {
  if (identities.length === 0) {
    return [];
  }
  const title = identityCause(identities);
  // the ID of a guest cluster is in no namespace of the program
  const ofGuests = changed.flatMap(({ objects }) =>
    objects.flatMap(({ fields }) =>
      fields.flatMap(({ path, before, after }) =>
        path === CLUSTER_ID && before !== undefined && after !== undefined
          ? [{ from: before.replace(/"/g, ''), to: after.replace(/"/g, '') }]
          : [],
      ),
    ),
  );
  return [...identities, ...ofGuests].map((identity) => {
    const { from, to } = identity;
    const either = new RegExp(`${patternOfName(from)}|${patternOfName(to)}`);
    const isNamed = (id: string): boolean =>
      'what' in identity && identity.what === 'namespace' ? isIdIn(identity, id) : either.test(id);
    return { title, from, to, isNamed };
  });
}

const CLUSTER_ID = `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`;

/** The names of projects and others that are renamed, as other objects refer to them. */
function byNames(groups: readonly ChangeGroup[]): Substitution[] {
  return groups.flatMap(({ title, objects }) =>
    objects.flatMap(({ action, object, was }): Substitution[] => {
      const [from, to] = [was?.object ?? '', object].map((label) => label.split(/[ /]/).pop()!);
      return action === 'renamed' && from !== to ? [{ title, from, to }] : [];
    }),
  );
}

/** Groups in which what follows from another name is with what has it. */
function consequencesOf(
  groups: readonly ChangeGroup[],
  substitutions: readonly Substitution[],
): ChangeGroup[] {
  const patterns = substitutions.map(patternsOf);
  return groups.flatMap((group) =>
    [...grouped(group.objects, (object) => titleFor(object, patterns) ?? group.title)].map(
      ([title, objects]) => ({ title, objects }),
    ),
  );
}

/** A substitution with what finds its previous name in a text. */
interface Patterns extends Substitution {
  readonly everyOld: RegExp;
}

function patternsOf(substitution: Substitution): Patterns {
  return { ...substitution, everyOld: new RegExp(patternOfName(substitution.from), 'g') };
}

function titleFor(
  { action, id, was, fields }: ObjectChange,
  substitutions: readonly Patterns[],
): string | undefined {
  const names = [id, ...(was ? [was.id] : [])];
  const found = substitutions.find(({ to, isNamed, everyOld }) => {
    const isFollowing =
      action === 'changed' &&
      fields.length > 0 &&
      fields.every(
        ({ before, after }) =>
          before !== undefined && before.replace(everyOld, to) === after && before !== after,
      );
    return isFollowing || names.some((name) => isNamed?.(name));
  });
  return found?.title;
}

/** Groups of one construct are one. */
function merged(groups: readonly ChangeGroup[]): ChangeGroup[] {
  return [...grouped(groups, ({ title }) => title)].map(([title, own]) => ({
    title,
    objects: own
      .flatMap(({ objects }) => objects)
      .sort((a, b) => ACTIONS.indexOf(b.action) - ACTIONS.indexOf(a.action) || compare(a.id, b.id)),
  }));
}
