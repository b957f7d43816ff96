import { randomUUID } from 'crypto';
import { PlacedGrant, Verb, bookGrants, guardGrants, guestGrants, lateGrants, leftoverGrants, objectGrants, resourceOf } from './grants';
import { isLate } from '../../core/late/late-token';
import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { PolicyRule, covers, rulesOf, texts } from '../../core/rbac/policy-rule';
import { LOCAL_SCHEME, localPrincipal } from '../../rancher/members/principal.check';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { App } from '../inventory/apply-set';
import { homeTarget } from '../inventory/removed-targets';
import { keepsDigests } from '../inventory/standing';
import { Leftover, asObject } from '../run/leftovers';
import { ApiError, FailureClass } from '../transport/api';
import { inParallel } from '../transport/pace';

/** One thing that an identity may do or not. */
export interface Right {
  readonly verb: Verb;
  readonly apiVersion: string;
  readonly kind: string;
  /** None where it is for all of them, or for what lies in none. */
  readonly namespace?: string;
  /** None where it is for any. */
  readonly name?: string;
  /** What it is for, where a run may do without it. */
  readonly perhaps?: string;
}

/** What a run is about to do. */
export interface Intent {
  readonly app: App;
  readonly targets: readonly AssemblyTarget[];
  /** What it writes. */
  readonly written: readonly AssemblyObject[];
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** What it takes away. */
  readonly gone: readonly Leftover[];
  readonly lateValues: readonly AssemblyLateValue[];
  /** Whether nothing is left in the end. */
  readonly ends: boolean;
}

/**
 * The rights that a run needs on one target, told by what `rbac` grants for the same. Names that are late are left out: nobody can ask for them yet.
 */
export function neededOn(target: AssemblyTarget, intent: Intent, isThere: (target: string) => boolean): Right[] {
  const { app, targets, manifests, ends } = intent;
  const gone = intent.gone.filter((each) => each.target === target.name).map(asObject);
  const written = intent.written.filter((object) => object.target === target.name && isNamed(object));
  const late = intent.lateValues.filter(({ source }) => !('name' in source) || isNamed(source));
  return distinct([
    ...bookGrants(app, { holdsLock: homeTarget(targets).name === target.name, digests: keepsDigests(written, manifests), ends }),
    ...written.flatMap((object) => objectGrants(object, manifests.get(object.id)!, false)),
    ...gone.flatMap(leftoverGrants),
    ...lateGrants(late, target.name),
    ...guardGrants(target, gone),
    // those that are there are reached already
    ...targets.filter(({ name }) => !isThere(name)).flatMap((guest) => guestGrants(guest, target))
      .map((grant) => ({ ...grant, perhaps: 'its guest clusters are reached by it, but for those with a context of their own' })),
  ]);
}

function isNamed({ name, namespace }: { readonly name: string; readonly namespace?: string }): boolean {
  return !isLate(name) && !isLate(namespace);
}

function distinct(grants: readonly PlacedGrant[]): Right[] {
  const rights = new Map<string, Right>();
  for (const { verbs, ...rest } of grants) {
    for (const verb of verbs) {
      const key = JSON.stringify([verb, rest.apiVersion, rest.kind, rest.namespace, rest.name]);
      const known = rights.get(key);
      if (!known || known.perhaps !== undefined) { rights.set(key, { verb, ...rest }); }
    }
  }
  return [...rights.values()];
}

const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Of a namespace. */
const MAX_NAME = 63;

/** How many questions are asked at a time. */
export const AT_A_TIME = 8;

/** Failures by which a server says that it does not answer such questions. */
const NO_ANSWER: ReadonlySet<FailureClass> = new Set<FailureClass>(['forbidden', 'not-found', 'blocked', 'invalid']);

