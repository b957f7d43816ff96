import { kindOf } from '../../core/kind/all-kinds';
import { LookedAt } from '../../core/kind/kind';
import { Manifest, groupOf, kindKey } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { grouped } from '../../core/text/values';

/** Finds the objects that a webhook looks up for an object which does not name them. */
export class LookedAtObjects {
  private readonly byKind: ReadonlyMap<string, AssemblyObject[]>;

  constructor(objects: readonly AssemblyObject[], private readonly manifests: ReadonlyMap<string, Manifest>) {
    this.byKind = grouped(objects, ({ target, apiVersion, kind }) => `${target} ${kindKey(groupOf(apiVersion), kind)}`);
  }

  /** The IDs of these objects. */
  public of({ target }: AssemblyObject, manifest: Manifest): string[] {
    const looksAt = kindOf(manifest)?.looksAt;
    const value = looksAt?.own(manifest);
    return looksAt === undefined || value === undefined ? [] : this.with(target, looksAt, value);
  }

  private with(target: string, { group, kind, other }: LookedAt, value: string): string[] {
    const candidates = this.byKind.get(`${target} ${kindKey(group, kind)}`) ?? [];
    return candidates.filter(({ id }) => other(this.manifests.get(id)!) === value).map(({ id }) => id);
  }
}
