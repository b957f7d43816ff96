import { randomUUID } from 'crypto';
import { Right } from './needs';
import { groupOf, isRecord } from '../../model/manifest';
import { covers, PolicyRule, rulesOf } from '../access/policy-rule';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { inParallel } from '../plan/in-parallel';
import { resourceOf } from '../rbac/resources';
import { ApiError, FailureClass } from '../transport/api';

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