/** A right as a server is asked for it. */
interface Question {
  readonly right: Right;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

/** What of a question is asked; nothing is all of it. */
interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A right that a server denies, with the resource as the server calls it. */
export interface DeniedRight extends Right {
  /** `virtualmachines.kubevirt.io` */
  readonly resource: string;
}

/**
 * Asks a cluster for the rights that it denies: undefined where it does not say. An administrator costs one request, others one and one more for each
 * namespace; only what these do not show is asked for one by one, and by name last.
 */
export async function deniedOf(cluster: Cluster, rights: readonly Right[], options: RequestOptions = {}): Promise<DeniedRight[] | undefined> {
  if (rights.length === 0) { return []; }
  const asking = new Asking(cluster, options);
  try {
    return (await asking.denied(rights)).map(({ right, group, resource }) => ({ ...right, resource: group === '' ? resource : `${resource}.${group}` }));
  } catch (error) {
    if (isNoAnswer(error)) { return undefined; }
    throw error;
  }
}

/** Whether a server said that it does not answer. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof ApiError && NO_ANSWER.has(error.failure);
}

class Asking {
  public constructor(private readonly cluster: Cluster, private readonly options: RequestOptions) {}

  public async denied(rights: readonly Right[]): Promise<readonly Question[]> {
    if (await this.allows({ verb: '*', group: '*', resource: '*' })) { return []; }
    const questions = await this.each(rights, async (right) => this.question(right));
    // nothing is bound in a namespace that is not there: what holds in it holds in all of them
    const everywhere = await this.rules(`cdk8s-harvester-nowhere-${randomUUID()}`.slice(0, MAX_NAME));
    let left: readonly Question[] = questions.filter((question) => !everywhere.some((rule) => grants(rule, question)));
    left = await this.withoutRules(left);
    left = await this.passing(left, ({ group, resource, right: { verb } }) => ({ verb, group, resource }));
    return this.passing(left, ({ group, resource, namespace, right: { verb, name } }) => ({ verb, group, resource, namespace, name }));
  }

  private async question(right: Right): Promise<Question> {
    const { apiVersion, kind, namespace, name } = right;
    const group = groupOf(apiVersion);
    const served = await this.served(apiVersion, kind);
    const resource = served?.plural ?? resourceOf(apiVersion, kind);
    // a Namespace lies in itself. @see kubernetes/apiserver:pkg/endpoints/request/requestinfo.go NewRequestInfo
    if (group === '' && kind === 'Namespace') { return { right, group, resource, ...(name === undefined ? {} : { namespace: name }) }; }
    // where a manifest names none, it is written to default
    const place = served?.namespaced === false ? undefined : served && name !== undefined ? namespace ?? 'default' : namespace;
    return { right, group, resource, ...(place === undefined ? {} : { namespace: place }) };
  }

  private async served(apiVersion: string, kind: string): ReturnType<Cluster['kind']> {
    try {
      return await this.cluster.kind(apiVersion, kind, this.options);
    } catch (error) {
      if (isNoAnswer(error)) { return undefined; }
      throw error;
    }
  }

  /** Those that the rules of their namespace do not allow; these say nothing of what lies in none. */
  private async withoutRules(questions: readonly Question[]): Promise<readonly Question[]> {
    const namespaces = new Set(questions.flatMap(({ namespace }) => namespace ?? []));
    const rules = new Map(await this.each([...namespaces], async (namespace) => [namespace, await this.rules(namespace)] as const));
    return questions.filter((question) => !(rules.get(question.namespace ?? '') ?? []).some((rule) => grants(rule, question)));
  }

  private async rules(namespace: string): Promise<PolicyRule[]> {
    try {
      const status: unknown = await this.cluster.review(AUTHORIZATION, 'SelfSubjectRulesReview', { namespace }, this.options);
      return isRecord(status) ? rulesOf(status.resourceRules) : [];
    } catch (error) {
      // what it does not list is asked for one by one
      if (isNoAnswer(error)) { return []; }
      throw error;
    }
  }

  /** Those that are denied, asked for once where several have the same answer. */
  private async passing(questions: readonly Question[], attributesOf: (question: Question) => Attributes): Promise<readonly Question[]> {
    const asked = new Map(questions.map((question) => [JSON.stringify(attributesOf(question)), attributesOf(question)]));
    const answers = new Map(await this.each([...asked], async ([key, attributes]) => [key, await this.allows(attributes)] as const));
    return questions.filter((question) => !answers.get(JSON.stringify(attributesOf(question))));
  }

