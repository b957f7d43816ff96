import { resourceOf } from './resources';
import { compare } from '../../model/compare';
import { groupOf } from '../../model/manifest';

/** A verb of Kubernetes' authorization, or one that Rancher's webhook asks for. */
export type Verb = 'get' | 'list' | 'patch' | 'create' | 'delete' | 'manage-namespaces' | 'updatepsa';

const ORDER: readonly Verb[] = ['get', 'list', 'create', 'patch', 'delete', 'manage-namespaces', 'updatepsa'];

/** One rule of a Role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

/** What is asked for: one kind, some verbs, and one object where it can be named. */
export interface Grant {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly verbs: readonly Verb[];
}

/** The rules of one Role or ClusterRole, each as narrow as it can be. */
export class RuleSet {
  /** Verbs by resource, and by name in it; the empty name is any. */
  private readonly resources = new Map<string, Map<string, Set<Verb>>>();

  public add({ apiVersion, kind, name = '', verbs }: Grant): void {
    const key = `${groupOf(apiVersion)}/${resourceOf(apiVersion, kind)}`;
    const names = this.resources.get(key) ?? new Map<string, Set<Verb>>();
    this.resources.set(key, names);
    names.set(name, new Set([...names.get(name) ?? [], ...verbs]));
  }

  public get rules(): PolicyRule[] {
    return [...this.resources].sort(([a], [b]) => compare(a, b)).flatMap(([key, names]) => {
      const [group, resource] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
      const any = names.get('') ?? new Set<Verb>();
      const byVerbs = new Map<string, string[]>();
      for (const [name, verbs] of [...names].sort(([a], [b]) => compare(a, b))) {
        // what holds for any needs no name
        const own = name === '' ? [...any] : [...verbs].filter((verb) => !any.has(verb));
        const text = ORDER.filter((verb) => own.includes(verb)).join(',');
        if (text !== '') { byVerbs.set(`${name === ''}:${text}`, [...byVerbs.get(`${name === ''}:${text}`) ?? [], name]); }
      }
      return [...byVerbs].map(([text, which]): PolicyRule => ({
        apiGroups: [group],
        resources: [resource],
        ...(which[0] === '' ? {} : { resourceNames: which }),
        verbs: text.slice(text.indexOf(':') + 1).split(',') as Verb[],
      }));
    });
  }
}
