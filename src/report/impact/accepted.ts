import { Impact } from './impact';
import { refId } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyRemoval } from '../../core/output/assembly';
import { acceptedRemoval } from '../../core/output/removal-pattern';
import { Finding } from '../../core/rule/finding';

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

  /**
   * What the program accepts and the edit does not do, each as a sentence.
   *
   * @param leaving the findings about objects that leave the output
   */
  public unused(impacts: readonly Impact[], leaving: readonly Finding[]): string[] {
    const machines = impacts.flatMap(({ id, target, cluster }) => (id === undefined ? [] : [id, `${target}/${GROUPS.PROVISIONING}/Cluster/${cluster}`]));
    const objects = leaving.flatMap(({ target = '', object }) => (object ? [refId(target, object)] : []));
    return [
      ...unusedOf(this.replacements, machines, 'acceptReplacement', 'replaces and deletes no such machines'),
      ...unusedOf(this.removals, [...objects, ...machines], 'acceptRemoval', 'removes no such object'),
    ];
  }
}

function unusedOf(accepted: readonly AssemblyRemoval[], ids: readonly string[], call: string, what: string): string[] {
  return accepted.filter((each) => !ids.some((id) => acceptedRemoval([each], id)))
    .map(({ objects }) => `app.${call}('${objects}'): this edit ${what}. Fix: remove it once its edit is delivered, or correct the ID`);
}
