import { kindOf } from '../../src/core/kind/kinds';
import { Manifest, groupOf, isRecord, kindKey } from '../../src/core/manifest/manifest';
import { AssemblyTarget } from '../../src/core/output/assembly';
import {
  ApplyAnswer,
  ApplyRequest,
  BoundTarget,
  BoundTargets,
  Cluster,
  JsonPatchOperation,
  LiveObject,
  ObjectRef,
  RequestOptions,
  Upload,
} from '../../src/engine/cluster/cluster';
import { ApiError, FieldConflict } from '../../src/engine/transport/api';

/* eslint-disable @typescript-eslint/no-explicit-any */

/** What was asked of a fake cluster. */
export interface FakeCall {
  readonly verb:
    | 'read'
    | 'list'
    | 'apply'
    | 'dry-run'
    | 'patch'
    | 'delete'
    | 'kind'
    | 'get'
    | 'review'
    | 'upload';
  /** `Kind namespace/name`, or a path. */
  readonly what: string;
  readonly body?: any;
}

export interface FakeClusterOptions {
  /** Answers to `get`, by path. */
  readonly paths?: { readonly [path: string]: unknown };
  /**
   * Kinds beyond those of the model's table, e.g. `{ 'example.com/Widget': { namespaced: true } }`.
   */
  readonly kinds?: { readonly [key: string]: { readonly namespaced: boolean } };
  /** Kinds (`group/Kind`) that the API does not serve (yet); may be changed while a test runs. */
  readonly missing?: Set<string>;
  /** Whether objects need their Namespace to be there. @default false */
  readonly checkNamespaces?: boolean;
}

/** Called after every write, like a controller; writes of its own go through `change`. */
export type Reaction = (object: LiveObject, cluster: FakeCluster) => void;

/**
 * A Cluster over a Map: server-side apply with owners of fields (lists are one unit), uids,
 * generations, finalizers and deletion, without a network.
 */
export class FakeCluster implements Cluster {
  public readonly objects = new Map<string, any>();
  public readonly calls: FakeCall[] = [];
  public readonly reactions: Reaction[] = [];
  /**
   * Errors to throw instead of an answer: asked before every call; return undefined to let it
   * through.
   */
  public fault?: (call: FakeCall) => Error | undefined;
  /** Awaited before every call, e.g. to see what runs at the same time. */
  public before?: (call: FakeCall) => Promise<void>;
  /** Answers to reviews, by their kind and spec; where it is not given, everything is allowed. */
  public answers?: (kind: string, spec: any) => any;
  public closed = false;
  private counter = 0;

  public constructor(private readonly options: FakeClusterOptions = {}) {}

  /** Creates an object as another field manager. */
  public seed(
    manifest: Manifest | { [field: string]: unknown },
    manager = 'kubectl',
    operation: 'Apply' | 'Update' = 'Update',
  ): LiveObject {
    return this.write(COPY(manifest) as Manifest, manager, false, operation).object;
  }

  /** Changes a live object as a controller does: status, finalizers, anything. */
  public change(ref: ObjectRef | Manifest, edit: (object: any) => void): void {
    const live = this.objects.get(keyOf(refOf(ref)));
    if (!live) {
      throw new Error(`fake cluster: ${labelOf(refOf(ref))} is not there`);
    }
    const before = JSON.stringify(live.spec);
    edit(live);
    if (JSON.stringify(live.spec) !== before) {
      live.metadata.generation++;
    }
    live.metadata.resourceVersion = String(++this.counter);
    this.removeIfDone(live);
  }

  /** The live object itself; undefined where it is not there. Not counted as a call. */
  public live(apiVersion: string, kind: string, name: string, namespace?: string): any {
    return this.objects.get(keyOf({ apiVersion, kind, name, namespace }));
  }

  /** Whether an object is there, and is not being deleted. */
  public has(apiVersion: string, kind: string, name: string, namespace?: string): boolean {
    const live = this.live(apiVersion, kind, name, namespace);
    return live !== undefined && live.metadata.deletionTimestamp === undefined;
  }

