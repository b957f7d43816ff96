import { TargetKind } from '../../core/construct/target';
import {
  AppReference,
  Draft,
  DraftProps,
  DraftReference,
  DraftValue,
  Expression,
  FoundObject,
  ObjectName,
  optional,
  Property,
  TargetReference,
  idOfName,
  Inverse,
  isFor,
  nameOf,
  Reference,
  Surroundings,
} from '../../core/draft/draft';
import { kindKey, printName } from '../../core/manifest/manifest';
import { SecretHider } from '../secrets/hide-secrets';
import { cleaned } from '../select/cleaned';

/** What was added to a draft after its construct rendered something else than the live object. */
export interface Completion {
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly patches: readonly PatchOperation[];
  /** JSON patches of its other objects, by the ID of the object. @default - none */
  readonly parts?: ReadonlyMap<string, readonly PatchOperation[]>;
  /** Rules that find an error in the live object. */
  readonly suppressions?: readonly Suppressed[];
}

/** JSON patches of an object of a construct that is not its main one. */
export interface PatchedPart {
  /** The ApiObject. */
  readonly object: Expression;
  readonly patches: readonly PatchOperation[];
}

/** A rule whose findings the program accepts. */
export interface Suppressed {
  readonly rule: string;
  readonly reason: string;
  /** The ID of the object whose findings they are, where it is not below the construct. @default - all below it */
  readonly object?: string;
}

/** A construct whose findings of a rule the program accepts. */
export interface AcceptedRule extends Suppressed {
  readonly on: Expression;
}

/** A draft as it is written: with its ID, and what completes it. */
export interface Statement {
  readonly draft: Draft;
  readonly id: string;
  readonly scope: Expression;
  readonly props: DraftProps;
  /** What follows the ID, before the props. @default - the props alone */
  readonly args?: readonly DraftValue[];
  readonly calls?: Draft['calls'];
  readonly patches: readonly PatchOperation[];
  readonly parts: readonly PatchedPart[];
  readonly suppressions: readonly AcceptedRule[];
}

/** What follows the ID of a statement: its props come last, and are left out where none is set. */
export function argsOf({ args = [], props }: Statement): readonly DraftValue[] {
  return [...args, ...optional(props)];
}

const CHARTS: { readonly [kind in TargetKind]: string } = {
  [TargetKind.RANCHER]: 'RancherChart',
  [TargetKind.HARVESTER]: 'HarvesterChart',
  [TargetKind.GUEST]: 'GuestChart',
};

/** The ID of an object on all targets. */
export function foundId(object: FoundObject): string {
  return idOfName(nameOf(object));
}

/** The statements of a program, and how they refer to each other. */
export class Statements {
  private readonly byDraft = new Map<Draft, Statement>();
  private readonly declared: Draft[] = [];
  private readonly byObject = new Map<string, Draft>();
  private readonly providers = new Map<string, Draft>();
  private readonly references = new Map<string, Draft>();
  private readonly charts = new Map<string, Expression>();
  private readonly taken = new Set<string>();
  private readonly existing = new Map<string, Inverse[]>();

  /**
   * @param taken IDs that another program has in the charts, each as `<target>/<ID>`
   * @param takenVariables the names of environment variables that another program reads
   */
  constructor(
    private readonly around: Surroundings,
    inverses: readonly Inverse[],
    taken: Iterable<string> = [],
    public readonly takenVariables: readonly string[] = [],
  ) {
    for (const each of taken) {
      this.taken.add(`target/${each}`);
    }
    for (const inverse of inverses.filter((each) => each.existing)) {
      for (const kind of inverse.kinds) {
        this.existing.set(kind, [...(this.existing.get(kind) ?? []), inverse]);
      }
    }
    for (const cluster of around.clusters) {
      this.taken.add(`app/${cluster.name}`);
    }
  }

  /**
   * The statements that declare something. Those of references exist once something refers to them.
   */
  public all(): readonly Statement[] {
    return this.declared.map((draft) => this.of(draft));
  }

  /** The statement of a draft. */
  public of(draft: Draft): Statement {
    return this.byDraft.get(draft)!;
  }

  /** The draft that declares an object; undefined where none does. */
  public declarer(id: string): Draft | undefined {
    return this.byObject.get(id);
  }

  public add(draft: Draft, completion?: Completion): void {
    this.declared.push(draft);
    for (const object of draft.declares) {
      this.byObject.set(foundId(object), draft);
    }
    for (const id of draft.provides?.keys() ?? []) {
      this.providers.set(id, draft);
    }
    if (draft.chartOf !== undefined) {
      this.charts.set(draft.chartOf, new Property(new DraftReference(draft), 'chart'));
    }
    this.state(draft, draft.scope ?? new TargetReference(draft.declares[0].target), completion);
  }

  /** The chart of a target, which a construct has or a statement makes. */
  public chart(target: string): Expression {
    const known = this.charts.get(target);
    if (known) {
      return known;
    }
    const { name, kind, version, serverUrl, vip, chartNamespace } = this.around.cluster(target);
    const draft: Draft = {
      type: CHARTS[kind],
      id: name,
      isNamedById: false,
      props: { version, serverUrl, vip, namespace: chartNamespace },
      declares: [],
    };
    this.charts.set(target, new DraftReference(draft));
    this.byDraft.set(draft, {
      draft,
      id: target,
      scope: new AppReference(),
      props: draft.props,
      patches: [],
      parts: [],
      suppressions: [],
    });
    return new DraftReference(draft);
  }

