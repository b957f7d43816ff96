import { lateIdsIn } from '../../../core/late/late-text';
import { Assembly, AssemblyLateValue, AssemblyObject } from '../../../core/output/assembly';
import { sensitiveIds } from '../../../core/secret/redactor';
import { remembered } from '../../../core/text/values';
import { Inventory } from '../../inventory/inventory';
import { LateResolver } from '../../late/late-resolver';
import { lateValuesWithin, replacedText } from '../../late/origin';
import { lateDigest } from '../../secret/digest';
import { onFailure } from '../../transport/api';
import { OpenTargets } from '../open-targets';

/** Late values that may be known already. */
export type KnownLate = Pick<LateResolver, 'tryResolve' | 'completeKnown'> &
  Partial<Pick<LateResolver, 'values' | 'unmatched'>>;

/** What a plan knows of the late values of a program. */
export class PlanLate {
  private readonly lateValues: ReadonlyMap<string, AssemblyLateValue>;
  private readonly sensitive: ReadonlySet<string>;
  private readonly known = new Map<string, Promise<boolean>>();

  public constructor(
    private readonly assembly: Assembly,
    private readonly open: OpenTargets,
    private readonly inventories: ReadonlyMap<string, Inventory>,
    private readonly resolver?: KnownLate,
  ) {
    this.lateValues = new Map(assembly.lateValues.map((late) => [late.id, late]));
    this.sensitive = sensitiveIds(assembly.lateValues);
  }

  /** The late values that an object waits for. */
  public async unknown({ lateValues = [] }: AssemblyObject): Promise<string[]> {
    const known = await Promise.all(
      lateValues.map(async (id) => remembered(this.known, id, async () => this.ask(id))),
    );
    return lateValues.filter((_, index) => !known[index]);
  }

  /**
   * Late values of an object that are other ones than the last run read, and look-ups that find
   * nothing yet.
   */
  public warnings(object: AssemblyObject): string[] {
    const replaced = lateValuesWithin(object.lateValues ?? [], this.lateValues).flatMap((id) => {
      const late = this.lateValues.get(id)!;
      const value = this.resolver?.values?.get(id);
      const { late: digests = {}, digestKey } =
        ('target' in late.source && this.inventories.get(late.source.target)) || {};
      if (value === undefined || digestKey === undefined || digests[id] === undefined) {
        return [];
      }
      return digests[id] !== lateDigest(id, value, digestKey)
        ? [replacedText(late, this.assembly.targets, this.sensitive.has(id) ? undefined : value)]
        : [];
    });
    return [...replaced, ...this.unmatched(object, false)];
  }

  /** The look-ups of an object that find several objects. */
  public refusal(object: AssemblyObject): string | undefined {
    return this.unmatched(object, true).join('; ') || undefined;
  }

  private unmatched({ lateValues = [] }: AssemblyObject, isFinal: boolean): string[] {
    return lateValuesWithin(lateValues, this.lateValues)
      .flatMap((id) => this.resolver?.unmatched?.get(id) ?? [])
      .filter((each) => each.isFinal === isFinal)
      .map(({ message }) => message);
  }

  private async ask(id: string): Promise<boolean> {
    // values on a cluster that does not exist yet are not known
    const targets = await Promise.all(
      [...this.sourcesOf(id, new Set())].map(async (name) => this.open.open(name)),
    );
    if (!this.resolver || targets.some(({ cluster }) => !cluster)) {
      return false;
    }
    return this.resolver.tryResolve(id).catch(onFailure(['not-found', 'blocked'], () => false));
  }

  /**
   * The targets that a late value is read from, including those of the values that its text or
   * names contain.
   */
  private sourcesOf(id: string, seen: Set<string>): ReadonlySet<string> {
    const source = this.lateValues.get(id)?.source;
    if (!source || seen.has(id)) {
      return new Set();
    }
    seen.add(id);
    const inner = lateIdsIn(source).flatMap((each) => [...this.sourcesOf(each, seen)]);
    return new Set('target' in source ? [source.target, ...inner] : inner);
  }
}
