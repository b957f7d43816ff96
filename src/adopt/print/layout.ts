import { TargetKind } from '../../core/construct/target';
import {
  AppReference,
  Draft,
  DraftReference,
  DraftValue,
  Expression,
  MethodCall,
  ObjectExpression,
  Property,
  StaticCall,
  TargetReference,
  FoundCluster,
} from '../../core/draft/draft';
import { idOf } from '../../core/manifest/manifest';
import { remembered } from '../../core/text/values';
import { Evaluated } from '../evaluate/evaluate';
import { Statements, argsOf, foundId } from '../evaluate/statements';

/** A module of the program: its path without the suffix, and its statements in their order. */
export interface ProgramModule {
  readonly path: string;
  readonly drafts: readonly Draft[];
}

/** The module of the app and of its charts. */
export const CLUSTERS_MODULE = 'clusters';

/** Modules of a project that no cluster can have. */
const OWN_MODULES = [CLUSTERS_MODULE, 'main', 'platform', 'delivery'];

/** The order of modules: each can import from those of a lower rank. */
const RANKS = { clusters: 0, harvester: 1, rancher: 2, tenants: 3, guests: 4 } as const;

/** The ranks of the modules of clusters, by the kind of cluster. */
const CLUSTER_RANKS: { readonly [kind in TargetKind]: number } = {
  [TargetKind.HARVESTER]: RANKS.harvester,
  [TargetKind.RANCHER]: RANKS.rancher,
  [TargetKind.GUEST]: RANKS.guests,
};

/**
 * The statements of a program by module: one for each Harvester, tenant, and guest cluster, and one
 * for Rancher.
 */
export function modulesOf(
  clusters: readonly FoundCluster[],
  statements: Statements,
  { order }: Evaluated,
): readonly ProgramModule[] {
  return new Layout(clusters, statements, order).modules();
}

class Layout {
  private readonly moduleOf = new Map<Draft, string>();
  private readonly rankOf = new Map<string, number>([[CLUSTERS_MODULE, RANKS.clusters]]);
  private readonly byTarget = new Map<string, string>();
  private readonly byNamespace = new Map<string, string>();

  constructor(
    private readonly clusters: readonly FoundCluster[],
    private readonly statements: Statements,
    private readonly order: readonly Draft[],
  ) {}

  public modules(): readonly ProgramModule[] {
    for (const { name, kind } of this.clusters) {
      const path = OWN_MODULES.includes(name) ? `${name}-cluster` : name;
      const isGuest = kind === TargetKind.GUEST;
      this.byTarget.set(name, isGuest ? `guests/${name}` : path);
      this.rankOf.set(this.byTarget.get(name)!, CLUSTER_RANKS[kind]);
    }
    for (const draft of this.order) {
      this.nameTenants(draft);
    }
    for (const draft of this.order) {
      this.moduleOf.set(draft, this.place(draft));
    }
    for (const draft of this.order) {
      this.nearTheirUser(draft);
    }
    this.mergeCycles();
    const paths = [...new Set(this.moduleOf.values())].sort(
      (a, b) => this.rankOf.get(a)! - this.rankOf.get(b)! || (a < b ? -1 : 1),
    );
    return paths.map((path) => ({ path, drafts: this.inOrder(path) }));
  }

  /** The statements of a module; charts begin with that of Rancher, and guests are last. */
  private inOrder(path: string): readonly Draft[] {
    const drafts = this.order.filter((draft) => this.moduleOf.get(draft) === path);
    const chartRank = ({ type }: Draft): number => CHART_TYPES.indexOf(type);
    return path === CLUSTERS_MODULE
      ? [...drafts].sort((a, b) => chartRank(a) - chartRank(b))
      : drafts;
  }

  /** A tenant's module has what is in its namespaces. */
  private nameTenants(draft: Draft): void {
    if (isTenant(draft)) {
      const path = `tenants/${this.statements.of(draft).id}`;
      this.rankOf.set(path, RANKS.tenants);
      for (const object of draft.declares.filter(({ manifest }) => manifest.kind === 'Namespace')) {
        this.byNamespace.set(foundId(object), path);
      }
    } else if (draft.chartOf !== undefined) {
      const path = `guests/${this.statements.of(draft).id}`;
      this.byTarget.set(draft.chartOf, path);
      this.rankOf.set(path, RANKS.guests);
    }
  }

  private place(draft: Draft): string {
    const own = this.ownModule(draft);
    // what it refers to is declared before it
    return usesOf(draft, this.statements)
      .map((used) => this.moduleOf.get(used) ?? own)
      .reduce((best, path) => (this.rankOf.get(path)! > this.rankOf.get(best)! ? path : best), own);
  }