  /** How the program refers to an object. Throws where it cannot. */
  public resolve(object: ObjectName): Expression {
    const id = idOfName(object);
    const provider = this.providers.get(id);
    if (provider) {
      return provider.provides!.get(id)!(new DraftReference(provider));
    }
    const draft = this.byObject.get(id);
    if (draft && draft.type !== API_OBJECT && foundId(draft.declares[0]) === id) {
      return new DraftReference(draft);
    }
    return new DraftReference(this.reference(id, object));
  }

  private reference(id: string, object: ObjectName): Draft {
    const known = this.references.get(id);
    if (known) {
      return known;
    }
    let made: Reference | undefined;
    const cluster = this.around.cluster(object.target);
    for (const inverse of this.existing.get(kindKey(object.group, object.kind)) ?? []) {
      if (isFor(inverse, cluster)) {
        made ??= inverse.existing!(object, this.around);
      }
    }
    if (!made) {
      throw new Error(`a program cannot refer to ${object.kind} ${printName(object)}`);
    }
    const draft: Draft = { ...made, id: made.id ?? object.name, isNamedById: false, declares: [] };
    this.references.set(id, draft);
    this.state(draft, made.scope ?? new TargetReference(object.target), undefined);
    return draft;
  }

  private state(draft: Draft, scope: Expression, completion: Completion = { patches: [] }): void {
    const id = this.freeId(draft, scope);
    const { labels, annotations, patches, suppressions = [] } = completion;
    const self = new DraftReference(draft);
    const parts = [...(completion.parts ?? [])].map(([object, each]) => ({
      object: draft.patchable!.get(object)!(self),
      patches: each,
    }));
    const name = draft.isNamedById !== false && id !== draft.id ? { name: draft.id } : {};
    const props = {
      ...name,
      ...draft.props,
      ...(labels ? { labels: { ...(draft.props.labels as DraftProps), ...labels } } : {}),
      ...(annotations
        ? { annotations: { ...(draft.props.annotations as DraftProps), ...annotations } }
        : {}),
    };
    const hider = new SecretHider(draft);
    const hidden = (operations: readonly PatchOperation[]): readonly PatchOperation[] =>
      operations.map(({ op, path, value }) => ({
        op,
        path,
        value: hider.hide(value as DraftValue, true, lastStep(path)),
      }));
    this.byDraft.set(draft, {
      draft,
      id,
      scope,
      props: hider.hide(props, draft.type === API_OBJECT),
      args: hider.hide(draft.args, false),
      calls: draft.calls?.map((called) => ({ ...called, args: hider.hide(called.args, false) })),
      patches: hidden(patches),
      parts: parts.map((part) => ({ ...part, patches: hidden(part.patches) })),
      suppressions: suppressions.map((each) => ({
        ...each,
        on: (each.object === undefined ? undefined : reachOf(draft, each.object)?.(self)) ?? self,
      })),
    });
  }

  /** The name of a scope, within which IDs are unique. */
  private nameOfScope(scope: Expression): string {
    if (scope instanceof TargetReference) {
      return `target/${scope.target}`;
    }
    if (scope instanceof DraftReference) {
      return `draft/${this.of(scope.draft).id}`;
    }
    return 'other';
  }

  private freeId({ id, type, declares: [first] }: Draft, scope: Expression): string {
    const within = this.nameOfScope(scope);
    const namespace = first?.manifest.metadata.namespace;
    const wishes = [
      id,
      `${id}-${kebab(type === API_OBJECT ? first.manifest.kind : type)}`,
      ...(namespace ? [`${namespace}-${id}`] : []),
    ];
    for (let count = 2; ; count++) {
      // the library of constructs takes the IDs of all objects of JavaScript, such as constructor,
      // as used
      const free = wishes.find(
        (wish) => !this.taken.has(`${within}/${wish}`) && !(wish in Object.prototype),
      );
      if (free !== undefined) {
        this.taken.add(`${within}/${free}`);
        return free;
      }
      wishes.splice(0, wishes.length, `${id}-${kebab(type)}-${count}`);
    }
  }
}

/** How the program reaches an object of a draft that is not below its construct. */
export function reachOf(
  { provides, patchable }: Draft,
  object: string,
): ((self: Expression) => Expression) | undefined {
  return provides?.get(object) ?? patchable?.get(object);
}

/** The class of statements that declare an object without a construct of its own. */
export const API_OBJECT = 'ApiObject';

function kebab(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** One step of a JSON patch, as the methods of cdk8s' JsonPatch name them. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** A JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
  readonly path: string;
  /** Undefined to remove the field. */
  readonly value?: unknown;
}

/** The last step of a JSON pointer. */
export function lastStep(pointer: string): string {
  return pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replace(/~1/g, '/')
    .replace(/~0/g, '~');
}

/** The statement for an object that no construct declares. */
export function apiObject(object: FoundObject): Draft {
  const {
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    ...rest
  } = cleaned(object.manifest);
  const props = {
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    ...rest,
  } as Draft['props'];
  return {
    type: API_OBJECT,
    id: object.manifest.metadata.name,
    isNamedById: false,
    props,
    declares: [object],
  };
}