  /** The calls of a verb, as text. */
  public did(verb: FakeCall['verb']): string[] {
    return this.calls.filter((call) => call.verb === verb).map(({ what }) => what);
  }

  public async read(ref: ObjectRef, options: RequestOptions = {}): Promise<LiveObject | undefined> {
    await this.called({ verb: 'read', what: labelOf(ref) }, options.signal);
    const live = this.objects.get(keyOf(ref));
    return live && this.type(ref.apiVersion, ref.kind)
      ? COPY({ ...live, apiVersion: ref.apiVersion })
      : undefined;
  }

  public async list(
    apiVersion: string,
    kind: string,
    options: RequestOptions & { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): Promise<LiveObject[]> {
    await this.called(
      { verb: 'list', what: `${kind} ${options.namespace ?? ''}/`, body: options.labelSelector },
      options.signal,
    );
    const wanted = [
      ...(options.labelSelector ?? '').matchAll(/([\w./-]+)(?: in \(([^)]*)\)|=([^,]*))?(?:,|$)/g),
    ];
    return [...this.objects.values()]
      .filter(
        (object) => object.kind === kind && groupOf(object.apiVersion) === groupOf(apiVersion),
      )
      .filter(
        (object) =>
          options.namespace === undefined || object.metadata.namespace === options.namespace,
      )
      .filter(({ metadata: { labels = {} } }) =>
        wanted.every(([, key, values, value]) =>
          (values ?? value) === undefined
            ? key in labels
            : (values?.split(',') ?? [value]).includes(labels[key]),
        ),
      )
      .map((object) => COPY(object));
  }

  public async apply(manifest: Manifest, options: ApplyRequest): Promise<ApplyAnswer> {
    const ref = refOf(manifest);
    await this.called(
      { verb: options.dryRun ? 'dry-run' : 'apply', what: labelOf(ref), body: COPY(manifest) },
      options.signal,
    );
    if (!this.type(ref.apiVersion, ref.kind)) {
      throw new ApiError(
        'blocked',
        `the server knows no ${ref.kind} of ${ref.apiVersion}`,
        404,
        'NotFound',
      );
    }
    if (
      this.options.checkNamespaces &&
      ref.namespace !== undefined &&
      !this.objects.has(keyOf({ apiVersion: 'v1', kind: 'Namespace', name: ref.namespace }))
    ) {
      throw new ApiError('blocked', `namespaces "${ref.namespace}" not found`, 404, 'NotFound');
    }
    const key = keyOf(ref);
    const before = this.objects.get(key);
    const uid = manifest.metadata.uid;
    if (uid !== undefined && uid !== before?.metadata.uid) {
      throw new ApiError(
        'precondition',
        'Precondition failed: UID in precondition',
        409,
        'Conflict',
      );
    }
    const { resourceVersion, ...metadata } = manifest.metadata as Manifest['metadata'] & {
      readonly resourceVersion?: string;
    };
    if (resourceVersion !== undefined && resourceVersion !== before?.metadata.resourceVersion) {
      throw new ApiError(
        'blocked',
        'Operation cannot be fulfilled: the object has been modified',
        409,
        'Conflict',
      );
    }
    manifest = { ...manifest, metadata };
    if (!options.dryRun) {
      return this.write(COPY(manifest), options.fieldManager, options.force ?? false, 'Apply');
    }
    const [counter, reactions] = [this.counter, this.reactions.splice(0)];
    try {
      return COPY(
        this.write(COPY(manifest), options.fieldManager, options.force ?? false, 'Apply'),
      );
    } finally {
      this.reactions.push(...reactions);
      this.counter = counter;
      if (before) {
        this.objects.set(key, before);
      } else {
        this.objects.delete(key);
      }
    }
  }

