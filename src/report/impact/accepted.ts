import { Impact } from './impact';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyRemoval } from '../../core/output/assembly';
import { acceptedRemoval } from '../../core/output/removal-pattern';

/** What programs accept, of machines that are replaced or deleted, and of objects that are removed. */
export class Acceptances {
  private readonly removals: readonly AssemblyRemoval[];
  private readonly replacements: readonly AssemblyRemoval[];

  public constructor(private readonly assemblies: readonly Assembly[]) {
    this.removals = assemblies.flatMap(({ removals = [] }) => removals);
    this.replacements = assemblies.flatMap(({ replacements = [] }) => replacements.map(({ machines, reason }) => ({ objects: machines, reason })));
  }

  /** The impacts on guest clusters, each with the ID to accept it by, and with the reason if it is accepted. */
  public mark(impacts: readonly Impact[], isDeclared: (impact: Impact) => boolean): Impact[] {
    return impacts.map((impact) => {
      const { target, cluster, pool, effect } = impact;
      if (this.assemblies.length === 0 || (effect !== 'delete' && effect !== 'replace' && effect !== 'unknown')) { return impact; }
      const whole = `${target}/${GROUPS.PROVISIONING}/Cluster/${cluster}`;
      const id = pool === undefined ? whole : `${whole}/${pool}`;
      // all data of a cluster is lost with it
      const accepted = isDeclared(impact) ? acceptedRemoval(this.replacements, id) ?? acceptedRemoval(this.replacements, whole)
        : acceptedRemoval(this.removals, whole);
      return { ...impact, id, ...(accepted ? { accepted: accepted.reason } : {}) };
    });
  }

  /** The accepted replacements that none of the impacts needs. */
  public unused(impacts: readonly Impact[]): string[] {
    const ids = impacts.flatMap(({ id, target, cluster }) => (id === undefined ? [] : [id, `${target}/${GROUPS.PROVISIONING}/Cluster/${cluster}`]));
    return this.replacements.filter((replacement) => !ids.some((id) => acceptedRemoval([replacement], id))).map(({ objects }) => objects);
  }
}