  private ownModule(draft: Draft): string {
    if (this.statements.of(draft).scope instanceof AppReference) {
      return CLUSTERS_MODULE;
    }
    if (isTenant(draft)) {
      return `tenants/${this.statements.of(draft).id}`;
    }
    if (draft.chartOf !== undefined) {
      return this.byTarget.get(draft.chartOf)!;
    }
    if (GUEST_TYPES.includes(draft.type) && draft.method === undefined) {
      const path = `guests/${this.statements.of(draft).id}`;
      this.rankOf.set(path, RANKS.guests);
      return path;
    }
    const { scope } = this.statements.of(draft);
    const target =
      draft.declares[0]?.target ?? (scope instanceof TargetReference ? scope.target : undefined);
    const namespace = draft.declares[0]?.manifest.metadata.namespace;
    const tenant =
      target !== undefined && namespace !== undefined
        ? this.byNamespace.get(idOf(target, '', 'Namespace', undefined, namespace))
        : undefined;
    return tenant ?? this.byTarget.get(target ?? '') ?? CLUSTERS_MODULE;
  }

  /** A reference that only one module needs is in that module. */
  private nearTheirUser(reference: Draft): void {
    if (reference.declares.length > 0 || this.moduleOf.get(reference) === CLUSTERS_MODULE) {
      return;
    }
    const users = this.order.filter((draft) => usesOf(draft, this.statements).includes(reference));
    const paths = new Set(users.map((draft) => this.moduleOf.get(draft)!));
    if (paths.size === 1) {
      this.moduleOf.set(reference, [...paths][0]);
    }
  }

  /** Modules that need each other become one. */
  private mergeCycles(): void {
    for (;;) {
      const loop = this.cycle();
      if (!loop) {
        return;
      }
      const [first] = [...loop].sort();
      for (const [draft, path] of this.moduleOf) {
        if (loop.includes(path)) {
          this.moduleOf.set(draft, first);
        }
      }
    }
  }

  private cycle(): readonly string[] | undefined {
    const imports = new Map<string, Set<string>>();
    for (const [draft, path] of this.moduleOf) {
      const needed = remembered(imports, path, () => new Set<string>());
      for (const used of usesOf(draft, this.statements)) {
        const from = this.moduleOf.get(used)!;
        if (from !== path) {
          needed.add(from);
        }
      }
    }
    const visit = (path: string, way: readonly string[]): readonly string[] | undefined => {
      if (way.includes(path)) {
        return way.slice(way.indexOf(path));
      }
      for (const next of imports.get(path) ?? []) {
        const found = visit(next, [...way, path]);
        if (found) {
          return found;
        }
      }
      imports.delete(path);
      return undefined;
    };
    for (const path of [...imports.keys()]) {
      const found = visit(path, []);
      if (found) {
        return found;
      }
    }
    return undefined;
  }
}

/** The charts in the order of a module: those that others refer to precede them. */
const CHART_TYPES = ['RancherChart', 'HarvesterChart', 'GuestChart'];

/** Constructs that have a module of their own. */
const GUEST_TYPES = ['GuestCluster', 'CustomCluster', 'ImportedCluster', 'Rke1Cluster'];

/** The drafts whose constructs a statement names. */
export function usesOf(draft: Draft, statements: Statements): readonly Draft[] {
  const statement = statements.of(draft);
  const found = new Set<Draft>();
  walk(statement.scope, statements, found);
  for (const value of [...argsOf(statement), ...(draft.calls ?? []).flatMap(({ args }) => args)]) {
    walk(value, statements, found);
  }
  return [...found];
}

function walk(value: DraftValue, statements: Statements, found: Set<Draft>): void {
  if (value instanceof Expression) {
    if (value instanceof DraftReference) {
      found.add(value.draft);
    }
    if (value instanceof TargetReference) {
      walk(statements.chart(value.target), statements, found);
    }
    if (value instanceof ObjectExpression) {
      walk(statements.resolve(value.object), statements, found);
    }
    if (value instanceof Property) {
      walk(value.on, statements, found);
    }
    if (value instanceof MethodCall) {
      walk(value.on, statements, found);
    }
    if (value instanceof StaticCall || value instanceof MethodCall) {
      value.args.forEach((each) => walk(each, statements, found));
    }
  } else if (typeof value === 'object' && (value as DraftValue | null) !== null) {
    Object.values(value).forEach((each) => walk(each, statements, found));
  }
}

/** The constructs of a tenant. */
const TENANT_TYPES: readonly string[] = ['TenantProject', 'TenantTeam'];

function isTenant({ type, method }: Draft): boolean {
  return TENANT_TYPES.includes(type) && method === undefined;
}