  public async patch(
    ref: ObjectRef,
    operations: readonly JsonPatchOperation[],
    options: RequestOptions,
  ): Promise<LiveObject> {
    await this.called(
      { verb: 'patch', what: labelOf(ref), body: COPY(operations) },
      options.signal,
    );
    const live = this.objects.get(keyOf(ref));
    if (!live) {
      throw new ApiError('not-found', `${labelOf(ref)} not found`, 404, 'NotFound');
    }
    for (const operation of operations) {
      const path = operation.path
        .split('/')
        .slice(1)
        .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
      if (operation.op === 'test') {
        if (!same(at(live, path), operation.value)) {
          throw new ApiError(
            'blocked',
            `${labelOf(ref)} was written by another client at the same time`,
            422,
            'Invalid',
          );
        }
      } else if (operation.op === 'add') {
        put(live, path, operation.value);
      } else {
        remove(live, path);
      }
    }
    const owners = live.metadata.managedFields.map((entry: any) => [
      entry.manager,
      { operation: entry.operation, leaves: leavesIn(entry.fieldsV1) },
    ]);
    Object.defineProperty(live, 'owners', {
      value: Object.fromEntries(owners),
      enumerable: false,
      configurable: true,
    });
    live.metadata.resourceVersion = String(++this.counter);
    this.removeIfDone(live);
    return COPY(live);
  }

  public async delete(ref: ObjectRef, uid: string, options: RequestOptions = {}): Promise<void> {
    await this.called({ verb: 'delete', what: labelOf(ref), body: uid }, options.signal);
    const live = this.objects.get(keyOf(ref));
    if (!live) {
      return;
    }
    if (live.metadata.uid !== uid) {
      throw new ApiError(
        'precondition',
        'Precondition failed: UID in precondition',
        409,
        'Conflict',
      );
    }
    if (live.metadata.deletionTimestamp) {
      return;
    }
    live.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    live.metadata.resourceVersion = String(++this.counter);
    for (const react of [...this.reactions]) {
      react(live, this);
    }
    this.removeIfDone(live);
  }

  public async kind(
    apiVersion: string,
    kind: string,
    options: RequestOptions = {},
  ): Promise<{ namespaced: boolean; plural: string } | undefined> {
    await this.called({ verb: 'kind', what: `${apiVersion} ${kind}` }, options.signal);
    return this.type(apiVersion, kind);
  }

  public async get(path: string, options: RequestOptions = {}): Promise<any> {
    await this.called({ verb: 'get', what: path }, options.signal);
    if (!(path in (this.options.paths ?? {}))) {
      throw new ApiError('not-found', `${path} not found`, 404, 'NotFound');
    }
    return COPY(this.options.paths![path]);
  }

  public async review(
    _: string,
    kind: string,
    spec: object,
    options: RequestOptions = {},
  ): Promise<any> {
    await this.called({ verb: 'review', what: kind, body: COPY(spec) }, options.signal);
    const answer = this.answers?.(kind, spec);
    return (
      answer ?? (kind === 'SelfSubjectAccessReview' ? { allowed: this.answers === undefined } : {})
    );
  }

  public async upload(
    path: string,
    { query, contentType, length, open }: Upload,
    options: RequestOptions = {},
  ): Promise<void> {
    const pieces: Uint8Array[] = [];
    for await (const piece of open()) {
      pieces.push(piece);
    }
    const sent = Buffer.concat(pieces);
    await this.called(
      { verb: 'upload', what: path, body: { query, contentType, length, sent } },
      options.signal,
    );
  }

  public close(): void {
    this.closed = true;
  }

  private async called(call: FakeCall, signal?: AbortSignal): Promise<void> {
    this.calls.push(call);
    // as over a network: never at once
    await Promise.resolve();
    await this.before?.(call);
    if (signal?.aborted) {
      throw new ApiError('aborted', 'ended');
    }
    const fault = this.fault?.(call);
    if (fault) {
      throw fault;
    }
  }

  private type(
    apiVersion: string,
    kind: string,
  ): { namespaced: boolean; plural: string } | undefined {
    const key = kindKey(groupOf(apiVersion), kind);
    if (this.options.missing?.has(key)) {
      return undefined;
    }
    const known = kindOf({ apiVersion, kind });
    return {
      namespaced: this.options.kinds?.[key]?.namespaced ?? known?.scope !== 'Cluster',
      plural: `${kind.toLowerCase()}s`,
    };
  }

