import { KindDelivery } from '../../core/kind/description/delivery';
import { KindReferences } from '../../core/kind/description/references';
import { KindRefusals } from '../../core/kind/description/refusals';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, groupOf, kindKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { lazily } from '../../core/text/values';
import { WEIGHT, buildGraph, impliedEdges } from '../../engine/graph/build-graph';
import { GraphNode } from '../../engine/graph/graph';

/** An object that waits for another one: directly, through a group, or through a late value. */
export interface ObjectEdge {
  readonly to: AssemblyObject;
  /**
   * Whether the other one must be healthy first: servers refuse the object before, or never
   * recover.
   */
  readonly isHard: boolean;
  /** Whether both recover, whatever comes first. */
  readonly isLoose: boolean;
}

/** What leads to an object from a group or a late value. */
interface End {
  readonly to: AssemblyObject;
  readonly isReady: boolean;
  readonly isLoose: boolean;
}

/** The edges between the objects of a program, as an apply follows them. */
export class ObjectEdges {
  /** The objects in an order in which each comes after those that it waits for. */
  public readonly objects: readonly AssemblyObject[];
  private readonly nodes: ReadonlyMap<string, GraphNode>;
  private readonly passed = new Map<string, readonly End[]>();
  private readonly implied: () => ReadonlySet<string>;

  constructor(assembly: Assembly, manifests: ReadonlyMap<string, Manifest>) {
    this.nodes = buildGraph(assembly, manifests).nodes;
    this.objects = [...this.nodes.values()].flatMap(({ object }) => object ?? []);
    this.implied = lazily(
      () =>
        new Set(
          [...impliedEdges(assembly, manifests)]
            .filter(({ weight }) => weight > WEIGHT.REFERRED)
            .map(({ from, to }) => `${from} ${to}`),
        ),
    );
    for (const node of this.nodes.values()) {
      if (!node.object) {
        this.passed.set(node.id, this.merged(node));
      }
    }
  }

  /** What an object waits for, each once. */
  public of(object: AssemblyObject): ObjectEdge[] {
    const lookedUp = lookedUpKinds(object);
    return this.merged(this.nodes.get(object.id)!).map(({ to, isReady, isLoose }) => {
      const isLookedUp = lookedUp.has(keyOf(to));
      const isBefore =
        to.target === object.target && kindOf<KindDelivery>(to)?.appliedFirst === true;
      return {
        to,
        isLoose: isLoose && !isLookedUp,
        isHard: isReady || isLookedUp || (!isLoose && !isBefore),
      };
    });
  }

  /**
   * Whether the order of two objects follows from the objects themselves, and not only from an edge
   * that the program declares.
   */
  public isImplied(from: AssemblyObject, to: AssemblyObject): boolean {
    return this.implied().has(`${from.id} ${to.id}`);
  }

  private merged({ after, late }: GraphNode): End[] {
    const ends = new Map<string, End>();
    for (const edge of after) {
      const { object } = this.nodes.get(edge.to)!;
      const { kind, weight = Infinity } = edge;
      const found: readonly End[] = object
        ? [
            {
              to: object,
              // a controller needs time for what others refer to
              isReady: kind === 'ready' || kindOf<KindReferences>(object)?.makes !== undefined,
              isLoose: weight <= WEIGHT.REFERRED,
            },
          ]
        : this.passed.get(edge.to)!;
      for (const end of found) {
        const known = ends.get(end.to.id);
        // what a late value is read from must be there
        const isReady = end.isReady || late !== undefined || known?.isReady === true;
        ends.set(end.to.id, {
          to: end.to,
          isReady,
          isLoose: end.isLoose && late === undefined && known?.isLoose !== false,
        });
      }
    }
    return [...ends.values()];
  }
}

const keyOf = ({ apiVersion, kind }: Pick<AssemblyObject, 'apiVersion' | 'kind'>): string =>
  kindKey(groupOf(apiVersion), kind);

const NO_KINDS: ReadonlySet<string> = new Set();

/**
 * The kinds of which a webhook looks up the objects that an object refers to: it refuses the object
 * before they exist.
 */
function lookedUpKinds(object: AssemblyObject): ReadonlySet<string> {
  const { looksUp = [], passing = [] } = kindOf<KindRefusals>(object) ?? {};
  if (looksUp.length === 0 && passing.length === 0) {
    return NO_KINDS;
  }
  const missed = passing
    .flatMap(({ missing }) => missing?.(ANY_MATCH) ?? [])
    .filter(({ going }) => going !== true);
  return new Set([...looksUp, ...missed.map(({ kind }) => kind)]);
}

// only the kind is asked for, which no match decides
const ANY_MATCH = Object.assign(['', '', ''], {
  index: 0,
  input: '',
}) as unknown as RegExpExecArray;