  private async allows(resourceAttributes: Attributes): Promise<boolean> {
    const status: unknown = await this.cluster.review(AUTHORIZATION, 'SelfSubjectAccessReview', { resourceAttributes }, this.options);
    return isRecord(status) && status.allowed === true;
  }

  private async each<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
    return inParallel(items, () => '', AT_A_TIME, act, this.options.signal);
  }
}

/** @see kubernetes/kubernetes:pkg/apis/rbac/v1/evaluation_helpers.go RuleAllows */
function grants(rule: PolicyRule, { right: { verb, name }, group, resource }: Question): boolean {
  return covers(rule, group, resource) && (rule.verbs.includes('*') || rule.verbs.includes(verb))
    && (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name)));
}

/** Who asks, as a server knows him. */
interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
  /** As Rancher says them; undefined where it is not asked through Rancher. */
  readonly principals?: readonly string[];
}

/** Bindings by group. Those of Rancher count on all clusters that it manages. */
const BINDINGS: { readonly [group: string]: readonly string[] } = {
  'rbac.authorization.k8s.io': ['RoleBinding', 'ClusterRoleBinding'],
  [GROUPS.MANAGEMENT]: ['GlobalRoleBinding', 'ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'],
};

/** The key below `extra` by which Rancher tells who somebody is elsewhere. @see rancher/rancher:pkg/auth/providers/common UserAttributePrincipalID */
const PRINCIPALS = 'principalid';

/** Whether a run writes a binding for the very identity that it has: then it may have rights later that it has not now. */
export async function mayBeGranted(
  target: AssemblyTarget, cluster: Cluster, objects: readonly AssemblyObject[], manifests: ReadonlyMap<string, Manifest>, options: RequestOptions,
): Promise<boolean> {
  const bindings = objects.filter((object) => BINDINGS[groupOf(object.apiVersion)]?.includes(object.kind)
    && (object.target === target.name || groupOf(object.apiVersion) === GROUPS.MANAGEMENT));
  if (bindings.length === 0) { return false; }
  const identity = await identityOn(cluster, options);
  return bindings.some(({ id }) => isFor(manifests.get(id)!, identity));
}

/** Undefined where the server does not say, e.g. one before Kubernetes 1.28. */
async function identityOn(cluster: Cluster, options: RequestOptions): Promise<Identity | undefined> {
  let status: unknown;
  try {
    status = await cluster.review('authentication.k8s.io/v1', 'SelfSubjectReview', {}, options);
  } catch (error) {
    if (isNoAnswer(error)) { return undefined; }
    throw error;
  }
  const user = isRecord(status) ? status.userInfo : undefined;
  if (!isRecord(user) || typeof user.username !== 'string') { return undefined; }
  const principals = isRecord(user.extra) ? user.extra[PRINCIPALS] : undefined;
  return { username: user.username, groups: texts(user.groups), ...(Array.isArray(principals) ? { principals: texts(principals) } : {}) };
}

function isFor(binding: Manifest, identity: Identity | undefined): boolean {
  if (!identity) { return true; }
  const { username, groups, principals } = identity;
  const { subjects, userName, userPrincipalName, groupName, groupPrincipalName } = binding;
  // somebody of another provider, and nobody who tells who we are there
  const elsewhere = userName === undefined && principals === undefined
    && typeof userPrincipalName === 'string' && !userPrincipalName.startsWith(`${LOCAL_SCHEME}:`);
  return (Array.isArray(subjects) && subjects.some((subject) => isRecord(subject) && isSubject(subject, identity)))
    || isOne(userName, [username]) || isOne(userPrincipalName, [localPrincipal(username), ...principals ?? []]) || elsewhere
    || isOne(groupName, groups) || isOne(groupPrincipalName, groups);
}

/** What is late may be anybody. */
function isOne(value: unknown, names: readonly string[]): boolean {
  return isLate(value) || (typeof value === 'string' && names.includes(value));
}

function isSubject({ kind, name, namespace }: { readonly [field: string]: unknown }, { username, groups }: Identity): boolean {
  switch (kind) {
    case 'User': return isOne(name, [username]);
    case 'Group': return isOne(name, groups);
    case 'ServiceAccount': return isOne(`system:serviceaccount:${String(namespace)}:${String(name)}`, [username]);
    default: return false;
  }
}