  private write(
    manifest: Manifest,
    manager: string,
    force: boolean,
    operation: string,
  ): ApplyAnswer {
    const key = keyOf(refOf(manifest));
    const before = this.objects.get(key);
    const mine = leavesOf(manifest);
    const owners: { [manager: string]: { operation: string; leaves: string[][] } } = COPY(
      before?.owners ?? {},
    );
    const conflicts: FieldConflict[] = [];
    for (const [other, owned] of Object.entries(owners)) {
      if (other === manager) {
        continue;
      }
      const clash = owned.leaves.filter(
        (path) =>
          mine.some((own) => same(own, path)) && !same(at(before, path), at(manifest, path)),
      );
      // an update takes the fields that it changes from any manager
      if (force || operation === 'Update') {
        owned.leaves = owned.leaves.filter((path) => !clash.includes(path));
      } else {
        conflicts.push(...clash.map((path) => ({ manager: other, field: `.${path.join('.')}` })));
      }
    }
    if (conflicts.length > 0) {
      const [{ manager: other, field }] = conflicts;
      throw new ApiError(
        'conflict',
        `Apply failed with ${conflicts.length} conflict${conflicts.length > 1 ? 's' : ''}: conflict with "${other}": ${field}`,
        409,
        'Conflict',
        conflicts,
      );
    }

    const after: any = before
      ? COPY(before)
      : {
          apiVersion: manifest.apiVersion,
          kind: manifest.kind,
          metadata: { uid: `uid-${++this.counter}`, generation: 1 },
        };
    // fields that this manager had and no longer names are removed, unless another manager has them
    // too
    for (const path of owners[manager]?.leaves ?? []) {
      const others = Object.entries(owners).some(
        ([other, { leaves }]) => other !== manager && leaves.some((leaf) => same(leaf, path)),
      );
      if (!others && !mine.some((own) => same(own, path))) {
        remove(after, path);
      }
    }
    for (const path of mine) {
      put(after, path, at(manifest, path));
    }
    const { name, namespace } = manifest.metadata;
    after.metadata = { ...after.metadata, name, ...(namespace ? { namespace } : {}) };
    owners[manager] = { operation, leaves: mine };
    Object.defineProperty(after, 'owners', {
      value: owners,
      enumerable: false,
      configurable: true,
    });
    if (before && !same(before.spec, after.spec)) {
      after.metadata.generation++;
    }
    after.metadata.managedFields = Object.entries(owners).map(([owner, owned]) => ({
      manager: owner,
      operation: owned.operation,
      apiVersion: manifest.apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: fieldsOf(owned.leaves),
    }));
    if (!before || !same(withoutVersion(before), withoutVersion(after))) {
      after.metadata.resourceVersion = String(++this.counter);
    }
    this.objects.set(key, after);
    for (const react of [...this.reactions]) {
      react(after, this);
    }
    return { object: COPY(after), created: !before, warnings: [] };
  }

  private removeIfDone(live: any): void {
    if (!live.metadata.deletionTimestamp || (live.metadata.finalizers ?? []).length > 0) {
      return;
    }
    if (live.kind === 'Namespace' && live.apiVersion === 'v1' && !this.isEmptied(live)) {
      return;
    }
    this.objects.delete(keyOf(refOf(live)));
    const { namespace } = live.metadata;
    const around =
      namespace &&
      this.objects.get(keyOf({ apiVersion: 'v1', kind: 'Namespace', name: namespace }));
    if (around) {
      this.removeIfDone(around);
    }
  }

