import { randomUUID } from 'crypto';
import {
  PlacedGrant,
  Verb,
  bookGrants,
  guardGrants,
  guestGrants,
  lateGrants,
  leftoverGrants,
  objectGrants,
  resourceOf,
} from './grants';
import { KindAccess } from '../../core/kind/description/access';
import { kindOf } from '../../core/kind/kinds';
import { hasLateName } from '../../core/late/late-token';
import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { RbacRule, covers, rulesOf } from '../../core/rbac/policy-rule';
import { LOCAL_SCHEME } from '../../rancher/binding/binding.kind';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { Identity, bindsIdentity, identityOn } from '../cluster/own-identity';
import { App } from '../fields/apply-set';
import { Leftover } from '../inventory/inventory';
import { homeTarget } from '../inventory/removed-targets';
import { keepsDigests } from '../inventory/standing';
import { asObject } from '../removal/live-removal';
import { NO_ANSWER, onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** A permission that an identity has or lacks. */
interface Permission {
  readonly verb: Verb;
  readonly apiVersion: string;
  readonly kind: string;
  /** The namespace. @default - all namespaces, or a cluster-scoped resource */
  readonly namespace?: string;
  /** The object. @default - any object */
  readonly name?: string;
  /** Why a run may need it. @default - a run always needs it */
  readonly perhaps?: string;
}

/** What a run is about to do. */
export interface Intent {
  readonly app: App;
  readonly targets: readonly AssemblyTarget[];
  /** Objects that it writes. */
  readonly written: readonly AssemblyObject[];
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** Objects that it removes. */
  readonly gone: readonly Leftover[];
  readonly lateValues: readonly AssemblyLateValue[];
  /** Whether nothing is left at the end. */
  readonly ends: boolean;
}

/**
 * The permissions that a run needs on one target, the same that `rbac` grants. Late names are left
 * out: they cannot be checked yet.
 */
export function neededOn(
  target: AssemblyTarget,
  intent: Intent,
  isThere: (target: string) => boolean,
): Permission[] {
  const { app, targets, manifests, ends } = intent;
  const gone = intent.gone.filter((each) => each.target === target.name).map(asObject);
  const written = intent.written.filter(
    (object) => object.target === target.name && !hasLateName(object),
  );
  const late = intent.lateValues.filter(
    ({ source }) => !('name' in source) || !hasLateName(source),
  );
  return distinct([
    ...bookGrants(app, {
      holdsLock: homeTarget(targets).name === target.name,
      digests: keepsDigests(written, manifests),
      ends,
    }),
    ...written.flatMap((object) => objectGrants(object, manifests.get(object.id)!, false)),
    ...gone.flatMap(leftoverGrants),
    ...lateGrants(late, target.name),
    ...guardGrants(target, gone),
    // existing guest clusters are already connected
    ...targets
      .filter(({ name }) => !isThere(name))
      .flatMap((guest) => guestGrants(guest, target))
      .map((grant) => ({
        ...grant,
        perhaps: 'needed to reach its guest clusters without their own context',
      })),
  ]);
}

function distinct(placed: readonly PlacedGrant[]): Permission[] {
  const permissions = new Map<string, Permission>();
  for (const { verbs, ...rest } of placed) {
    for (const verb of verbs) {
      const key = JSON.stringify([verb, rest.apiVersion, rest.kind, rest.namespace, rest.name]);
      const known = permissions.get(key);
      if (!known || known.perhaps !== undefined) {
        permissions.set(key, { verb, ...rest });
      }
    }
  }
  return [...permissions.values()];
}

const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Maximum length of a namespace's name. */
const MAX_NAME = 63;

/** Concurrent access reviews. */
export const AT_A_TIME = 8;

const unanswered = onFailure(NO_ANSWER, () => undefined);

/** A permission in the terms of a server. */
interface Question {
  readonly permission: Permission;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

/** The parts of a permission to check; undefined for any. */
interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A permission that a server denies, with the resource in the server's terms. */
export interface DeniedPermission extends Permission {
  /** `virtualmachines.kubevirt.io` */
  readonly resource: string;
}

/**
 * Finds the permissions that a cluster denies; undefined if it does not answer. Costs one request
 * for an administrator, and one plus one per namespace for others; only permissions that these do
 * not show are checked one by one, by name last.
 */
export async function deniedOf(
  cluster: Cluster,
  permissions: readonly Permission[],
  options: RequestOptions = {},
): Promise<DeniedPermission[] | undefined> {
  if (permissions.length === 0) {
    return [];
  }
  const asking = new Asking(cluster, options);
  const denied = await asking.denied(permissions).catch(unanswered);
  return denied?.map(({ permission, group, resource }) => ({
    ...permission,
    resource: group === '' ? resource : `${resource}.${group}`,
  }));
}

class Asking {
  public constructor(
    private readonly cluster: Cluster,
    private readonly options: RequestOptions,
  ) {}

  public async denied(permissions: readonly Permission[]): Promise<readonly Question[]> {
    if (await this.allows({ verb: '*', group: '*', resource: '*' })) {
      return [];
    }
    const questions = await this.each(permissions, async (permission) => this.question(permission));
    // a missing namespace has no role bindings: permissions in it hold in all namespaces
    const everywhere = await this.rules(
      `cdk8s-harvester-nowhere-${randomUUID()}`.slice(0, MAX_NAME),
    );
    let left: readonly Question[] = questions.filter(
      (question) => !everywhere.some((rule) => grants(rule, question)),
    );
    left = await this.withoutRules(left);
    left = await this.passing(left, ({ group, resource, permission }) => ({
      verb: permission.verb,
      group,
      resource,
    }));
    return this.passing(left, ({ group, resource, namespace, permission }) => ({
      verb: permission.verb,
      group,
      resource,
      namespace,
      name: permission.name,
    }));
  }

  private async question(permission: Permission): Promise<Question> {
    const { apiVersion, kind, namespace, name } = permission;
    const group = groupOf(apiVersion);
    const served = await this.cluster.kind(apiVersion, kind, this.options).catch(unanswered);
    const resource = served?.plural ?? resourceOf(apiVersion, kind);
    // the request for a Namespace is within itself. @see
    // kubernetes/apiserver:pkg/endpoints/request/requestinfo.go NewRequestInfo
    if (group === '' && kind === 'Namespace') {
      return { permission, group, resource, ...(name === undefined ? {} : { namespace: name }) };
    }
    if (served?.namespaced === false) {
      return { permission, group, resource };
    }
    // a manifest without a namespace is written to default
    const place = served && name !== undefined ? (namespace ?? 'default') : namespace;
    return { permission, group, resource, ...(place === undefined ? {} : { namespace: place }) };
  }

  /**
   * Permissions that the rules of their namespace do not allow; such rules do not cover
   * cluster-scoped resources.
   */
  private async withoutRules(questions: readonly Question[]): Promise<readonly Question[]> {
    const namespaces = new Set(questions.flatMap(({ namespace }) => namespace ?? []));
    const rules = new Map(
      await this.each(
        [...namespaces],
        async (namespace) => [namespace, await this.rules(namespace)] as const,
      ),
    );
    return questions.filter(
      (question) =>
        !(rules.get(question.namespace ?? '') ?? []).some((rule) => grants(rule, question)),
    );
  }

  private async rules(namespace: string): Promise<RbacRule[]> {
    // without an answer, they are checked one by one
    const status: unknown = await this.cluster
      .review(AUTHORIZATION, 'SelfSubjectRulesReview', { namespace }, this.options)
      .catch(unanswered);
    return isRecord(status) ? rulesOf(status.resourceRules) : [];
  }

  /** The denied permissions; those with the same answer are checked once. */
  private async passing(
    questions: readonly Question[],
    attributesOf: (question: Question) => Attributes,
  ): Promise<readonly Question[]> {
    const asked = new Map(
      questions.map((question) => [JSON.stringify(attributesOf(question)), attributesOf(question)]),
    );
    const answers = new Map(
      await this.each(
        [...asked],
        async ([key, attributes]) => [key, await this.allows(attributes)] as const,
      ),
    );
    return questions.filter((question) => !answers.get(JSON.stringify(attributesOf(question))));
  }

  private async allows(resourceAttributes: Attributes): Promise<boolean> {
    const status: unknown = await this.cluster.review(
      AUTHORIZATION,
      'SelfSubjectAccessReview',
      { resourceAttributes },
      this.options,
    );
    return isRecord(status) && status.allowed === true;
  }

  private async each<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
    return inParallel(items, () => '', AT_A_TIME, act, this.options.signal);
  }
}

/** @see kubernetes/kubernetes:pkg/apis/rbac/v1/evaluation_helpers.go RuleAllows */
function grants(rule: RbacRule, { permission, group, resource }: Question): boolean {
  const { verb, name } = permission;
  return (
    covers(rule, group, resource) &&
    (rule.verbs.includes('*') || rule.verbs.includes(verb)) &&
    (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name)))
  );
}

/** Whether a run writes a binding for its own identity, which may then gain permissions. */
export async function mayBeGranted(
  target: AssemblyTarget,
  cluster: Cluster,
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
  options: RequestOptions,
): Promise<boolean> {
  const bindings = objects.filter(
    (object) =>
      kindOf<KindAccess>(object)?.access === 'binding' &&
      // bindings of Rancher apply to all clusters that it manages
      (object.target === target.name || groupOf(object.apiVersion) === GROUPS.MANAGEMENT),
  );
  if (bindings.length === 0) {
    return false;
  }
  const identity = await identityOn(cluster, options);
  return bindings.some(({ id }) => isFor(manifests.get(id)!, identity));
}
function isFor(binding: Manifest, identity: Identity | undefined): boolean {
  if (!identity) {
    return true;
  }
  const { userName, userPrincipalName } = binding;
  // a user of another provider, for which the server reports no principal
  const elsewhere =
    userName === undefined &&
    identity.principals === undefined &&
    typeof userPrincipalName === 'string' &&
    !userPrincipalName.startsWith(`${LOCAL_SCHEME}:`);
  return elsewhere || bindsIdentity(binding, identity);
}