  /**
   * Deletes what is in a Namespace that is being deleted; what has finalizers remains, and so does
   * the Namespace.
   * @see kubernetes/kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go
   */
  private isEmptied(namespace: any): boolean {
    const left = new Map<string, number>();
    for (const [key, object] of [...this.objects]) {
      if (object.metadata.namespace !== namespace.metadata.name) {
        continue;
      }
      const finalizers: string[] = object.metadata.finalizers ?? [];
      if (finalizers.length === 0) {
        this.objects.delete(key);
      }
      object.metadata.deletionTimestamp ??= '2026-01-01T00:00:00Z';
      for (const finalizer of finalizers) {
        left.set(finalizer, (left.get(finalizer) ?? 0) + 1);
      }
    }
    const message = `Some content in the namespace has finalizers remaining: ${[...left].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).join(', ')}`;
    namespace.status = {
      ...namespace.status,
      phase: 'Terminating',
      conditions: [
        { type: 'NamespaceFinalizersRemaining', status: left.size > 0 ? 'True' : 'False', message },
      ],
    };
    return left.size === 0;
  }
}

/** Targets that are bound to fake clusters. */
export function fakeTargets(
  clusters: { readonly [target: string]: Cluster },
  kinds: { readonly [target: string]: AssemblyTarget } = {},
): BoundTargets {
  return new Map(
    Object.entries(clusters).map(([name, cluster]): [string, BoundTarget] => {
      const kind =
        (['rancher', 'guest'] as const).find((each) => name.startsWith(each)) ?? 'harvester';
      const version = { rancher: '2.13.8', harvester: '1.7.2', guest: 'v1.33.6+rke2r1' }[kind];
      const target: AssemblyTarget = kinds[name] ?? {
        name,
        kind: kind as AssemblyTarget['kind'],
        version,
        folder: name,
        construct: name,
        properties: {},
      };
      return [name, { target, by: `context ${name}`, cluster: async () => cluster }];
    }),
  );
}

function refOf(object: ObjectRef | Manifest): ObjectRef {
  if (!('metadata' in object)) {
    return object;
  }
  const {
    apiVersion,
    kind,
    metadata: { name, namespace },
  } = object as Manifest;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function keyOf({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return `${groupOf(apiVersion)}/${kind}/${namespace ?? ''}/${name}`;
}

function labelOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

const COPY = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

// the paths of everything that is not a map: a list is one unit, as in custom resources
function leavesOf(manifest: Manifest): string[][] {
  const leaves: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    const entries = isRecord(value) ? Object.entries(value) : [];
    if (entries.length === 0) {
      leaves.push(path);
    }
    for (const [key, inner] of entries) {
      walk(inner, [...path, key]);
    }
  };
  const { name: _, namespace: __, uid: ___, ...metadata } = manifest.metadata;
  const { apiVersion: ____, kind: _____, ...rest } = manifest;
  for (const [key, value] of Object.entries({ ...rest, metadata })) {
    if (key !== 'metadata' || Object.keys(metadata).length > 0) {
      walk(value, [key]);
    }
  }
  return leaves;
}

function fieldsOf(leaves: string[][]): object {
  const root: any = {};
  for (const path of leaves) {
    let current = root;
    for (const key of path) {
      current = current[`f:${key}`] ??= {};
    }
  }
  return root;
}

function leavesIn(fieldsV1: any): string[][] {
  const below = Object.entries(fieldsV1).filter(([step]) => step.startsWith('f:'));
  return below.flatMap(([step, inner]) => {
    const leaves = leavesIn(inner);
    return leaves.length > 0 ? leaves.map((path) => [step.slice(2), ...path]) : [[step.slice(2)]];
  });
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

function put(object: any, path: readonly string[], value: unknown): void {
  let current = object;
  for (const key of path.slice(0, -1)) {
    if (!isRecord(current[key])) {
      current[key] = {};
    }
    current = current[key];
  }
  const last = path[path.length - 1];
  // an empty map owns itself, but not its content
  if (!(isRecord(value) && isRecord(current[last]))) {
    current[last] = COPY(value ?? null);
  }
}

function remove(object: any, path: readonly string[]): void {
  const parent = at(object, path.slice(0, -1)) as any;
  if (isRecord(parent)) {
    delete (parent as any)[path[path.length - 1]];
  }
}

function withoutVersion({
  metadata: { resourceVersion: _, managedFields: __, ...metadata },
  ...rest
}: any): unknown {
  return { ...rest, metadata };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
